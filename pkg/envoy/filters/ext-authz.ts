import type { HeaderNameMatch } from '../../config/config.ts';
import type { ExternalAuthorization, RouteAuthorization } from '../../dag/model/guards.ts';
import { ApiVersion } from '../../envoy-api/envoy/config/core/v3/config_source.ts';
import { ExtAuthz, ExtAuthzPerRoute } from '../../envoy-api/envoy/extensions/filters/http/ext_authz/v3/ext_authz.ts';
import type { HttpFilter } from '../../envoy-api/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.ts';
import { ListStringMatcher } from '../../envoy-api/envoy/type/matcher/v3/string.ts';
import type { Any } from '../../envoy-api/google/protobuf/any.ts';
import { extensionClusterName } from '../names.ts';
import { duration, packed, timeout } from '../protobuf.ts';
import { extensionGrpcService } from './extension-target.ts';
import { httpFilter } from './http-filter.ts';

export const extAuthzName = 'envoy.filters.http.ext_authz';

type Fields = Parameters<typeof ExtAuthz.fromPartial>[0];

/** Asks an authorization server about each request (reference §8.12). */
export function extAuthz(authorization: ExternalAuthorization): HttpFilter {
  const { failOpen, requestBody } = authorization;
  const config = ExtAuthz.fromPartial({
    ...servicesOf(authorization),
    transportApiVersion: ApiVersion.V3,
    failureModeAllow: failOpen,
    // Headers that the server sets may decide which route a request takes.
    clearRouteCache: true,
    statusOnError: { code: 403 },
    includePeerCertificate: true,
    ...(requestBody !== undefined && { withRequestBody: { ...requestBody } }),
  });
  return httpFilter(extAuthzName, packed(ExtAuthz, config));
}

function servicesOf({ serviceType, target, http }: ExternalAuthorization): Fields {
  if (serviceType === 'grpc') return { services: { $case: 'grpcService', value: extensionGrpcService(target) } };
  const { pathPrefix = '', allowedAuthorizationHeaders = [], allowedUpstreamHeaders = [] } = http ?? {};
  return {
    services: {
      $case: 'httpService',
      value: {
        serverUri: {
          // Only the cluster counts, and the host that the server sees.
          uri: `http://${target.sni ?? extensionClusterName(target).replaceAll('/', '.')}`,
          httpUpstreamType: { $case: 'cluster', value: extensionClusterName(target) },
          timeout: timeout(target.timeoutMs) ?? duration(0),
        },
        pathPrefix,
        ...(allowedUpstreamHeaders.length > 0 && { authorizationResponse: { allowedUpstreamHeaders: matchers(allowedUpstreamHeaders) } }),
      },
    },
    ...(allowedAuthorizationHeaders.length > 0 && { allowedHeaders: matchers(allowedAuthorizationHeaders) }),
  };
}

function matchers(rules: readonly HeaderNameMatch[]): ListStringMatcher {
  return ListStringMatcher.fromPartial({
    patterns: rules.map(({ exact, prefix, suffix, contains, ignoreCase = false }) => ({
      matchPattern: pattern({ exact, prefix, suffix, contains }),
      ignoreCase,
    })),
  });
}

function pattern({
  exact,
  prefix,
  suffix,
  contains,
}: { readonly [operator in 'exact' | 'prefix' | 'suffix' | 'contains']: string | undefined }) {
  if (exact) return { $case: 'exact' as const, value: exact };
  if (prefix) return { $case: 'prefix' as const, value: prefix };
  if (suffix) return { $case: 'suffix' as const, value: suffix };
  return { $case: 'contains' as const, value: contains ?? '' };
}

/** What a route has to say to the filter; `undefined`: nothing. A redirect to https is nobody's business but the client's. */
export function extAuthzPerRoute(authorization: RouteAuthorization | undefined, httpsRedirect: boolean): Any | undefined {
  if (authorization === undefined) return undefined;
  if (httpsRedirect || authorization.type === 'disabled') return disabled;
  if (Object.keys(authorization.context).length === 0) return undefined;
  const checkSettings = { contextExtensions: { ...authorization.context } };
  return packed(ExtAuthzPerRoute, ExtAuthzPerRoute.fromPartial({ override: { $case: 'checkSettings', value: checkSettings } }));
}

const disabled = packed(ExtAuthzPerRoute, ExtAuthzPerRoute.fromPartial({ override: { $case: 'disabled', value: true } }));
