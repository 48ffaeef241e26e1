import type { SecretNode, ServicePort } from '../dag/model/cluster.ts';
import { sha1, sha256 } from '../util/sha.ts';

/** Envoy's limit for names, as Contour has it: the result is shorter than this. */
const nameLimit = 60;

/**
 * Joins parts with `/`. A result of `limit` characters or more is shortened part by part from the end, with six digits of the hash of the
 * whole, and is the hash alone if that does not help. @see Contour `internal/envoy/cluster.go` Hashname
 */
export function hashName(limit: number, ...parts: readonly string[]): string {
  const whole = parts.join('/');
  if (whole.length < limit) return whole;

  const hash = sha256(whole);
  const shortened = [...parts];
  for (let index = parts.length - 1; index >= 0; index--) {
    shortened[index] = truncate(Math.floor(limit / parts.length), parts[index]!, hash.slice(0, 6));
    const joined = shortened.join('/');
    if (joined.length < limit) return joined;
  }
  return hash.slice(0, limit);
}

function truncate(limit: number, text: string, suffix: string): string {
  if (text.length <= limit) return text;
  return limit <= suffix.length ? suffix.slice(0, limit) : `${text.slice(0, limit - suffix.length - 1)}-${suffix}`;
}

/** Most clusters have the settings of many others, so few texts are hashed again and again. */
const shortHashes = new Map<string, string>();
const rememberedHashes = 1_000;

/** The first five bytes of SHA-1, as Contour ends names with. */
export function shortHash(text: string): string {
  const known = shortHashes.get(text);
  if (known !== undefined) return known;
  const hash = sha1(text).slice(0, 10);
  if (shortHashes.size >= rememberedHashes) shortHashes.clear();
  shortHashes.set(text, hash);
  return hash;
}

/** The name of a service cluster by the canonical form of its settings (`canonicalSettings`). */
export function serviceClusterName(service: ServicePort, settings: string): string {
  return hashName(nameLimit, service.namespace, service.name, String(service.port), shortHash(settings));
}

/** The name of the endpoints of a Service's port. */
export function endpointsName(service: ServicePort): string {
  const base = `${service.namespace}/${service.name}`;
  const named = service.portName === '' ? base : `${base}/${service.portName}`;
  return service.healthPortName === undefined ? named : `${named}/health/${service.healthPortName}`;
}

/**
 * The SDS name of a certificate. It stays when the certificate is renewed, so that Envoy takes the new one by itself and no listener or
 * cluster changes, which would end connections. (Contour puts a hash of the certificate into the name.)
 */
export function secretName(secret: SecretNode): string {
  const name = hashName(nameLimit, secret.namespace, secret.name);
  return secret.sealed ? sealedName(name) : name;
}

/** The longest server name that TLS lets a client send, in bytes. */
const serverNameLimit = 255;

/**
 * A name that no client can send as a server name. Where certificates are fetched by the server name, a client could else make Envoy ask for
 * any secret, such as the one that Envoy shows to upstreams.
 */
export function sealedName(name: string): string {
  return name.padEnd(serverNameLimit + 1, '/');
}

/** The name of a virtual host within its RouteConfiguration. */
export function virtualHostName(host: string): string {
  return hashName(nameLimit, host);
}

/** The RouteConfiguration of a host behind TLS: `https/<host>` on the static listener, else `<listener>/<host>`. */
export function secureRouteName(listener: string, host: string): string {
  return `${listener === 'ingress_https' ? 'https' : listener}/${host}`;
}

/** The cluster, and the endpoints, of an ExtensionService. */
export function extensionClusterName({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `extension/${namespace}/${name}`;
}
