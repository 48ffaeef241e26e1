import { describe, expect, test } from '@jest/globals';
import { cluster, origin, secretNode, servicePort } from '../../../test/lib/dag.ts';
import { defaultConfig } from '../../config/to-config.ts';
import type { Cluster } from '../../dag/model/cluster.ts';
import { canonicalSettings, clusterName, clusterStatName } from './cluster-name.ts';

const validation = { caCertificates: 'CA', subjectNames: ['a', 'b'], origin: origin() };
const tls: Partial<Cluster> = { protocol: 'tls' };

/** Clusters of which each differs from the default, and from all others, in one setting. */
const check = {
  type: 'http',
  path: '/h',
  host: 'h',
  expectedStatuses: [],
  intervalMs: 1,
  timeoutMs: 2,
  unhealthyThreshold: 3,
  healthyThreshold: 4,
} as const;
const ramp = { windowMs: 1000, aggression: 1, minWeightPercent: 10 } as const;

const variants: readonly (readonly [string, Partial<Cluster>])[] = [
  ['defaults', {}],
  ['policy', { loadBalancerPolicy: 'Random' }],
  ['another policy', { loadBalancerPolicy: 'Cookie' }],
  ['h2c', { protocol: 'h2c' }],
  ['h2', { protocol: 'h2' }],
  ['tls', tls],
  ['sni', { ...tls, sni: 'x' }],
  ['another sni', { ...tls, sni: 'y' }],
  ['validation', { ...tls, upstreamValidation: validation }],
  ['another CA', { ...tls, upstreamValidation: { ...validation, caCertificates: 'CB' } }],
  ['another second name', { ...tls, upstreamValidation: { ...validation, subjectNames: ['a', 'c'] } }],
  ['names joined', { ...tls, upstreamValidation: { ...validation, subjectNames: ['ab'] } }],
  ['client certificate', { ...tls, clientCertificate: secretNode('client') }],
  ['another client certificate', { ...tls, clientCertificate: secretNode('other') }],
  ['connections', { circuitBreakers: { maxConnections: 1 } }],
  ['pending requests', { circuitBreakers: { maxPendingRequests: 1 } }],
  ['requests', { circuitBreakers: { maxRequests: 1 } }],
  ['retries', { circuitBreakers: { maxRetries: 1 } }],
  ['connections of a host', { circuitBreakers: { perHostMaxConnections: 1 } }],
  ['connect timeout', { connectTimeoutMs: 1 }],
  ['idle timeout', { idleConnectionTimeoutMs: 1 }],
  ['no idle timeout', { idleConnectionTimeoutMs: 'disabled' }],
  ['requests of a connection', { maxRequestsPerConnection: 1 }],
  ['buffer', { perConnectionBufferLimitBytes: 1 }],
  ['external name', { service: servicePort('web', { externalName: 'x.example' }) }],
  ['family of an external name', { service: servicePort('web', { externalName: 'x.example' }), dnsLookupFamily: 'v6' }],
  ['health port', { service: servicePort('web', { healthPortName: 'health' }) }],
  ['health port of an external name', { service: servicePort('web', { externalName: 'x.example', healthPort: 81 }) }],
  ['health check', { healthCheck: check }],
  ['path of a health check', { healthCheck: { ...check, path: '/other' } }],
  ['host of a health check', { healthCheck: { ...check, host: 'other' } }],
  ['answers to a health check', { healthCheck: { ...check, expectedStatuses: [{ start: 200, end: 201 }] } }],
  ['interval of a health check', { healthCheck: { ...check, intervalMs: 5 } }],
  ['timeout of a health check', { healthCheck: { ...check, timeoutMs: 5 } }],
  ['failures of a health check', { healthCheck: { ...check, unhealthyThreshold: 5 } }],
  ['successes of a health check', { healthCheck: { ...check, healthyThreshold: 5 } }],
  ['health check of TCP', { healthCheck: { type: 'tcp', intervalMs: 1, timeoutMs: 2, unhealthyThreshold: 3, healthyThreshold: 4 } }],
  ['slow start', { slowStart: ramp }],
  ['bend of a slow start', { slowStart: { ...ramp, aggression: 2 } }],
  ['share of a slow start', { slowStart: { ...ramp, minWeightPercent: 2 } }],
  ['followed redirects', { followsRedirects: true }],
  ['changed cookies', { rewritesCookies: true }],
  ['strategy that hashes', { loadBalancerPolicy: 'RequestHash' }],
];

describe('the name of a cluster', () => {
  test("is Contour's where all is default", () => {
    expect(clusterName(cluster())).toBe('ns/web/80/da39a3ee5e');
  });

  test("is Contour's with the default configuration", () => {
    expect(clusterName(cluster('web', { connectTimeoutMs: defaultConfig.cluster.connectTimeoutMs }))).toBe('ns/web/80/da39a3ee5e');
  });

  test('tells every setting apart', () => {
    const names = variants.map(([, fields]) => clusterName(cluster('web', fields)));
    expect(new Set(names).size).toBe(variants.length);
  });

  test('does not depend on who asks', () => {
    expect(clusterName(cluster('web', { origin: origin('other') }))).toBe(clusterName(cluster()));
  });

  test('a renewed client certificate makes a new cluster: open connections keep the old one', () => {
    const renewed = secretNode('client', { certificate: 'new', privateKey: 'new' });
    expect(clusterName(cluster('web', { ...tls, clientCertificate: renewed }))).not.toBe(
      clusterName(cluster('web', { ...tls, clientCertificate: secretNode('client') })),
    );
  });

  test('leaves out what has no effect in the clear', () => {
    const idle = { sni: 'x', clientCertificate: secretNode(), upstreamValidation: validation, dnsLookupFamily: 'v4' } as const;
    expect(canonicalSettings(cluster('web', idle))).toBe('');
  });

  test('does not depend on the order of limits', () => {
    const [a, b] = [
      { maxRequests: 1, maxRetries: 2 },
      { maxRetries: 2, maxRequests: 1 },
    ];
    expect(canonicalSettings(cluster('web', { circuitBreakers: a }))).toBe(canonicalSettings(cluster('web', { circuitBreakers: b })));
  });

  test('in statistics depends on no setting', () => {
    expect(clusterStatName(cluster('web', tls))).toBe('ns_web_80');
  });
});
