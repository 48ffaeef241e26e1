import type { KindInfo, KindName } from './kinds.ts';

const gatewayGroup = 'gateway.networking.k8s.io';
const contourGroup = 'projectcontour.io';

const entries: readonly KindInfo[] = [
  { kind: 'ConfigMap', group: '', version: 'v1', plural: 'configmaps', namespaced: true },
  { kind: 'Namespace', group: '', version: 'v1', plural: 'namespaces', namespaced: false },
  { kind: 'Secret', group: '', version: 'v1', plural: 'secrets', namespaced: true },
  { kind: 'Service', group: '', version: 'v1', plural: 'services', namespaced: true },
  { kind: 'EndpointSlice', group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices', namespaced: true },
  { kind: 'Ingress', group: 'networking.k8s.io', version: 'v1', plural: 'ingresses', namespaced: true },
  { kind: 'IngressClass', group: 'networking.k8s.io', version: 'v1', plural: 'ingressclasses', namespaced: false },
  { kind: 'HTTPProxy', group: contourGroup, version: 'v1', plural: 'httpproxies', namespaced: true },
  { kind: 'TLSCertificateDelegation', group: contourGroup, version: 'v1', plural: 'tlscertificatedelegations', namespaced: true },
  { kind: 'ContourConfiguration', group: contourGroup, version: 'v1alpha1', plural: 'contourconfigurations', namespaced: true },
  { kind: 'ContourDeployment', group: contourGroup, version: 'v1alpha1', plural: 'contourdeployments', namespaced: true },
  { kind: 'ExtensionService', group: contourGroup, version: 'v1alpha1', plural: 'extensionservices', namespaced: true },
  { kind: 'BackendTLSPolicy', group: gatewayGroup, version: 'v1', plural: 'backendtlspolicies', namespaced: true },
  { kind: 'Gateway', group: gatewayGroup, version: 'v1', plural: 'gateways', namespaced: true, otherVersions: ['v1beta1'] },
  { kind: 'GatewayClass', group: gatewayGroup, version: 'v1', plural: 'gatewayclasses', namespaced: false, otherVersions: ['v1beta1'] },
  { kind: 'GRPCRoute', group: gatewayGroup, version: 'v1', plural: 'grpcroutes', namespaced: true },
  { kind: 'HTTPRoute', group: gatewayGroup, version: 'v1', plural: 'httproutes', namespaced: true, otherVersions: ['v1beta1'] },
  { kind: 'ListenerSet', group: gatewayGroup, version: 'v1', plural: 'listenersets', namespaced: true },
  // Gateway API 1.3 and older serve v1beta1 alone; 1.6 serves both.
  { kind: 'ReferenceGrant', group: gatewayGroup, version: 'v1beta1', plural: 'referencegrants', namespaced: true, otherVersions: ['v1'] },
  { kind: 'TCPRoute', group: gatewayGroup, version: 'v1', plural: 'tcproutes', namespaced: true },
  { kind: 'TLSRoute', group: gatewayGroup, version: 'v1', plural: 'tlsroutes', namespaced: true },
  { kind: 'UDPRoute', group: gatewayGroup, version: 'v1', plural: 'udproutes', namespaced: true },
];

/** Every kind that Isoline knows. */
export const kindInfos: ReadonlyMap<KindName, KindInfo> = new Map(entries.map((entry) => [entry.kind, entry]));

const byApiVersion: ReadonlyMap<string, KindInfo> = new Map(
  entries.flatMap((entry) =>
    [entry.version, ...(entry.otherVersions ?? [])].map((version) => [`${apiVersionOf(entry.group, version)} ${entry.kind}`, entry]),
  ),
);

/** The `apiVersion` of a group and version: the core group has no slash. */
export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The kind that an object names by `apiVersion` and `kind`, in any version that is served; `undefined` if Isoline has no use for it. */
export function findKind(apiVersion: string, kind: string): KindInfo | undefined {
  return byApiVersion.get(`${apiVersion} ${kind}`);
}
