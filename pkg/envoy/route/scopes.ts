import { ScopedRouteConfiguration } from '../../envoy-api/envoy/config/route/v3/scoped_route.ts';
import { ScopedRoutes_ScopeKeyBuilder } from '../../envoy-api/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.ts';
import { fnv1a } from '../../util/fnv1a.ts';

/**
 * How requests find their RouteConfiguration. SRDS is one collection for all listeners, so a scope's key has the listener in it:
 * `<listener>|<host>`, and behind TLS `<listener>|<server name>|<host>`, so that a Host other than the server name has no scope. Envoy
 * writes the key of a request into a header before anything else and cuts it at the first colon, so that a port in Host is ignored and
 * still reaches the upstream.
 */
export const scopeHeader = 'x-isoline-scope';

/** How many RouteConfigurations the exact hosts of one listener are spread over. */
const shardCount = 256;

/** The hosts that are no exact ones: wildcards and `*`. No host is spelled so: hosts are in lower case. */
export const restScope = 'REST';

/** The requests behind TLS whose Host is not their server name. Envoy puts server names in lower case, so none is spelled so. */
export const misdirectedScope = 'MISDIRECTED';

/** The key, and the name, of a scope. */
export function scopeKey(listener: string, scope: string): string {
  return `${listener}|${scope}`;
}

/** The RouteConfiguration of an exact host: one of 256 of its listener, by a hash of the host. */
export function shardName(listener: string, host: string): string {
  return `${listener}/${(fnv1a(host) % shardCount).toString(16).padStart(2, '0')}`;
}

/** The scope of an exact host behind TLS: its server name and its Host are the same. */
export function secureScope(host: string): string {
  return `${host}|${host}`;
}

/** The scope of a wildcard host with a filter chain of its own. */
export function ownScope(host: string): string {
  return `OWN|${host}`;
}

/** The RouteConfiguration of an exact host that shares its filter chain: as `shardName`, and never the name of that of a host. */
export function secureShardName(listener: string, host: string): string {
  return `${listener}/TLS-${(fnv1a(host) % shardCount).toString(16).padStart(2, '0')}`;
}

/** The RouteConfiguration of wildcard hosts and of `*`. */
export function restRouteName(listener: string): string {
  return `${listener}/${restScope}`;
}

/** The RouteConfiguration that answers 421. */
export function misdirectedRouteName(listener: string): string {
  return `${listener}/${misdirectedScope}`;
}

/**
 * The RouteConfiguration of all hosts, by the name that Contour gives to the only one of a plaintext listener: for proxies without an
 * aggregated stream, which get no scopes.
 */
export function allRouteName(listener: string): string {
  return listener;
}

/** Whether a host is matched by text: neither `*` nor `*.suffix`. */
export function isExactHost(host: string): boolean {
  return !host.startsWith('*');
}

/** A scope: where requests with this key find their routes. */
export function scopedRoute(key: string, routeName: string): ScopedRouteConfiguration {
  return ScopedRouteConfiguration.fromPartial({
    name: key,
    key: { fragments: [{ type: { $case: 'stringKey', value: key } }] },
    routeConfigurationName: routeName,
  });
}

/** Reads the scope from the header, up to the first colon. */
export const scopeKeyBuilder = ScopedRoutes_ScopeKeyBuilder.fromPartial({
  fragments: [
    {
      type: {
        $case: 'headerValueExtractor',
        value: { name: scopeHeader, elementSeparator: ':', extractType: { $case: 'index', value: 0 } },
      },
    },
  ],
});
