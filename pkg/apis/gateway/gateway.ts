import type { KubeObject } from '../meta.ts';
import type { Condition, LabelSelector, LocalObjectReference, ObjectReference, SecretObjectReference } from './common.ts';

export interface Gateway extends KubeObject {
  readonly kind: 'Gateway';
  readonly spec: GatewaySpec;
  readonly status?: GatewayStatus;
}

export interface GatewaySpec {
  readonly gatewayClassName: string;
  /** 1 to 64, names unique. */
  readonly listeners: readonly GatewayListener[];
  readonly addresses?: readonly GatewayAddress[];
  readonly infrastructure?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly parametersRef?: LocalObjectReference;
  };
  /** Which ListenerSets may attach. Default: none. */
  readonly allowedListeners?: {
    readonly namespaces?: { readonly from?: 'All' | 'Selector' | 'Same' | 'None'; readonly selector?: LabelSelector };
  };
  readonly tls?: GatewayTLSConfig;
}

export interface GatewayListener {
  readonly name: string;
  readonly port: number;
  /** `HTTP`, `HTTPS`, `TLS`, `TCP`, `UDP`, or a vendor's own. */
  readonly protocol: string;
  readonly hostname?: string;
  readonly tls?: ListenerTLSConfig;
  readonly allowedRoutes?: AllowedRoutes;
}

export interface ListenerTLSConfig {
  /** Default `Terminate`. */
  readonly mode?: 'Terminate' | 'Passthrough';
  readonly certificateRefs?: readonly SecretObjectReference[];
  readonly options?: Readonly<Record<string, string>>;
}

export interface AllowedRoutes {
  /** Default `{ from: Same }`. */
  readonly namespaces?: { readonly from?: 'All' | 'Selector' | 'Same'; readonly selector?: LabelSelector };
  readonly kinds?: readonly RouteGroupKind[];
}

export interface RouteGroupKind {
  /** Default `gateway.networking.k8s.io`. */
  readonly group?: string;
  readonly kind: string;
}

export interface GatewayAddress {
  /** Default `IPAddress`. */
  readonly type?: string;
  readonly value?: string;
}

/** TLS settings of the whole Gateway. */
export interface GatewayTLSConfig {
  readonly backend?: { readonly clientCertificateRef?: SecretObjectReference };
  readonly frontend?: {
    readonly default: FrontendTLSConfig;
    readonly perPort?: readonly { readonly port: number; readonly tls: FrontendTLSConfig }[];
  };
}

/** Validation of client certificates. */
export interface FrontendTLSConfig {
  readonly validation?: {
    readonly caCertificateRefs: readonly ObjectReference[];
    /** Default `AllowValidOnly`. */
    readonly mode?: 'AllowValidOnly' | 'AllowInsecureFallback';
  };
}

export interface GatewayStatus {
  readonly addresses?: readonly { readonly type?: string; readonly value: string }[];
  readonly conditions?: readonly Condition[];
  readonly listeners?: readonly ListenerStatusEntry[];
  readonly attachedListenerSets?: number;
}

/** The status of one listener. */
export interface ListenerStatusEntry {
  readonly name: string;
  readonly supportedKinds?: readonly RouteGroupKind[];
  readonly attachedRoutes: number;
  readonly conditions: readonly Condition[];
}
