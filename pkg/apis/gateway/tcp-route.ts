import type { KubeObject } from '../meta.ts';
import type { BackendRef, CommonRouteSpec, RouteStatus } from './common.ts';

export interface TCPRoute extends KubeObject {
  readonly kind: 'TCPRoute';
  readonly spec: TCPRouteSpec;
  readonly status?: RouteStatus;
}

export interface TCPRouteSpec extends CommonRouteSpec {
  /** Exactly one. */
  readonly rules: readonly TCPRouteRule[];
}

export interface TCPRouteRule {
  readonly name?: string;
  /** 1 to 16. */
  readonly backendRefs: readonly BackendRef[];
}
