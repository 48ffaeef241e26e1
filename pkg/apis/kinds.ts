import type { ConfigMap } from './core/v1/config-map.ts';
import type { Namespace } from './core/v1/namespace.ts';
import type { Secret } from './core/v1/secret.ts';
import type { Service } from './core/v1/service.ts';
import type { EndpointSlice } from './discovery/v1/endpoint-slice.ts';
import type { BackendTLSPolicy } from './gateway/backend-tls-policy.ts';
import type { Gateway } from './gateway/gateway.ts';
import type { GatewayClass } from './gateway/gateway-class.ts';
import type { GRPCRoute } from './gateway/grpc-route.ts';
import type { HTTPRoute } from './gateway/http-route.ts';
import type { ListenerSet } from './gateway/listener-set.ts';
import type { ReferenceGrant } from './gateway/reference-grant.ts';
import type { TCPRoute } from './gateway/tcp-route.ts';
import type { TLSRoute } from './gateway/tls-route.ts';
import type { UDPRoute } from './gateway/udp-route.ts';
import type { Ingress } from './networking/v1/ingress.ts';
import type { IngressClass } from './networking/v1/ingress-class.ts';
import type { HTTPProxy } from './projectcontour/v1/httpproxy.ts';
import type { TLSCertificateDelegation } from './projectcontour/v1/tls-certificate-delegation.ts';
import type { ContourConfiguration } from './projectcontour/v1alpha1/contour-configuration.ts';
import type { ContourDeployment } from './projectcontour/v1alpha1/contour-deployment.ts';
import type { ExtensionService } from './projectcontour/v1alpha1/extension-service.ts';

/** Every kind that Isoline knows, by name: no two groups here share a kind. */
export interface KindMap {
  readonly BackendTLSPolicy: BackendTLSPolicy;
  readonly ConfigMap: ConfigMap;
  readonly ContourConfiguration: ContourConfiguration;
  readonly ContourDeployment: ContourDeployment;
  readonly EndpointSlice: EndpointSlice;
  readonly ExtensionService: ExtensionService;
  readonly GRPCRoute: GRPCRoute;
  readonly Gateway: Gateway;
  readonly GatewayClass: GatewayClass;
  readonly HTTPProxy: HTTPProxy;
  readonly HTTPRoute: HTTPRoute;
  readonly Ingress: Ingress;
  readonly IngressClass: IngressClass;
  readonly ListenerSet: ListenerSet;
  readonly Namespace: Namespace;
  readonly ReferenceGrant: ReferenceGrant;
  readonly Secret: Secret;
  readonly Service: Service;
  readonly TCPRoute: TCPRoute;
  readonly TLSCertificateDelegation: TLSCertificateDelegation;
  readonly TLSRoute: TLSRoute;
  readonly UDPRoute: UDPRoute;
}

export type KindName = keyof KindMap;

/** Where the API server keeps a kind. */
export interface KindInfo {
  readonly kind: KindName;
  /** `''` for the core group. */
  readonly group: string;
  /** The version that Isoline reads. */
  readonly version: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Versions with the same schema, for clusters that do not serve `version` and for files; the best first. */
  readonly otherVersions?: readonly string[];
}
