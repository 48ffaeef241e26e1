import type { KubeObject } from '../meta.ts';
import type {
  BackendRef,
  CommonRouteSpec,
  HTTPHeaderFilter,
  HTTPHeaderMatch,
  HTTPRequestMirrorFilter,
  LocalObjectReference,
  RouteStatus,
} from './common.ts';

export interface GRPCRoute extends KubeObject {
  readonly kind: 'GRPCRoute';
  readonly spec: GRPCRouteSpec;
  readonly status?: RouteStatus;
}

export interface GRPCRouteSpec extends CommonRouteSpec {
  readonly hostnames?: readonly string[];
  readonly rules?: readonly GRPCRouteRule[];
}

export interface GRPCRouteRule {
  readonly name?: string;
  /** Any of them; none: every call. */
  readonly matches?: readonly GRPCRouteMatch[];
  readonly filters?: readonly GRPCRouteFilter[];
  readonly backendRefs?: readonly GRPCBackendRef[];
}

export interface GRPCRouteMatch {
  readonly method?: GRPCMethodMatch;
  readonly headers?: readonly HTTPHeaderMatch[];
}

/** At least one of service and method. */
export interface GRPCMethodMatch {
  /** Default `Exact`. */
  readonly type?: 'Exact' | 'RegularExpression';
  readonly service?: string;
  readonly method?: string;
}

export interface GRPCBackendRef extends BackendRef {
  readonly filters?: readonly GRPCRouteFilter[];
}

/** `type` says which of the other fields is set. */
export interface GRPCRouteFilter {
  readonly type: 'RequestHeaderModifier' | 'ResponseHeaderModifier' | 'RequestMirror' | 'ExtensionRef';
  readonly requestHeaderModifier?: HTTPHeaderFilter;
  readonly responseHeaderModifier?: HTTPHeaderFilter;
  readonly requestMirror?: HTTPRequestMirrorFilter;
  readonly extensionRef?: LocalObjectReference;
}
