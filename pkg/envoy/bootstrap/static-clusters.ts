import { Cluster, Cluster_DiscoveryType } from '../../envoy-api/envoy/config/cluster/v3/cluster.ts';
import { RoutingPriority } from '../../envoy-api/envoy/config/core/v3/base.ts';
import { HttpProtocolOptions } from '../../envoy-api/envoy/extensions/upstreams/http/v3/http_protocol_options.ts';
import { isIpv4, isIpv6 } from '../../schema/formats.ts';
import { pipeAddress, socketAddress } from '../addresses.ts';
import { dnsDiscovery } from '../cluster/service-cluster.ts';
import { xdsClusterName } from '../config-source.ts';
import { adminClusterName } from '../listener/fixed-listeners.ts';
import { duration, packed } from '../protobuf.ts';
import type { BootstrapOptions } from './options.ts';
import { xdsTlsSocket } from './xds-tls.ts';

/** The control plane: a name that is resolved, or an address; HTTP/2 with keep-alive, and no limit that configuration could meet. */
export function xdsCluster({ namespace, xdsAddress, xdsPort, dnsLookupFamily, tls }: BootstrapOptions): Cluster {
  const isAddress = isIpv4(xdsAddress) || isIpv6(xdsAddress);
  return Cluster.fromPartial({
    name: xdsClusterName,
    altStatName: `${namespace}_contour_${xdsPort}`,
    ...(isAddress ? staticDiscovery : dnsDiscovery(dnsLookupFamily)),
    connectTimeout: duration(5000),
    loadAssignment: endpointOf(xdsClusterName, socketAddress(xdsAddress, xdsPort)),
    upstreamConnectionOptions: { tcpKeepalive: { keepaliveProbes: 3, keepaliveTime: 30, keepaliveInterval: 5 } },
    typedExtensionProtocolOptions: { 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': packed(HttpProtocolOptions, http2) },
    circuitBreakers: { thresholds: [unbounded(RoutingPriority.HIGH), unbounded(RoutingPriority.DEFAULT)] },
    ...(tls && { transportSocket: xdsTlsSocket(tls) }),
  });
}

/** Envoy's own admin interface, which the fixed listeners show parts of. */
export function adminCluster({ namespace, adminAddress, adminPort }: BootstrapOptions): Cluster {
  return Cluster.fromPartial({
    name: adminClusterName,
    altStatName: `${namespace}_envoy-admin_${adminPort}`,
    ...staticDiscovery,
    connectTimeout: duration(250),
    loadAssignment: endpointOf(adminClusterName, pipeAddress(adminAddress, 0o644)),
  });
}

const staticDiscovery = { clusterDiscoveryType: { $case: 'type' as const, value: Cluster_DiscoveryType.STATIC } };

const http2 = HttpProtocolOptions.fromPartial({
  upstreamProtocolOptions: {
    $case: 'explicitHttpConfig',
    value: { protocolConfig: { $case: 'http2ProtocolOptions', value: {} } },
  },
});

function endpointOf(clusterName: string, address: ReturnType<typeof socketAddress>) {
  return { clusterName, endpoints: [{ lbEndpoints: [{ hostIdentifier: { $case: 'endpoint' as const, value: { address } } }] }] };
}

function unbounded(priority: RoutingPriority) {
  return { priority, maxConnections: 100_000, maxPendingRequests: 100_000, maxRequests: 60_000_000, maxRetries: 50, trackRemaining: true };
}
