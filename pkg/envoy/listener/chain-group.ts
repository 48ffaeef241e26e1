import type { ListenerConfig } from '../../config/config.ts';
import type { VirtualHost } from '../../dag/model/virtual-host.ts';
import { fnv1a } from '../../util/fnv1a.ts';
import { higherVersion, lowerVersion } from '../tls-parameters.ts';

/**
 * How many groups the hosts of one TLS listener are spread over. More groups are smaller ones, so that a new host ends the connections of
 * fewer others; fewer groups make a listener that Envoy reads sooner.
 */
const groupCount = 64;

/**
 * What a host may have and still share a filter chain: all of it is in its virtual host. A field that is not here, such as one that a later
 * version adds, gives a host a chain of its own, so that nothing which guards a host is ever passed by through the chain of another.
 */
const sharedFields: ReadonlySet<string> = new Set([
  'listener',
  'host',
  'routes',
  'tls',
  'origins',
  'dropped',
  'cors',
  'ipFilter',
  'localRateLimit',
  'globalRateLimit',
] satisfies readonly string[]);

const sharedTlsFields: ReadonlySet<string> = new Set(['type', 'secrets', 'minVersion', 'maxVersion', 'fallback']);

/**
 * The group of hosts whose filter chains a host shares, by a stable hash of its name; `undefined` for a host with a chain of its own: one that
 * passes TLS or bytes on, that is guarded, or whose protocol bounds are not those of the listener.
 */
export function chainGroup(host: VirtualHost, config: ListenerConfig): string | undefined {
  const { tls } = host;
  if (tls?.type !== 'terminate' || !onlyHas(host, sharedFields) || !onlyHas(tls, sharedTlsFields)) return undefined;
  const { minVersion, maxVersion } = config.tls;
  const asListener = higherVersion(tls.minVersion, minVersion) === minVersion && lowerVersion(tls.maxVersion, maxVersion) === maxVersion;
  return asListener ? (fnv1a(host.host) % groupCount).toString(16).padStart(2, '0') : undefined;
}

/** Whether a host has what its own chain alone enforces. */
export function isGuarded({ tls, ...host }: VirtualHost): boolean {
  return !onlyHas(host, sharedFields) || (tls?.type === 'terminate' && !onlyHas(tls, sharedTlsFields));
}

/** What the filter chain of a host may depend on: all but what is in its virtual host. Certificates come by their names. */
export function chainContent(host: VirtualHost): unknown {
  const { tls } = host;
  const others = Object.entries(host).filter(([field, content]) => content !== undefined && !sharedFields.has(field));
  if (tls?.type !== 'terminate') return [tls, others];
  // The fallback certificate is another chain's.
  const { fallback: _, ...own } = tls;
  return [{ ...own, secrets: tls.secrets.map(({ certificate: _, privateKey: __, ...rest }) => rest) }, others];
}

function onlyHas(value: object, known: ReadonlySet<string>): boolean {
  return Object.entries(value).every(([field, content]) => content === undefined || known.has(field));
}
