import type { LoadBalancerStatus } from '../../core/v1/load-balancer-status.ts';
import type { KubeObject } from '../../meta.ts';

export interface Ingress extends KubeObject {
  readonly kind: 'Ingress';
  readonly spec: IngressSpec;
  readonly status?: { readonly loadBalancer?: LoadBalancerStatus };
}

export interface IngressSpec {
  readonly ingressClassName?: string;
  readonly defaultBackend?: IngressBackend;
  readonly tls?: readonly IngressTLS[];
  readonly rules?: readonly IngressRule[];
}

export interface IngressTLS {
  readonly hosts?: readonly string[];
  readonly secretName?: string;
}

export interface IngressRule {
  /** Absent: every host. */
  readonly host?: string;
  /** Absent: everything goes to the default backend. */
  readonly http?: { readonly paths: readonly IngressPath[] };
}

export interface IngressPath {
  readonly path?: string;
  readonly pathType: 'Exact' | 'Prefix' | 'ImplementationSpecific';
  readonly backend: IngressBackend;
}

/** Exactly one of the two. */
export interface IngressBackend {
  readonly service?: {
    readonly name: string;
    /** Exactly one of the two. */
    readonly port?: { readonly number?: number; readonly name?: string };
  };
  readonly resource?: { readonly apiGroup?: string; readonly kind: string; readonly name: string };
}
