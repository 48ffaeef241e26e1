import type { SecretNode } from '../../dag/model/cluster.ts';
import type { TlsTermination, VirtualHost } from '../../dag/model/virtual-host.ts';
import { FilterChain } from '../../envoy-api/envoy/config/listener/v3/listener_components.ts';
import { originsMetadata } from '../origin-metadata.ts';
import { higherVersion } from '../tls-parameters.ts';
import { isGuarded } from './chain-group.ts';
import { downstreamTlsSocket, httpAlpn } from './downstream-tls.ts';
import { type ChainSettings, everyName } from './filter-chain.ts';
import { httpConnectionManager } from './http-connection-manager.ts';

/** The RouteConfiguration of the hosts that are served with the fallback certificate (reference §7.5). */
export function fallbackRouteName(listener: string): string {
  return listener === 'ingress_https' ? 'ingress_fallbackcert' : `${listener}/fallbackcert`;
}

/**
 * The fallback certificate of a host that may be served without its server name. The chain has none of what guards a host, so a host that
 * is guarded is never in it, whatever object asks for it.
 */
export function fallbackOf(host: VirtualHost): SecretNode | undefined {
  const { tls, tcpProxy } = host;
  if (tls?.type !== 'terminate' || tcpProxy !== undefined || isGuarded(host)) return undefined;
  return tls.fallback;
}

/**
 * The chain for clients whose server name is that of no host, or who give none (reference §8.3). `hosts` have a fallback certificate, and are
 * in order; one at least. TLS is as new as the host that wants it newest has it.
 */
export function fallbackFilterChain(settings: ChainSettings, hosts: readonly VirtualHost[]): FilterChain {
  const { listener, config, source } = settings;
  const tls = fallbackTls(hosts, config.listener.tls);
  const routes = { type: 'named', name: fallbackRouteName(listener.name) } as const;
  return FilterChain.fromPartial({
    name: 'fallback-certificate',
    filterChainMatch: everyName,
    filters: [httpConnectionManager({ listener, routes, config, source })],
    transportSocket: downstreamTlsSocket(tls, httpAlpn(config.listener), config.listener, source),
    metadata: originsMetadata(tls.secrets.map(({ origin }) => origin)),
  });
}

type Bounds = Pick<TlsTermination, 'minVersion' | 'maxVersion'>;

function fallbackTls(hosts: readonly VirtualHost[], { minVersion, maxVersion }: Bounds): TlsTermination {
  const terminations = hosts.flatMap(({ tls }) => (tls?.type === 'terminate' ? [tls] : []));
  // There is one in the configuration, so all hosts have the same.
  const secrets = hosts.flatMap((host) => fallbackOf(host) ?? []).slice(0, 1);
  const newest = terminations.reduce((version, tls) => higherVersion(version, tls.minVersion), minVersion);
  return { type: 'terminate', secrets, minVersion: newest, maxVersion };
}

/** What of the hosts the chain depends on. */
export function fallbackContent(hosts: readonly VirtualHost[], bounds: Bounds): string {
  const { secrets, minVersion } = fallbackTls(hosts, bounds);
  return JSON.stringify([secrets.map(({ namespace, name, origin }) => [namespace, name, origin]), minVersion]);
}
