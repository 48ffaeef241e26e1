import type { KindMap, KindName } from '../apis/kinds.ts';
import type { ObjectKey, ObjectRef } from '../apis/meta.ts';
import type { SecretInspector } from './secret-inspector.ts';

/**
 * What a build may ask for: an object's key (`Kind/ns/name`), an entry of an index (`index:name/value`), or
 * whether a moment has passed (`time:milliseconds`). A root is built again when a key that its last build read is touched.
 * `grace:Kind/ns/name` is asked for by nobody: touched, it says that a root waited long enough for what it refers to.
 */
export type Key = ObjectKey | `index:${string}` | `time:${number}` | `grace:${ObjectKey}`;

/**
 * The indexes of the KubernetesCache. Each is a function of one object (see `indexes.ts`); an entry is touched when
 * an object enters or leaves it, not when a member changes: who reads a member reads its key too.
 *
 * | index | value | members |
 * | --- | --- | --- |
 * | `httpproxies-by-fqdn` | FQDN in lower case | root HTTPProxies |
 * | `ingresses-by-tls-host` | host in lower case | Ingresses whose `spec.tls` names it |
 * | `delegations-in` | namespace | TLSCertificateDelegations |
 * | `grants-in` | namespace | ReferenceGrants |
 * | `gateways-of-class` | GatewayClass | Gateways |
 * | `listener-sets-of` | `ns/name` of a Gateway | ListenerSets |
 * | `policies-for-service` | `ns/name` of a Service | BackendTLSPolicies |
 * | `slices-of` | `ns/name` of a Service | EndpointSlices |
 */
export const indexNames = [
  'httpproxies-by-fqdn',
  'ingresses-by-tls-host',
  'delegations-in',
  'grants-in',
  'gateways-of-class',
  'listener-sets-of',
  'policies-for-service',
  'slices-of',
] as const;

export type IndexName = (typeof indexNames)[number];

/** The key of an index entry. */
export function indexKey(index: IndexName, value: string): Key {
  return `index:${index}/${value}`;
}

/**
 * The only way in which a processor sees the world. Every question is recorded as a dependency, whether it finds
 * something or not, so the same question with a new answer wakes the root.
 */
export interface Reader {
  /** The object, or `undefined`. The namespace is `''` for cluster-scoped kinds. */
  get<K extends KindName>(kind: K, namespace: string, name: string): KindMap[K] | undefined;
  /** The members of an index entry, ordered by kind, namespace, name. */
  list(index: IndexName, value: string): readonly ObjectRef[];
  /** Looks into Secrets that `get` gave; the answer depends on the Secret alone. */
  readonly secrets: SecretInspector;
  /**
   * Whether a moment (milliseconds since 1970) had passed when the cache was last told the time. A build has no clock:
   * the event handler moves the cache's time on, which touches the Secrets whose certificates ran out.
   */
  hasPassed(moment: number): boolean;
}
