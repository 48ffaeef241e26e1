import type { RateLimitDescriptor, RateLimitEntry, RateLimitService, RouteRateLimit } from '../../dag/model/guards.ts';
import { ApiVersion } from '../../envoy-api/envoy/config/core/v3/config_source.ts';
import { type RateLimit_Action, RateLimit as RateLimits } from '../../envoy-api/envoy/config/route/v3/route_components.ts';
import {
  RateLimit,
  RateLimit_XRateLimitHeadersRFCVersion,
  RateLimitPerRoute,
  RateLimitPerRoute_VhRateLimitsOptions,
} from '../../envoy-api/envoy/extensions/filters/http/ratelimit/v3/rate_limit.ts';
import type { HttpFilter } from '../../envoy-api/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.ts';
import type { Any } from '../../envoy-api/google/protobuf/any.ts';
import { packed, timeout } from '../protobuf.ts';
import { headerMatcher } from '../route/match.ts';
import { extensionGrpcService } from './extension-target.ts';
import { httpFilter } from './http-filter.ts';

export const rateLimitName = 'envoy.filters.http.ratelimit';

/** Asks the rate limit service about requests with descriptors (reference §8.12). */
export function rateLimit(service: RateLimitService): HttpFilter {
  const { DRAFT_VERSION_03, OFF } = RateLimit_XRateLimitHeadersRFCVersion;
  const limit = timeout(service.target.timeoutMs);
  const config = RateLimit.fromPartial({
    domain: service.domain,
    ...(limit !== undefined && { timeout: limit }),
    failureModeDeny: !service.failOpen,
    enableXRatelimitHeaders: service.enableXRateLimitHeaders ? DRAFT_VERSION_03 : OFF,
    rateLimitedAsResourceExhausted: service.enableResourceExhaustedCode,
    rateLimitService: { grpcService: extensionGrpcService(service.target), transportApiVersion: ApiVersion.V3 },
  });
  return httpFilter(rateLimitName, packed(RateLimit, config));
}

/** What the service is asked for a virtual host or route. */
export function rateLimits(descriptors: readonly RateLimitDescriptor[]): RateLimits[] {
  return descriptors.map(({ entries }) => RateLimits.fromPartial({ actions: entries.map(action) }));
}

/** What a route has to say to the filter; `undefined`: nothing. Without it, the limits of a route stand in for those of its virtual host. */
export function rateLimitPerRoute(limit: RouteRateLimit | undefined): Any | undefined {
  if (limit === undefined) return undefined;
  const { IGNORE, INCLUDE } = RateLimitPerRoute_VhRateLimitsOptions;
  return packed(RateLimitPerRoute, RateLimitPerRoute.fromPartial({ vhRateLimits: limit.ignoreHost ? IGNORE : INCLUDE }));
}

type Action = Parameters<typeof RateLimit_Action.fromPartial>[0];

function action(entry: RateLimitEntry): Action {
  switch (entry.type) {
    case 'generic-key':
      return { actionSpecifier: { $case: 'genericKey', value: { descriptorKey: entry.key, descriptorValue: entry.value } } };
    case 'request-header':
      return { actionSpecifier: { $case: 'requestHeaders', value: { headerName: entry.header, descriptorKey: entry.key } } };
    case 'remote-address':
      return { actionSpecifier: { $case: 'remoteAddress', value: {} } };
    case 'header-match':
      return {
        actionSpecifier: {
          $case: 'headerValueMatch',
          value: { descriptorValue: entry.value, expectMatch: entry.expectMatch, headers: entry.headers.map(headerMatcher) },
        },
      };
  }
}
