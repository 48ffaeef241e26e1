import type { EndpointSlice } from '../apis/discovery/v1/endpoint-slice.ts';
import { type ObjectKey, parseObjectKey } from '../apis/meta.ts';
import type { KubernetesCache } from '../kubernetes-cache/kubernetes-cache.ts';
import { indexKey, type Key } from '../kubernetes-cache/reader.ts';
import type { Contribution } from './contribution.ts';

/**
 * A root whose new version refers to something that is not there yet: until it is, or somebody says that this took long enough, what
 * the root had before counts.
 */
export interface Hold {
  readonly root: ObjectKey;
  /** The contribution that counts. */
  readonly shown: Contribution;
  /** What the version behind it had read. The same value as long as the root waits, whatever for: another wait has another. */
  readonly reads: Reads;
  /** What it waits for now. */
  readonly awaited: ReadonlySet<Key>;
}

export interface Reads {
  readonly keys: ReadonlySet<Key>;
  /** Those of the keys that are references to objects, and were not found. */
  readonly missed: ReadonlySet<Key>;
}

/**
 * The kinds that are waited for. Not those whose absence takes a permission away (grants, delegations, namespaces), nor those that
 * say where something is served at all (Gateway, GatewayClass): that counts at once.
 */
const awaitedKinds = ['Service/', 'Secret/', 'ConfigMap/', 'HTTPProxy/', 'ExtensionService/'] as const;
const ownHost = indexKey('httpproxies-by-fqdn', '');

/** The references among the keys that lead nowhere. */
export function missedReferences(keys: ReadonlySet<Key>, cache: KubernetesCache): ReadonlySet<Key> {
  return new Set([...keys].filter((key) => awaitedKinds.some((kind) => key.startsWith(kind)) && !cache.has(key)));
}

/**
 * What a new version has to wait for: references that are missing, and Services that have no ready endpoint, unless the version that
 * is shown had them already. A Service that was waited for when it was missing is so until it has endpoints.
 */
export function awaitedReferences(
  now: Reads,
  { reads: shown, awaited }: Pick<Hold, 'reads' | 'awaited'>,
  cache: KubernetesCache,
): ReadonlySet<Key> {
  // A host that is given up may be somebody else's by now.
  if ([...shown.keys].some((key) => key.startsWith(ownHost) && !now.keys.has(key))) return new Set();
  const missing = [...now.missed].filter((key) => !shown.missed.has(key));
  const idle = [...now.keys].filter(
    (key) => key.startsWith('Service/') && (!shown.keys.has(key) || awaited.has(key)) && isIdle(key, cache),
  );
  return new Set([...missing, ...idle]);
}

/** The keys whose change may end the wait for a reference, beside its own. */
export function keysOfEndpoints(service: Key, cache: KubernetesCache): readonly Key[] {
  const { kind, namespace, name } = parseObjectKey(service);
  if (kind !== 'Service') return [];
  const keys: Key[] = [];
  cache.reader((key) => keys.push(key)).list('slices-of', `${namespace}/${name}`);
  return [...keys, ...slicesOf(service, cache).map((slice) => `EndpointSlice/${namespace}/${slice.metadata.name}` as const)];
}

/** Whether a Service is there whose endpoints are on their way; one that stands for a name elsewhere has none. */
function isIdle(service: Key, cache: KubernetesCache): boolean {
  const { namespace, name } = parseObjectKey(service);
  const found = cache.get('Service', namespace, name);
  if (found === undefined || found.spec?.type === 'ExternalName') return false;
  return !slicesOf(service, cache).some(({ endpoints }) => (endpoints ?? []).some(({ conditions }) => conditions?.ready ?? true));
}

function slicesOf(service: Key, cache: KubernetesCache): readonly EndpointSlice[] {
  const { namespace, name } = parseObjectKey(service);
  const refs = cache.reader(() => undefined).list('slices-of', `${namespace}/${name}`);
  return refs.flatMap((ref) => cache.get('EndpointSlice', ref.namespace, ref.name) ?? []);
}
