import type { ClusterConfig, CircuitBreakers as DagBreakers, DnsLookupFamily } from '../../config/config.ts';
import type { Cluster as DagCluster, ServicePort } from '../../dag/model/cluster.ts';
import type { Origin } from '../../dag/model/origin.ts';
import { CircuitBreakers } from '../../envoy-api/envoy/config/cluster/v3/circuit_breaker.ts';
import {
  Cluster,
  Cluster_DiscoveryType,
  Cluster_DnsLookupFamily,
  Cluster_LbPolicy,
} from '../../envoy-api/envoy/config/cluster/v3/cluster.ts';
import { socketAddress } from '../addresses.ts';
import type { SourceKind } from '../config-source.ts';
import { configSource } from '../config-source.ts';
import { endpointsName } from '../names.ts';
import { originMetadata } from '../origin-metadata.ts';
import { duration } from '../protobuf.ts';
import { clusterName, clusterStatName } from './cluster-name.ts';
import { healthCheck } from './health-check.ts';
import { protocolOptions } from './protocol-options.ts';
import { slowStart } from './slow-start.ts';
import { upstreamTlsSocket } from './upstream-tls.ts';

const lbPolicies = {
  RoundRobin: Cluster_LbPolicy.ROUND_ROBIN,
  WeightedLeastRequest: Cluster_LbPolicy.LEAST_REQUEST,
  Random: Cluster_LbPolicy.RANDOM,
  Cookie: Cluster_LbPolicy.RING_HASH,
  RequestHash: Cluster_LbPolicy.RING_HASH,
} as const;

const dnsFamilies = {
  auto: Cluster_DnsLookupFamily.AUTO,
  v4: Cluster_DnsLookupFamily.V4_ONLY,
  v6: Cluster_DnsLookupFamily.V6_ONLY,
  all: Cluster_DnsLookupFamily.ALL,
} as const;

/** The cluster of a Service's port with its settings (reference §8.6). Its metadata name the Service alone, since many routes share it. */
export function serviceCluster(cluster: DagCluster, config: ClusterConfig, source: SourceKind): Cluster {
  const transportSocket = upstreamTlsSocket(cluster, config, source);
  const typedExtensionProtocolOptions = protocolOptions(cluster, config);
  const circuitBreakers = breakers({ ...config.circuitBreakers, ...cluster.circuitBreakers });
  const bufferLimit = cluster.perConnectionBufferLimitBytes ?? config.perConnectionBufferLimitBytes;
  return Cluster.fromPartial({
    name: clusterName(cluster),
    altStatName: clusterStatName(cluster),
    connectTimeout: duration(cluster.connectTimeoutMs ?? config.connectTimeoutMs),
    lbPolicy: lbPolicies[cluster.loadBalancerPolicy],
    commonLbConfig: { healthyPanicThreshold: { value: 0 } },
    ...slowStart(cluster),
    ...(cluster.healthCheck && {
      healthChecks: [healthCheck(cluster.healthCheck, cluster.protocol)],
      ignoreHealthOnHostRemoval: true,
    }),
    ...discovery(cluster, config, source),
    ...(circuitBreakers && { circuitBreakers }),
    ...(typedExtensionProtocolOptions && { typedExtensionProtocolOptions }),
    ...(transportSocket && { transportSocket }),
    ...(bufferLimit !== undefined && { perConnectionBufferLimitBytes: bufferLimit }),
    ...(cluster.dnsScheme === undefined && { metadata: originMetadata(serviceOrigin(cluster.service)) }),
  });
}

function serviceOrigin(service: ServicePort): Origin {
  return { kind: 'Service', namespace: service.namespace, name: service.name, path: '' };
}

type ClusterFields = Parameters<typeof Cluster.fromPartial>[0];

function discovery(cluster: DagCluster, config: ClusterConfig, source: SourceKind): ClusterFields {
  const { externalName, port, healthPort } = cluster.service;
  const serviceName = endpointsName(cluster.service);
  if (externalName === undefined) {
    return {
      clusterDiscoveryType: { $case: 'type', value: Cluster_DiscoveryType.EDS },
      edsClusterConfig: { edsConfig: configSource(source), serviceName },
    };
  }
  const address = socketAddress(externalName, port);
  const endpoint = { address, ...(healthPort !== undefined && { healthCheckConfig: { portValue: healthPort } }) };
  return {
    ...dnsDiscovery(cluster.dnsLookupFamily ?? config.dnsLookupFamily),
    loadAssignment: {
      clusterName: serviceName,
      endpoints: [{ lbEndpoints: [{ hostIdentifier: { $case: 'endpoint', value: endpoint } }] }],
    },
  };
}

/** With the family `all` Envoy needs LOGICAL_DNS: it then tries the addresses one after the other. */
export function dnsDiscovery(family: DnsLookupFamily): ClusterFields {
  const type = family === 'all' ? Cluster_DiscoveryType.LOGICAL_DNS : Cluster_DiscoveryType.STRICT_DNS;
  return { clusterDiscoveryType: { $case: 'type', value: type }, dnsLookupFamily: dnsFamilies[family] };
}

/** A limit of 0 is not set, as in Contour. */
function breakers(limits: DagBreakers): CircuitBreakers | undefined {
  const positive = (limit: number | undefined) => (limit !== undefined && limit > 0 ? limit : undefined);
  const threshold = {
    maxConnections: positive(limits.maxConnections),
    maxPendingRequests: positive(limits.maxPendingRequests),
    maxRequests: positive(limits.maxRequests),
    maxRetries: positive(limits.maxRetries),
  };
  const perHost = positive(limits.perHostMaxConnections);
  if (perHost === undefined && Object.values(threshold).every((limit) => limit === undefined)) return undefined;
  return CircuitBreakers.fromPartial({
    thresholds: [{ ...threshold, trackRemaining: true }],
    perHostThresholds: perHost === undefined ? [] : [{ maxConnections: perHost }],
  });
}
