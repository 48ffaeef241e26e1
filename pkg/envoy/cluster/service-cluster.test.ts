import { describe, expect, test } from '@jest/globals';
import { testConfig } from '../../../test/lib/config.ts';
import { cluster, origin, secretNode, servicePort } from '../../../test/lib/dag.ts';
import type { ClusterConfig } from '../../config/config.ts';
import type { Cluster as DagCluster } from '../../dag/model/cluster.ts';
import { Cluster_DiscoveryType, Cluster_DnsLookupFamily, Cluster_LbPolicy } from '../../envoy-api/envoy/config/cluster/v3/cluster.ts';
import { UpstreamTlsContext } from '../../envoy-api/envoy/extensions/transport_sockets/tls/v3/tls.ts';
import { HttpProtocolOptions } from '../../envoy-api/envoy/extensions/upstreams/http/v3/http_protocol_options.ts';
import { serviceCluster } from './service-cluster.ts';

function built(fields: Partial<DagCluster> = {}, config: Partial<ClusterConfig> = {}) {
  return serviceCluster(cluster('web', fields), { ...testConfig().cluster, ...config }, 'ads');
}

function tlsContext(fields: Partial<DagCluster>) {
  const socket = built(fields).transportSocket;
  return socket?.configType && UpstreamTlsContext.decode(socket.configType.value.value);
}

function options(fields: Partial<DagCluster>, config: Partial<ClusterConfig> = {}) {
  const [any] = Object.values(built(fields, config).typedExtensionProtocolOptions);
  return any && HttpProtocolOptions.decode(any.value);
}

describe('a service cluster', () => {
  test('has its endpoints by EDS, no panic, and names the Service', () => {
    expect(built()).toMatchObject({
      name: 'ns/web/80/da39a3ee5e',
      altStatName: 'ns_web_80',
      clusterDiscoveryType: { value: Cluster_DiscoveryType.EDS },
      edsClusterConfig: { serviceName: 'ns/web', edsConfig: { configSourceSpecifier: { $case: 'ads' } } },
      connectTimeout: { seconds: 2, nanos: 0 },
      commonLbConfig: { healthyPanicThreshold: { value: 0 } },
      metadata: { filterMetadata: { 'isoline.origin': { kind: 'Service', namespace: 'ns', name: 'web' } } },
      circuitBreakers: undefined,
      transportSocket: undefined,
      typedExtensionProtocolOptions: {},
    });
  });

  test.each([
    { policy: 'RoundRobin', want: Cluster_LbPolicy.ROUND_ROBIN },
    { policy: 'WeightedLeastRequest', want: Cluster_LbPolicy.LEAST_REQUEST },
    { policy: 'Random', want: Cluster_LbPolicy.RANDOM },
    { policy: 'Cookie', want: Cluster_LbPolicy.RING_HASH },
    { policy: 'RequestHash', want: Cluster_LbPolicy.RING_HASH },
  ] as const)('$policy', ({ policy, want }) => {
    expect(built({ loadBalancerPolicy: policy }).lbPolicy).toBe(want);
  });

  test.each([
    { family: 'auto', type: Cluster_DiscoveryType.STRICT_DNS, want: Cluster_DnsLookupFamily.AUTO },
    { family: 'v6', type: Cluster_DiscoveryType.STRICT_DNS, want: Cluster_DnsLookupFamily.V6_ONLY },
    { family: 'all', type: Cluster_DiscoveryType.LOGICAL_DNS, want: Cluster_DnsLookupFamily.ALL },
  ] as const)('an external name is resolved for $family', ({ family, type, want }) => {
    const external = built({ service: servicePort('web', { externalName: 'x.example' }) }, { dnsLookupFamily: family });
    expect(external).toMatchObject({ clusterDiscoveryType: { value: type }, dnsLookupFamily: want, edsClusterConfig: undefined });
    expect(JSON.stringify(external.loadAssignment)).toContain('"x.example"');
  });

  test('limits: its own over the global ones, 0 is none', () => {
    const made = built(
      { circuitBreakers: { maxRequests: 7, maxRetries: 0 } },
      { circuitBreakers: { maxRequests: 1, maxConnections: 2, maxRetries: 3 } },
    );
    expect(made.circuitBreakers?.thresholds).toMatchObject([
      { maxRequests: 7, maxConnections: 2, maxRetries: undefined, trackRemaining: true },
    ]);
    expect(built({}, { circuitBreakers: { perHostMaxConnections: 4 } }).circuitBreakers?.perHostThresholds).toMatchObject([
      { maxConnections: 4 },
    ]);
  });

  test('timeouts and buffers: its own over the global ones', () => {
    expect(built({ connectTimeoutMs: 1 }, { connectTimeoutMs: 2 }).connectTimeout).toEqual({ seconds: 0, nanos: 1_000_000 });
    expect(built({ perConnectionBufferLimitBytes: 1 }, { perConnectionBufferLimitBytes: 2 }).perConnectionBufferLimitBytes).toBe(1);
    expect(built({}, { perConnectionBufferLimitBytes: 2 }).perConnectionBufferLimitBytes).toBe(2);
  });

  test.each(['h2', 'h2c'] as const)('%s is explicit HTTP/2', (protocol) => {
    expect(options({ protocol })?.upstreamProtocolOptions?.value).toMatchObject({ protocolConfig: { $case: 'http2ProtocolOptions' } });
  });

  test('limits of HTTP/1.1 connections need the version to be explicit', () => {
    expect(options({ idleConnectionTimeoutMs: 'disabled' })).toMatchObject({
      upstreamProtocolOptions: { value: { protocolConfig: { $case: 'httpProtocolOptions' } } },
      commonHttpProtocolOptions: { idleTimeout: { seconds: 0, nanos: 0 } },
    });
    expect(options({}, { maxRequestsPerConnection: 9 })?.commonHttpProtocolOptions?.maxRequestsPerConnection).toBe(9);
  });
});

describe('TLS to upstreams', () => {
  test.each([
    { protocol: 'tls', want: [] },
    { protocol: 'h2', want: ['h2'] },
  ] as const)('$protocol offers $want', ({ protocol, want }) => {
    expect(tlsContext({ protocol })?.commonTlsContext?.alpnProtocols).toEqual(want);
  });

  test('has SNI, bounds and the client certificate', () => {
    const context = tlsContext({ protocol: 'tls', sni: 'x.example', clientCertificate: secretNode('client') });
    expect(context?.sni).toBe('x.example');
    expect(context?.commonTlsContext).toMatchObject({
      tlsParams: { tlsMinimumProtocolVersion: 3, tlsMaximumProtocolVersion: 4 },
      tlsCertificateSdsSecretConfigs: [{ name: 'ns/client' }],
      validationContextType: undefined,
    });
  });

  test('verifies only with both a CA and names', () => {
    const validated = (caCertificates: string, subjectNames: readonly string[]) =>
      tlsContext({ protocol: 'tls', upstreamValidation: { caCertificates, subjectNames, origin: origin() } })?.commonTlsContext
        ?.validationContextType;
    expect(validated('', ['a'])).toBeUndefined();
    expect(validated('CA', [])).toBeUndefined();
    expect(validated('CA', ['a', 'b'])?.value).toMatchObject({ matchTypedSubjectAltNames: [{ sanType: 2 }, { sanType: 2 }] });
  });
});
