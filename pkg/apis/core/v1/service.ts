import type { KubeObject } from '../../meta.ts';
import type { LoadBalancerStatus } from './load-balancer-status.ts';

export interface Service extends KubeObject {
  readonly kind: 'Service';
  readonly spec: ServiceSpec;
  readonly status?: { readonly loadBalancer?: LoadBalancerStatus };
}

export interface ServiceSpec {
  /** Default `ClusterIP`. */
  readonly type?: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
  readonly ports?: readonly ServicePort[];
  readonly selector?: Readonly<Record<string, string>>;
  /** `None` is a headless Service. */
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  /** For type `ExternalName`: a DNS name. */
  readonly externalName?: string;
  readonly externalIPs?: readonly string[];
  readonly externalTrafficPolicy?: 'Cluster' | 'Local';
  readonly internalTrafficPolicy?: 'Cluster' | 'Local';
  readonly ipFamilies?: readonly ('IPv4' | 'IPv6')[];
  readonly ipFamilyPolicy?: 'SingleStack' | 'PreferDualStack' | 'RequireDualStack';
  readonly loadBalancerIP?: string;
  readonly loadBalancerClass?: string;
  readonly loadBalancerSourceRanges?: readonly string[];
  readonly allocateLoadBalancerNodePorts?: boolean;
  readonly publishNotReadyAddresses?: boolean;
  /** Default `None`. */
  readonly sessionAffinity?: 'None' | 'ClientIP';
  readonly sessionAffinityConfig?: { readonly clientIP?: { readonly timeoutSeconds?: number } };
  readonly healthCheckNodePort?: number;
  readonly trafficDistribution?: string;
}

export interface ServicePort {
  /** Needed where there is more than one port. */
  readonly name?: string;
  /** 1 to 65535. */
  readonly port: number;
  /** Number or name of the pod's port. Default: `port`. */
  readonly targetPort?: number | string;
  readonly nodePort?: number;
  /** Default `TCP`. */
  readonly protocol?: 'TCP' | 'UDP' | 'SCTP';
  /** Such as `kubernetes.io/h2c`. */
  readonly appProtocol?: string;
}
