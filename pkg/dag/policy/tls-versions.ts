import type { TlsVersion } from '../model/virtual-host.ts';

/** The TLS versions of a host: not below `minVersion`, not above `maxVersion`. */
export interface TlsVersions {
  readonly minVersion: TlsVersion;
  readonly maxVersion: TlsVersion;
}

/**
 * The TLS versions that a host asks for, within those of the configuration. Texts that are no version (`''` too) leave its
 * default: 1.2 and 1.3. `undefined` where nothing is left, since the minimum is above the maximum.
 */
export function tlsVersions(minimum: string, maximum: string, limits: TlsVersions): TlsVersions | undefined {
  const [asked, most] = [versionOf(minimum) ?? '1.2', versionOf(maximum) ?? '1.3'];
  const minVersion = asked > limits.minVersion ? asked : limits.minVersion;
  const maxVersion = most < limits.maxVersion ? most : limits.maxVersion;
  return minVersion > maxVersion ? undefined : { minVersion, maxVersion };
}

function versionOf(text: string): TlsVersion | undefined {
  return text === '1.2' || text === '1.3' ? text : undefined;
}
