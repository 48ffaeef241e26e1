import type { HTTPProxyRoute, MatchCondition } from '../../../apis/projectcontour/v1/httpproxy.ts';
import type { RootBuild, Visit } from './build.ts';

/** One route of one proxy, as one chain of includes reaches it. */
export interface RouteContext {
  readonly build: RootBuild;
  readonly visit: Visit;
  readonly route: HTTPProxyRoute;
  /** Such as `spec.routes[2]`. */
  readonly path: string;
  /** Conditions of the includes on the way. */
  readonly inherited: readonly MatchCondition[];
}
