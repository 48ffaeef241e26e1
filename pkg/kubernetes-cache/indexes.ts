import type { KindMap, KindName } from '../apis/kinds.ts';
import type { KubeObject } from '../apis/meta.ts';
import { serviceNameOf } from '../k8s/endpoint-slice.ts';
import { indexKey, type Key } from './reader.ts';

type IndexFunctions = { readonly [K in KindName]?: (object: KindMap[K]) => readonly Key[] };

const namespaceOf = (object: KubeObject): string => object.metadata.namespace ?? '';

/** The index entries of an object, by kind. The meaning of each index is told at `indexNames`. */
const indexFunctions: IndexFunctions = {
  HTTPProxy: ({ spec }) => (spec.virtualhost === undefined ? [] : [indexKey('httpproxies-by-fqdn', spec.virtualhost.fqdn.toLowerCase())]),
  Ingress: ({ spec }) =>
    (spec?.tls ?? []).flatMap(({ hosts }) => (hosts ?? []).map((host) => indexKey('ingresses-by-tls-host', host.toLowerCase()))),
  TLSCertificateDelegation: (object) => [indexKey('delegations-in', namespaceOf(object))],
  ReferenceGrant: (object) => [indexKey('grants-in', namespaceOf(object))],
  Gateway: ({ spec }) => [indexKey('gateways-of-class', spec.gatewayClassName)],
  ListenerSet: (object) => [
    indexKey('listener-sets-of', `${object.spec.parentRef.namespace ?? namespaceOf(object)}/${object.spec.parentRef.name}`),
  ],
  BackendTLSPolicy: (object) =>
    object.spec.targetRefs.map(({ name }) => indexKey('policies-for-service', `${namespaceOf(object)}/${name}`)),
  EndpointSlice: (object) => {
    const service = serviceNameOf(object);
    return service === undefined ? [] : [indexKey('slices-of', `${namespaceOf(object)}/${service}`)];
  },
};

/** The index entries that an object is in, without repetition. */
export function indexEntries(object: KubeObject): readonly Key[] {
  const entries = indexFunctions[object.kind as KindName] as ((object: KubeObject) => readonly Key[]) | undefined;
  return entries === undefined ? [] : [...new Set(entries(object))];
}
