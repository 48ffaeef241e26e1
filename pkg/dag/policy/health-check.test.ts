import { describe, expect, test } from '@jest/globals';
import { httpHealthCheck, tcpHealthCheck } from './health-check.ts';

const defaults = { intervalMs: 10_000, timeoutMs: 2000, unhealthyThreshold: 3, healthyThreshold: 2 };
const full = { intervalSeconds: 5, timeoutSeconds: 4, unhealthyThresholdCount: 7, healthyThresholdCount: 6 };
const fullWant = { intervalMs: 5000, timeoutMs: 4000, unhealthyThreshold: 7, healthyThreshold: 6 };
const zero = { intervalSeconds: 0, timeoutSeconds: 0, unhealthyThresholdCount: 0, healthyThresholdCount: 0 };

describe('health checks', () => {
  test.each([
    { policy: { path: '/h' }, want: { ...defaults, path: '/h', host: 'contour-envoy-healthcheck', expectedStatuses: [] } },
    {
      policy: { path: '/h', ...zero, host: '' },
      want: { ...defaults, path: '/h', host: 'contour-envoy-healthcheck', expectedStatuses: [] },
    },
    {
      policy: { path: '/h?full=1', host: 'h.example', ...full, expectedStatuses: [{ start: 100, end: 600 }] },
      want: { ...fullWant, path: '/h?full=1', host: 'h.example', expectedStatuses: [{ start: 100, end: 600 }] },
    },
  ])('HTTP: $policy', ({ policy, want }) => {
    expect(httpHealthCheck(policy, 'f')).toEqual({ ok: true, value: { type: 'http', ...want } });
  });

  test.each([
    { policy: {}, want: defaults },
    { policy: zero, want: defaults },
    { policy: full, want: fullWant },
  ])('TCP: $policy', ({ policy, want }) => {
    expect(tcpHealthCheck(policy, 'f')).toEqual({ ok: true, value: { type: 'tcp', ...want } });
  });

  test.each([
    { policy: { intervalSeconds: -1 }, want: 'f.intervalSeconds: -1 is not in' },
    { policy: { timeoutSeconds: 1e12 }, want: 'f.timeoutSeconds: 1000000000000 is not in' },
    { policy: { unhealthyThresholdCount: -2 }, want: 'f.unhealthyThresholdCount: -2 is not in' },
    { policy: { healthyThresholdCount: 2 ** 32 }, want: 'f.healthyThresholdCount: 4294967296 is not in' },
    { policy: { path: '' }, want: 'f.path: ""' },
    { policy: { path: '/a b' }, want: 'f.path: "/a b"' },
    { policy: { path: '/a\r\nX: y' }, want: 'f.path: "/a\\r\\nX: y"' },
    { policy: { host: 'a\n' }, want: 'f.host: "a\\n"' },
    {
      policy: {
        expectedStatuses: [
          { start: 200, end: 201 },
          { start: 300, end: 200 },
        ],
      },
      want: 'f.expectedStatuses[1]: the range [300, 200)',
    },
    { policy: { expectedStatuses: [{ start: 200, end: 200 }] }, want: 'f.expectedStatuses[0]' },
    { policy: { expectedStatuses: [{ start: 99, end: 200 }] }, want: 'f.expectedStatuses[0]' },
    { policy: { expectedStatuses: [{ start: 100, end: 601 }] }, want: 'f.expectedStatuses[0]' },
  ])('$policy is refused', ({ policy, want }) => {
    const outcome = httpHealthCheck({ path: '/h', ...policy }, 'f');
    expect(outcome).toMatchObject({ ok: false, problem: { type: 'RouteError', reason: 'HealthCheckPolicyInvalid' } });
    expect(outcome.ok ? '' : outcome.problem.message).toContain(want);
  });

  test('the problem of TCP is that of a tcpproxy', () => {
    expect(tcpHealthCheck({ timeoutSeconds: -3 }, 'f')).toMatchObject({
      problem: { type: 'TCPProxyError', reason: 'HealthCheckPolicyInvalid' },
    });
  });
});
