import type { Config } from '../../config/config.ts';
import type { Listener } from '../../dag/model/listener.ts';
import type { ChainGuards } from '../../dag/model/virtual-host.ts';
import { Cors } from '../../envoy-api/envoy/extensions/filters/http/cors/v3/cors.ts';
import { FilterConfig as GrpcStats } from '../../envoy-api/envoy/extensions/filters/http/grpc_stats/v3/config.ts';
import { GrpcWeb } from '../../envoy-api/envoy/extensions/filters/http/grpc_web/v3/grpc_web.ts';
import { LocalRateLimit } from '../../envoy-api/envoy/extensions/filters/http/local_ratelimit/v3/local_rate_limit.ts';
import { RBAC } from '../../envoy-api/envoy/extensions/filters/http/rbac/v3/rbac.ts';
import { Router } from '../../envoy-api/envoy/extensions/filters/http/router/v3/router.ts';
import type { HttpFilter } from '../../envoy-api/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.ts';
import { packed } from '../protobuf.ts';
import { compressor } from './compressor.ts';
import { corsName } from './cors.ts';
import { extAuthz } from './ext-authz.ts';
import { httpFilter } from './http-filter.ts';
import { jwtAuthentication } from './jwt.ts';
import { localRateLimitName } from './local-rate-limit.ts';
import { rateLimit } from './rate-limit.ts';
import { rbacName } from './rbac.ts';
import { type ScopedManager, scopeFallback } from './scope-filters.ts';

/** What decides which HTTP filters a connection manager has. */
export interface FilterSettings {
  readonly config: Config;
  /** Its guards hold for every host on it. */
  readonly listener: Listener;
  /** Those of the one host whose own chain it is; absent for hosts that share one. */
  readonly guards: ChainGuards | undefined;
  /** Set where routes are found by scope. */
  readonly scoped: ScopedManager | undefined;
}

/** An entry gives its filters for the settings; none where it has no part in them. */
type FilterEntry = (settings: FilterSettings) => readonly HttpFilter[];

const always =
  (filter: HttpFilter): FilterEntry =>
  () => [filter];

/**
 * All HTTP filters in the order in which requests meet them (reference §8.2). Some do nothing until a route or virtual host configures
 * them, and stand here so that a later edit of a route does not change the listener. Routes are settled first, and the router is last.
 */
const filterOrder: readonly FilterEntry[] = [
  ({ scoped }) => (scoped === undefined ? [] : scopeFallback(scoped)),
  ({ config }) => (config.listener.compression === 'disabled' ? [] : [compressor(config.listener.compression)]),
  always(httpFilter('envoy.filters.http.grpc_web', packed(GrpcWeb, GrpcWeb.fromPartial({})))),
  always(
    httpFilter(
      'envoy.filters.http.grpc_stats',
      packed(GrpcStats, GrpcStats.fromPartial({ emitFilterState: true, enableUpstreamStats: true })),
    ),
  ),
  always(httpFilter(corsName, packed(Cors, Cors.fromPartial({})))),
  always(httpFilter(localRateLimitName, packed(LocalRateLimit, LocalRateLimit.fromPartial({ statPrefix: 'http' })))),
  always(httpFilter(rbacName, packed(RBAC, RBAC.fromPartial({})))),
  ({ guards }) => (guards?.jwt === undefined ? [] : [jwtAuthentication(guards.jwt)]),
  authorizationFilter,
  ({ listener }) => (listener.guards?.rateLimit === undefined ? [] : [rateLimit(listener.guards.rateLimit)]),
  always(httpFilter('envoy.filters.http.router', packed(Router, Router.fromPartial({})))),
];

/** The HTTP filters of a connection manager, in order. */
export function httpFilters(settings: FilterSettings): readonly HttpFilter[] {
  return filterOrder.flatMap((entry) => entry(settings));
}

/** The server of the host itself, else that of the listener. */
function authorizationFilter({ listener, guards }: FilterSettings): readonly HttpFilter[] {
  const authorization = guards?.authorization ?? listener.guards?.authorization;
  return authorization === undefined ? [] : [extAuthz(authorization)];
}
