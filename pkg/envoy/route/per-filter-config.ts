import type { WeightedCluster } from '../../dag/model/cluster.ts';
import type { Route } from '../../dag/model/route.ts';
import type { VirtualHost } from '../../dag/model/virtual-host.ts';
import type { Any } from '../../envoy-api/google/protobuf/any.ts';
import { cookieRewriteName, cookieRewritePerRoute } from '../filters/cookie-rewrite.ts';
import { cors, corsName } from '../filters/cors.ts';
import { extAuthzName, extAuthzPerRoute } from '../filters/ext-authz.ts';
import { jwtName, jwtPerRoute } from '../filters/jwt.ts';
import { localRateLimit, localRateLimitName } from '../filters/local-rate-limit.ts';
import { rateLimitName, rateLimitPerRoute } from '../filters/rate-limit.ts';
import { rbacName, rbacPerRoute } from '../filters/rbac.ts';

type PerFilterConfig = Readonly<Record<string, Any>>;

/**
 * What a route has to say to HTTP filters, by their names. A redirect to https takes no tokens, and says nothing of others; who may see it is
 * decided as for the route itself.
 */
export function perFilterConfig(route: Route, host: string): PerFilterConfig {
  const { authorization, httpsRedirect, action } = route;
  const cookies = action.type === 'forward' ? action.forward?.cookieRewrites : undefined;
  return named([
    [extAuthzName, extAuthzPerRoute(authorization, httpsRedirect)],
    [jwtName, httpsRedirect ? undefined : jwtPerRoute(route.jwt)],
    [localRateLimitName, httpsRedirect ? undefined : localRateLimit(route.localRateLimit, host)],
    [cookieRewriteName, httpsRedirect ? undefined : cookieRewritePerRoute(cookies)],
    [rateLimitName, rateLimitPerRoute(route.globalRateLimit)],
    [rbacName, rbacPerRoute(route.ipFilter)],
  ]);
}

/** What a virtual host has to say to HTTP filters; its routes may say otherwise. */
export function hostFilterConfig({ host, cors: policy, localRateLimit: limit, ipFilter }: VirtualHost): PerFilterConfig {
  return named([
    [corsName, cors(policy)],
    [localRateLimitName, localRateLimit(limit, host)],
    [rbacName, rbacPerRoute(ipFilter)],
  ]);
}

/** What one cluster of a route has to say to HTTP filters. */
export function clusterFilterConfig({ cookieRewrites }: WeightedCluster): PerFilterConfig {
  return named([[cookieRewriteName, cookieRewritePerRoute(cookieRewrites)]]);
}

/** In order of the names: equal settings give equal bytes. */
function named(entries: readonly (readonly [string, Any | undefined])[]): PerFilterConfig {
  return Object.fromEntries(entries.filter((entry): entry is [string, Any] => entry[1] !== undefined).sort(([a], [b]) => (a < b ? -1 : 1)));
}
