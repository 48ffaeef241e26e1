import type { Config } from '../../config/config.ts';
import type { Listener } from '../../dag/model/listener.ts';
import type { Origin } from '../../dag/model/origin.ts';
import type { TcpProxy, VirtualHost } from '../../dag/model/virtual-host.ts';
import { FilterChain } from '../../envoy-api/envoy/config/listener/v3/listener_components.ts';
import type { SourceKind } from '../config-source.ts';
import { secureRouteName } from '../names.ts';
import { originMetadata, originsMetadata } from '../origin-metadata.ts';
import { isExactHost, ownScope, restScope } from '../route/scopes.ts';
import type { ChainMembers } from './certificate-choice.ts';
import { downstreamTlsSocket, httpAlpn } from './downstream-tls.ts';
import { httpConnectionManager, type RouteSource } from './http-connection-manager.ts';
import { onDemandTlsSocket } from './on-demand.ts';
import { tcpProxyFilter } from './tcp-proxy.ts';

/** What all filter chains of a listener are made from. */
export interface ChainSettings {
  readonly listener: Listener;
  readonly config: Config;
  readonly source: SourceKind;
}

/** The one chain of a plaintext listener. Without an aggregated stream there are no scopes: all hosts are in one table. */
export function plainFilterChain({ listener, config, source }: ChainSettings): FilterChain {
  const routes = source === 'ads' ? ({ type: 'scoped', rest: restScope } as const) : ({ type: 'named', name: listener.name } as const);
  return FilterChain.fromPartial({ filters: [httpConnectionManager({ listener, routes, config, source })] });
}

/** The one chain of a listener that passes bytes on. */
export function tcpFilterChain({ listener, config }: ChainSettings, proxy: TcpProxy): FilterChain {
  return FilterChain.fromPartial({ filters: [tcpProxyFilter(listener, proxy, config)], metadata: originMetadata(proxy.origin) });
}

/**
 * The chain of a host behind TLS that shares none; `*` takes every handshake that no other chain takes. Nothing in it depends on the host's
 * routes, so their edits drain no connection.
 */
export function ownFilterChain(settings: ChainSettings, host: VirtualHost): FilterChain {
  const { listener, config, source } = settings;
  const { tls, tcpProxy } = host;
  const alpn = tcpProxy ? [] : httpAlpn(config.listener);
  const routes = ownRoutes(settings, host.host);
  const origin = chainOrigin(host);
  const clientCertificate = tls?.type === 'terminate' ? tls.clientValidation?.forward : undefined;
  const http = { listener, routes, config, source, clientCertificate, guards: host };
  return FilterChain.fromPartial({
    filterChainMatch: host.host === '*' ? everyName : { serverNames: [host.host] },
    filters: [tcpProxy ? tcpProxyFilter(listener, tcpProxy, config) : httpConnectionManager(http)],
    ...(tls?.type === 'terminate' && { transportSocket: downstreamTlsSocket(tls, alpn, config.listener, source) }),
    ...(origin && { metadata: originMetadata(origin) }),
  });
}

/** The chain of hosts that share one. Only proxies with an aggregated stream have such chains. */
export function sharedFilterChain({ listener, config, source }: ChainSettings, { hosts, secrets }: ChainMembers): FilterChain {
  const names = hosts.map(({ host }) => host);
  const { minVersion, maxVersion } = config.listener.tls;
  const tls = { type: 'terminate', secrets, minVersion, maxVersion } as const;
  const routes = { type: 'scoped', rest: restScope } as const;
  return FilterChain.fromPartial({
    filterChainMatch: names.includes('*') ? everyName : { serverNames: names },
    filters: [httpConnectionManager({ listener, routes, config, source })],
    transportSocket: downstreamTlsSocket(tls, httpAlpn(config.listener), config.listener, source),
    metadata: originsMetadata(secrets.map(({ origin }) => origin)),
  });
}

/** The chain of all hosts whose certificates are fetched by the server name. Nothing in it depends on them. */
export function onDemandFilterChain({ listener, config, source }: ChainSettings): FilterChain {
  const routes = { type: 'scoped', rest: restScope } as const;
  return FilterChain.fromPartial({
    filterChainMatch: everyName,
    filters: [httpConnectionManager({ listener, routes, config, source })],
    transportSocket: onDemandTlsSocket(config.listener, source),
    metadata: originMetadata(listener.origin),
  });
}

/** Matches what no chain with the server name matches, and no server name. */
export const everyName = { transportProtocol: 'tls' } as const;

/** The routes of a host are in a RouteConfiguration of its own. A wildcard needs a scope to compare Host with the server name. */
function ownRoutes({ listener, source }: ChainSettings, host: string): RouteSource {
  if (source === 'ads' && !isExactHost(host)) return { type: 'scoped', rest: ownScope(host) };
  return { type: 'named', name: secureRouteName(listener.name, host) };
}

/** Whether a host has a chain on a listener that tells hosts apart by SNI. */
export function hasSecureChain({ tls, tcpProxy, routes }: VirtualHost): boolean {
  if (tls === undefined) return false;
  return tcpProxy !== undefined || (tls.type === 'terminate' && routes.length > 0);
}

/** The objects that share a host may come and go with its routes; what made the chain is one of these. */
function chainOrigin({ tls, tcpProxy }: VirtualHost): Origin | undefined {
  if (tcpProxy) return tcpProxy.origin;
  return tls?.type === 'terminate' ? tls.secrets[0]?.origin : undefined;
}
