import type { VirtualHost as DagVirtualHost } from '../../dag/model/virtual-host.ts';
import { VirtualHost } from '../../envoy-api/envoy/config/route/v3/route_components.ts';
import { rateLimits } from '../filters/rate-limit.ts';
import { virtualHostName } from '../names.ts';
import { originsMetadata } from '../origin-metadata.ts';
import { hostFilterConfig } from './per-filter-config.ts';
import { routes } from './routes.ts';

/** The virtual host of a host, which is its only domain: no `www.` and no ports are added (reference §8.5). */
export function virtualHost(host: DagVirtualHost): VirtualHost {
  return VirtualHost.fromPartial({
    name: virtualHostName(host.host),
    domains: [host.host],
    routes: host.routes.flatMap((route) => routes(route, host.host)),
    ...(host.globalRateLimit !== undefined && { rateLimits: rateLimits(host.globalRateLimit.descriptors) }),
    typedPerFilterConfig: hostFilterConfig(host),
    metadata: originsMetadata(host.origins),
  });
}

/** The name of the virtual host that `misdirectedVirtualHost` gives. */
export const misdirectedName = 'misdirected';

/**
 * Answers 421 on a TLS filter chain to the hosts of other chains, so that no request is served by rules, or behind a client
 * validation, of a name that its connection was not opened for (RFC 9110 §15.5.20).
 */
export function misdirectedVirtualHost(domains: readonly string[]): VirtualHost {
  return VirtualHost.fromPartial({
    name: misdirectedName,
    domains: [...domains],
    routes: [
      {
        match: { pathSpecifier: { $case: 'prefix', value: '/' } },
        action: {
          $case: 'directResponse',
          value: {
            status: 421,
            body: { specifier: { $case: 'inlineString', value: 'this connection does not serve the requested host\n' } },
          },
        },
      },
    ],
  });
}
