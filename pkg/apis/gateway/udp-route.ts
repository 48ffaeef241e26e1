import type { KubeObject } from '../meta.ts';
import type { BackendRef, CommonRouteSpec, RouteStatus } from './common.ts';

export interface UDPRoute extends KubeObject {
  readonly kind: 'UDPRoute';
  readonly spec: UDPRouteSpec;
  readonly status?: RouteStatus;
}

export interface UDPRouteSpec extends CommonRouteSpec {
  /** Exactly one. */
  readonly rules: readonly UDPRouteRule[];
}

export interface UDPRouteRule {
  readonly name?: string;
  /** 1 to 16. */
  readonly backendRefs: readonly BackendRef[];
}
