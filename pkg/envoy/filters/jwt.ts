import type { JwtProvider as DagProvider, JwtVerification, RouteJwt } from '../../dag/model/jwt.ts';
import { JwtAuthentication, PerRouteConfig } from '../../envoy-api/envoy/extensions/filters/http/jwt_authn/v3/config.ts';
import type { HttpFilter } from '../../envoy-api/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.ts';
import type { Any } from '../../envoy-api/google/protobuf/any.ts';
import { clusterName } from '../cluster/cluster-name.ts';
import { duration, packed } from '../protobuf.ts';
import { httpFilter } from './http-filter.ts';

export const jwtName = 'envoy.filters.http.jwt_authn';

type Provider = NonNullable<NonNullable<Parameters<typeof JwtAuthentication.fromPartial>[0]['providers']>[string]>;

/** Checks the tokens of requests on routes that ask for it by the name of a provider. */
export function jwtAuthentication({ providers }: JwtVerification): HttpFilter {
  const config = JwtAuthentication.fromPartial({
    providers: Object.fromEntries(providers.map((provider) => [provider.name, providerOf(provider)])),
    requirementMap: Object.fromEntries(
      providers.map(({ name }) => [name, { requiresType: { $case: 'providerName' as const, value: name } }]),
    ),
  });
  return httpFilter(jwtName, packed(JwtAuthentication, config));
}

function providerOf({ issuer, audiences, forward, keys }: DagProvider): Provider {
  return { issuer, audiences: [...audiences], forward, jwksSourceSpecifier: keySource(keys) };
}

function keySource(keys: DagProvider['keys']): NonNullable<Provider['jwksSourceSpecifier']> {
  if (keys.type === 'local') {
    return { $case: 'localJwks', value: { specifier: { $case: 'inlineString', value: keys.keys } } };
  }
  return {
    $case: 'remoteJwks',
    value: {
      httpUri: {
        uri: keys.uri,
        httpUpstreamType: { $case: 'cluster', value: clusterName(keys.cluster) },
        timeout: duration(keys.timeoutMs),
      },
      ...(keys.cacheDurationMs !== undefined && { cacheDuration: duration(keys.cacheDurationMs) }),
    },
  };
}

/** What a route has to say to the filter; without it no token is asked for. */
export function jwtPerRoute(jwt: RouteJwt | undefined): Any | undefined {
  if (jwt === undefined) return undefined;
  return packed(PerRouteConfig, PerRouteConfig.fromPartial({ requirementSpecifier: { $case: 'requirementName', value: jwt.provider } }));
}
