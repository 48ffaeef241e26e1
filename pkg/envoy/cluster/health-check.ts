import type { HealthCheck as DagHealthCheck, UpstreamProtocol } from '../../dag/model/cluster.ts';
import { HealthCheck } from '../../envoy-api/envoy/config/core/v3/health_check.ts';
import { CodecClientType } from '../../envoy-api/envoy/type/v3/http.ts';
import { duration } from '../protobuf.ts';

/** How Envoy asks endpoints whether they are well (reference §8.6). It speaks the protocol that requests go by. */
export function healthCheck(check: DagHealthCheck, protocol: UpstreamProtocol | undefined): HealthCheck {
  return HealthCheck.fromPartial({
    timeout: duration(check.timeoutMs),
    interval: duration(check.intervalMs),
    unhealthyThreshold: check.unhealthyThreshold,
    healthyThreshold: check.healthyThreshold,
    healthChecker:
      check.type === 'tcp' ? { $case: 'tcpHealthCheck', value: {} } : { $case: 'httpHealthCheck', value: http(check, protocol) },
  });
}

function http({ path, host, expectedStatuses }: Extract<DagHealthCheck, { type: 'http' }>, protocol: UpstreamProtocol | undefined) {
  const http2 = protocol === 'h2' || protocol === 'h2c';
  return {
    path,
    host,
    expectedStatuses: expectedStatuses.map(({ start, end }) => ({ start, end })),
    codecClientType: http2 ? CodecClientType.HTTP2 : CodecClientType.HTTP1,
  };
}
