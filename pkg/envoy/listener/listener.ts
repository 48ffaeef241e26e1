import type { Config } from '../../config/config.ts';
import type { Listener as DagListener } from '../../dag/model/listener.ts';
import { Listener } from '../../envoy-api/envoy/config/listener/v3/listener.ts';
import { ListenerFilter } from '../../envoy-api/envoy/config/listener/v3/listener_components.ts';
import { ProxyProtocol } from '../../envoy-api/envoy/extensions/filters/listener/proxy_protocol/v3/proxy_protocol.ts';
import { TlsInspector } from '../../envoy-api/envoy/extensions/filters/listener/tls_inspector/v3/tls_inspector.ts';
import type { Any } from '../../envoy-api/google/protobuf/any.ts';
import { socketAddress } from '../addresses.ts';
import { originMetadata } from '../origin-metadata.ts';
import { encode, packed, withMessages } from '../protobuf.ts';
import { socketOptions } from './socket-options.ts';

/** The field number of `filter_chains`. */
const filterChainsField = 3;

/** What a listener has beside its filter chains, in wire form (reference §8.1): `withFilterChains` makes it whole. */
export function listenerHead(listener: DagListener, { listener: config }: Config): Uint8Array {
  const message = Listener.fromPartial({
    name: listener.name,
    address: socketAddress(listener.address, listener.port),
    listenerFilters: [...listenerFilters(listener, config)],
    socketOptions: [...socketOptions(listener.address, config.socketOptions)],
    perConnectionBufferLimitBytes: config.perConnectionBufferLimitBytes,
    maxConnectionsToAcceptPerSocketEvent: config.maxConnectionsToAcceptPerSocketEvent,
    ...(config.connectionBalancer === 'exact' && {
      connectionBalanceConfig: { balanceType: { $case: 'exactBalance', value: {} } },
    }),
    metadata: originMetadata(listener.origin),
  });
  return encode(Listener, message);
}

/** A listener in wire form, joined from filter chains in wire form. */
export function withFilterChains(head: Uint8Array, filterChains: readonly Uint8Array[]): Uint8Array {
  return withMessages(head, filterChainsField, filterChains);
}

/** A listener that passes bytes on looks into none of them, not even for the PROXY protocol. */
function listenerFilters(listener: DagListener, config: Config['listener']): readonly ListenerFilter[] {
  if (listener.protocol === 'tcp') return [];
  const filters: ListenerFilter[] = [];
  if (config.useProxyProtocol) {
    filters.push(listenerFilter('envoy.filters.listener.proxy_protocol', packed(ProxyProtocol, ProxyProtocol.fromPartial({}))));
  }
  if (listener.protocol === 'https') {
    const inspector = TlsInspector.fromPartial({
      ...(config.tls.ja3 && { enableJa3Fingerprinting: true }),
      ...(config.tls.ja4 && { enableJa4Fingerprinting: true }),
    });
    filters.push(listenerFilter('envoy.filters.listener.tls_inspector', packed(TlsInspector, inspector)));
  }
  return filters;
}

function listenerFilter(name: string, typedConfig: Any): ListenerFilter {
  return ListenerFilter.fromPartial({ name, configType: { $case: 'typedConfig', value: typedConfig } });
}
