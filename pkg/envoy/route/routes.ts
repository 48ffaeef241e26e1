import type { Route as DagRoute, RouteAction } from '../../dag/model/route.ts';
import { HeaderMatcher, Route, RouteMatch } from '../../envoy-api/envoy/config/route/v3/route_components.ts';
import { rateLimits } from '../filters/rate-limit.ts';
import { routeMetadata } from '../origin-metadata.ts';
import { evenedWeights, forwardAction } from './forward.ts';
import { fractionOfMillion } from './fraction.ts';
import { headerMutations } from './headers.ts';
import { routeMatch } from './match.ts';
import { perFilterConfig } from './per-filter-config.ts';
import { httpsRedirect, redirectAction } from './redirect.ts';
import { scopeHeader } from './scopes.ts';

/**
 * The routes that Envoy needs for one route of the DAG, in order; mostly one. The first that applies of: the redirect to https, a direct
 * response, a redirect, forwarding (reference §8.5).
 */
export function routes(route: DagRoute, host: string): readonly Route[] {
  if (route.httpsRedirect) return httpsRedirectRoutes(route, host);
  switch (route.action.type) {
    case 'redirect':
      return [routeOf(route, host, { action: { $case: 'redirect', value: redirectAction(route.action.redirect) } })];
    case 'direct-response':
      return [routeOf(route, host, directResponse(route.action.status, route.action.body))];
    case 'forward':
      return forwardRoutes(route, route.action, host);
  }
}

type RouteFields = Parameters<typeof Route.fromPartial>[0];

function routeOf(route: DagRoute, host: string, fields: RouteFields): Route {
  return Route.fromPartial({
    match: routeMatch(route.match),
    metadata: routeMetadata(route.origin),
    typedPerFilterConfig: perFilterConfig(route, host),
    ...fields,
  });
}

function directResponse(status: number, body: string | undefined): RouteFields {
  const text = body !== undefined && body !== '' && { body: { specifier: { $case: 'inlineString' as const, value: body } } };
  return { action: { $case: 'directResponse', value: { status, ...text } } };
}

function httpsRedirectRoutes(route: DagRoute, host: string): readonly Route[] {
  const to = (target: Parameters<typeof httpsRedirect>[0]): RouteFields => ({
    action: { $case: 'redirect', value: httpsRedirect(target) },
  });
  if (!host.startsWith('*')) return [routeOf(route, host, to({ host }))];

  const match = routeMatch(route.match);
  const withPort = RouteMatch.fromPartial({ ...match, headers: [...match.headers, namesPort] });
  return [routeOf(route, host, { match: withPort, ...to('same-host-on-443') }), routeOf(route, host, to('same-host'))];
}

/** Matches a request whose Host names a port. */
const namesPort = HeaderMatcher.fromPartial({
  name: ':authority',
  headerMatchSpecifier: { $case: 'stringMatch', value: { matchPattern: { $case: 'safeRegex', value: { regex: '.*:[0-9]+' } } } },
});

type Forward = Extract<RouteAction, { type: 'forward' }>;

function forwardRoutes(route: DagRoute, { clusters, forward, errorWeight = 0 }: Forward, host: string): readonly Route[] {
  const action = forwardAction({ clusters, forward, requestHeaders: route.requestHeaders });
  const headers = headerMutations(route.requestHeaders, route.responseHeaders);
  const forwarding = routeOf(route, host, {
    action: { $case: 'route', value: { ...action, rateLimits: rateLimits(route.globalRateLimit?.descriptors ?? []) } },
    ...headers,
    // The scope of a redirect that was not followed.
    ...(forward?.internalRedirect && { responseHeadersToRemove: [...headers.responseHeadersToRemove, scopeHeader] }),
  });
  if (errorWeight === 0) return [forwarding];

  const total = evenedWeights(clusters).reduce((sum, { weight }) => sum + weight, errorWeight);
  const failing = RouteMatch.fromPartial({
    ...routeMatch(route.match),
    runtimeFraction: { defaultValue: fractionOfMillion(errorWeight / total) },
  });
  return [routeOf(route, host, { match: failing, ...directResponse(500, undefined) }), forwarding];
}
