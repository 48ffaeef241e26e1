import { encode } from '../envoy/protobuf.ts';
import { Secret } from '../envoy-api/envoy/extensions/transport_sockets/tls/v3/secret.ts';
import { encodedResource, type Resource } from './resource.ts';
import { wildcardsOver } from './wildcards.ts';

/**
 * The secret that a proxy means by a name which may be a server name, as a client spelled it: that of the host in lower case, else of the wildcard
 * with the longest suffix. It has the name asked for, and the version of the secret that it stands for.
 */
export function askedSecret(name: string, secrets: ReadonlyMap<string, Resource>): Resource | undefined {
  const key = secretKeyOf(name, secrets);
  const secret = key === undefined ? undefined : secrets.get(key);
  return secret === undefined || key === name ? secret : renamed(secret, name);
}

/** The name of the secret that `askedSecret` gives, as it is served by. */
export function secretKeyOf(name: string, secrets: ReadonlyMap<string, unknown>): string | undefined {
  if (secrets.has(name)) return name;
  // Names of Secrets in Kubernetes have one; names of hosts have not.
  if (name.includes('/')) return undefined;
  const host = name.toLowerCase();
  return [host, ...wildcardsOver(host)].find((key) => secrets.has(key));
}

function renamed(secret: Resource, name: string): Resource {
  const { bytes, version } = secret.encoded('ads');
  return encodedResource(name, secret.origins, { version, bytes: encode(Secret, { ...Secret.decode(bytes), name }) });
}
