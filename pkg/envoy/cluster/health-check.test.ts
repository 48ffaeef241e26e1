import { describe, expect, test } from '@jest/globals';
import { cluster, servicePort } from '../../../test/lib/dag.ts';
import { defaultConfig } from '../../config/to-config.ts';
import { CodecClientType } from '../../envoy-api/envoy/type/v3/http.ts';
import { serviceCluster } from './service-cluster.ts';

const built = (fields: Parameters<typeof cluster>[1]) => serviceCluster(cluster('web', fields), defaultConfig.cluster, 'ads');
const times = { intervalMs: 1000, timeoutMs: 2000, unhealthyThreshold: 3, healthyThreshold: 4 };
const http = { type: 'http', ...times, path: '/h', host: 'h', expectedStatuses: [{ start: 200, end: 300 }] } as const;

describe('clusters with health checks and slow start', () => {
  test.each([
    { protocol: undefined, codec: CodecClientType.HTTP1 },
    { protocol: 'tls', codec: CodecClientType.HTTP1 },
    { protocol: 'h2', codec: CodecClientType.HTTP2 },
    { protocol: 'h2c', codec: CodecClientType.HTTP2 },
  ] as const)('a check by HTTP speaks as requests do: $protocol', ({ protocol, codec }) => {
    const made = built({ healthCheck: http, ...(protocol && { protocol }) });
    expect(made.ignoreHealthOnHostRemoval).toBe(true);
    expect(made.healthChecks).toMatchObject([
      {
        interval: { seconds: 1 },
        timeout: { seconds: 2 },
        unhealthyThreshold: 3,
        healthyThreshold: 4,
        healthChecker: { value: { path: '/h', host: 'h', expectedStatuses: [{ start: 200, end: 300 }], codecClientType: codec } },
      },
    ]);
  });

  test('a check by TCP connects', () => {
    expect(built({ healthCheck: { type: 'tcp', ...times } }).healthChecks).toMatchObject([{ healthChecker: { $case: 'tcpHealthCheck' } }]);
  });

  test('without a check nothing is said of it', () => {
    expect(built({})).toMatchObject({ healthChecks: [], ignoreHealthOnHostRemoval: false });
  });

  test('the checks of an external name go to its health port', () => {
    const service = servicePort('web', { externalName: 'x.example', healthPortName: 'health', healthPort: 81 });
    expect(built({ service, healthCheck: http }).loadAssignment?.endpoints[0]?.lbEndpoints[0]?.hostIdentifier).toMatchObject({
      value: { healthCheckConfig: { portValue: 81 } },
    });
  });

  test.each([
    { loadBalancerPolicy: 'RoundRobin', want: 'roundRobinLbConfig' },
    { loadBalancerPolicy: 'WeightedLeastRequest', want: 'leastRequestLbConfig' },
  ] as const)('the ramp is in the settings of $loadBalancerPolicy', ({ loadBalancerPolicy, want }) => {
    const made = built({ loadBalancerPolicy, slowStart: { windowMs: 3000, aggression: 1.5, minWeightPercent: 20 } });
    expect(made.lbConfig).toMatchObject({
      $case: want,
      value: {
        slowStartConfig: { slowStartWindow: { seconds: 3 }, aggression: { defaultValue: 1.5 }, minWeightPercent: { value: 20 } },
      },
    });
  });
});
