import type { TlsVersion } from '../../config/config.ts';

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
  const minVersion: TlsVersion = minimum === '1.3' || limits.minVersion === '1.3' ? '1.3' : '1.2';
  const maxVersion: TlsVersion = maximum === '1.2' || limits.maxVersion === '1.2' ? '1.2' : '1.3';
  return minVersion > maxVersion ? undefined : { minVersion, maxVersion };
}
