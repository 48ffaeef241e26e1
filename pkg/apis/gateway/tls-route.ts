import type { KubeObject } from '../meta.ts';
import type { BackendRef, CommonRouteSpec, RouteStatus } from './common.ts';

export interface TLSRoute extends KubeObject {
  readonly kind: 'TLSRoute';
  readonly spec: TLSRouteSpec;
  readonly status?: RouteStatus;
}

export interface TLSRouteSpec extends CommonRouteSpec {
  /** Matched against the SNI. At least one. */
  readonly hostnames: readonly string[];
  /** Exactly one. */
  readonly rules: readonly TLSRouteRule[];
}

export interface TLSRouteRule {
  readonly name?: string;
  /** 1 to 16. */
  readonly backendRefs: readonly BackendRef[];
}
