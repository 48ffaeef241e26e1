import type { HTTPHealthCheckPolicy, TCPHealthCheckPolicy } from '../../apis/projectcontour/v1/httpproxy.ts';
import { fail, type Outcome, ok } from '../../util/outcome.ts';
import type { HealthCheck } from '../model/cluster.ts';

/** Contour's words for what a policy does not say: seconds, and how many answers in a row. */
const defaults = { interval: 10, timeout: 2, unhealthy: 3, healthy: 2 } as const;
const defaultHost = 'contour-envoy-healthcheck';

/** What Envoy takes as a duration, in seconds, and as a count. */
const limits = { seconds: 315_576_000_000, count: 0xffff_ffff } as const;

type Common = TCPHealthCheckPolicy;

/**
 * Checks of endpoints by HTTP requests. Absent and 0 are defaults. What Envoy would refuse, with the cluster that it is on, is a
 * `RouteError`/`HealthCheckPolicyInvalid` that names the field and its value.
 * @see reference 8.6
 */
export function httpHealthCheck(policy: HTTPHealthCheckPolicy, field: string): Outcome<HealthCheck> {
  const problem = commonProblem(policy) ?? httpProblem(policy);
  if (problem !== undefined) return fail('RouteError', 'HealthCheckPolicyInvalid', `${field}.${problem}`);
  const expectedStatuses = (policy.expectedStatuses ?? []).map(({ start, end }) => ({ start, end }));
  return ok({ type: 'http', ...times(policy), path: policy.path, host: policy.host || defaultHost, expectedStatuses });
}

/** Checks of endpoints by connecting to them; the problem is a `TCPProxyError`/`HealthCheckPolicyInvalid`. */
export function tcpHealthCheck(policy: TCPHealthCheckPolicy, field: string): Outcome<HealthCheck> {
  const problem = commonProblem(policy);
  if (problem !== undefined) return fail('TCPProxyError', 'HealthCheckPolicyInvalid', `${field}.${problem}`);
  return ok({ type: 'tcp', ...times(policy) });
}

function times(policy: Common): Pick<HealthCheck, 'intervalMs' | 'timeoutMs' | 'unhealthyThreshold' | 'healthyThreshold'> {
  return {
    intervalMs: (policy.intervalSeconds || defaults.interval) * 1000,
    timeoutMs: (policy.timeoutSeconds || defaults.timeout) * 1000,
    unhealthyThreshold: policy.unhealthyThresholdCount || defaults.unhealthy,
    healthyThreshold: policy.healthyThresholdCount || defaults.healthy,
  };
}

function commonProblem(policy: Common): string | undefined {
  const fields = [
    ['intervalSeconds', policy.intervalSeconds, limits.seconds],
    ['timeoutSeconds', policy.timeoutSeconds, limits.seconds],
    ['unhealthyThresholdCount', policy.unhealthyThresholdCount, limits.count],
    ['healthyThresholdCount', policy.healthyThresholdCount, limits.count],
  ] as const;
  const bad = fields.find(([, value, limit]) => value !== undefined && (value < 0 || value > limit));
  return bad && `${bad[0]}: ${bad[1]} is not in 0 to ${bad[2]}`;
}

/** What would end the request line or a header; Envoy refuses most of it. */
const unusable = /[\s\p{Cc}]/u;

function httpProblem({ path, host = '', expectedStatuses = [] }: HTTPHealthCheckPolicy): string | undefined {
  if (path === '' || unusable.test(path)) return `path: ${JSON.stringify(path)} is empty, or has spaces or control characters`;
  if (unusable.test(host)) return `host: ${JSON.stringify(host)} has spaces or control characters`;
  const bad = expectedStatuses.findIndex(({ start, end }) => start < 100 || end > 600 || start >= end);
  if (bad < 0) return undefined;
  const { start, end } = expectedStatuses[bad]!;
  return `expectedStatuses[${bad}]: the range [${start}, ${end}) is empty or out of bounds`;
}
