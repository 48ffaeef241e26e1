import { beforeEach, describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { FakeClock } from '../controller-runtime/clock/fake-clock.ts';
import { controllerMetrics } from '../controller-runtime/metrics/controller-metrics.ts';
import { leaderElectionMetrics } from '../controller-runtime/metrics/leader-election-metrics.ts';
import { restClientMetrics } from '../controller-runtime/metrics/rest-client-metrics.ts';
import { workQueueMetrics } from '../controller-runtime/metrics/work-queue-metrics.ts';
import { WorkQueue } from '../controller-runtime/workqueue/work-queue.ts';
import { prometheusProvider } from './prometheus-provider.ts';

let registry: Registry;
let clock: FakeClock;

beforeEach(() => {
  [registry, clock] = [new Registry(), new FakeClock()];
});

/** The lines of a metric, without buckets. */
async function figures(name: string): Promise<readonly string[]> {
  const lines = (await registry.metrics()).split('\n');
  return lines.filter((line) => line.startsWith(name) && !line.includes('_bucket{'));
}

describe('a controller', () => {
  test('shows every figure before the first reconciliation', async () => {
    controllerMetrics(prometheusProvider(registry), 'widget', 3);
    expect((await figures('controller_runtime_')).toSorted()).toEqual([
      'controller_runtime_active_workers{controller="widget"} 0',
      'controller_runtime_max_concurrent_reconciles{controller="widget"} 3',
      'controller_runtime_reconcile_errors_total{controller="widget"} 0',
      'controller_runtime_reconcile_panics_total{controller="widget"} 0',
      'controller_runtime_reconcile_time_seconds_count{controller="widget"} 0',
      'controller_runtime_reconcile_time_seconds_sum{controller="widget"} 0',
      'controller_runtime_reconcile_total{controller="widget",result="error"} 0',
      'controller_runtime_reconcile_total{controller="widget",result="requeue"} 0',
      'controller_runtime_reconcile_total{controller="widget",result="requeue_after"} 0',
      'controller_runtime_reconcile_total{controller="widget",result="success"} 0',
      'controller_runtime_terminal_reconcile_errors_total{controller="widget"} 0',
    ]);
  });

  test('counts failures by how they failed', async () => {
    const metrics = controllerMetrics(prometheusProvider(registry), 'widget', 1);
    for (const result of ['success', 'requeue_after', 'error', 'terminal', 'panic'] as const) metrics.reconciled(result, 500);
    expect(await figures('controller_runtime_reconcile_total{')).toEqual([
      'controller_runtime_reconcile_total{controller="widget",result="success"} 1',
      'controller_runtime_reconcile_total{controller="widget",result="requeue"} 0',
      'controller_runtime_reconcile_total{controller="widget",result="requeue_after"} 1',
      'controller_runtime_reconcile_total{controller="widget",result="error"} 3',
    ]);
    expect(await figures('controller_runtime_terminal')).toEqual([
      'controller_runtime_terminal_reconcile_errors_total{controller="widget"} 1',
    ]);
    expect(await figures('controller_runtime_reconcile_panics')).toEqual([
      'controller_runtime_reconcile_panics_total{controller="widget"} 1',
    ]);
    expect(await figures('controller_runtime_reconcile_time_seconds_sum')).toEqual([
      'controller_runtime_reconcile_time_seconds_sum{controller="widget"} 2.5',
    ]);
  });

  test('shares its figures with others', async () => {
    for (const name of ['widget', 'gadget']) controllerMetrics(prometheusProvider(registry), name, 1).active(1);
    expect(await figures('controller_runtime_active_workers{')).toEqual([
      'controller_runtime_active_workers{controller="widget"} 1',
      'controller_runtime_active_workers{controller="gadget"} 1',
    ]);
  });
});

describe('a queue', () => {
  const label = '{name="widget",controller="widget"}';

  test('shows what waits, what is worked on, and for how long', async () => {
    const queue = new WorkQueue<string>({ clock, metrics: workQueueMetrics(prometheusProvider(registry), 'widget', clock) });
    expect(await figures('workqueue_')).toContain(`workqueue_depth${label} 0`);
    const { signal } = new AbortController();
    for (const key of ['a', 'b', 'a']) queue.add(key);
    await clock.advance(1_000);
    await queue.take(signal);
    queue.add('a');
    await clock.advance(2_000);
    expect((await figures('workqueue_')).toSorted()).toEqual([
      `workqueue_adds_total${label} 3`,
      `workqueue_depth${label} 1`,
      `workqueue_longest_running_processor_seconds${label} 2`,
      `workqueue_queue_duration_seconds_count${label} 1`,
      `workqueue_queue_duration_seconds_sum${label} 1`,
      `workqueue_retries_total${label} 0`,
      `workqueue_unfinished_work_seconds${label} 2`,
      `workqueue_work_duration_seconds_count${label} 0`,
      `workqueue_work_duration_seconds_sum${label} 0`,
    ]);
    queue.done('a');
    queue.addRateLimited('c', signal);
    const after = await figures('workqueue_');
    expect(after).toContain(`workqueue_depth${label} 2`);
    expect(after).toContain(`workqueue_work_duration_seconds_sum${label} 2`);
    expect(after).toContain(`workqueue_unfinished_work_seconds${label} 0`);
    expect(after).toContain(`workqueue_retries_total${label} 1`);
  });
});

test('a REST client counts answers and their absence', async () => {
  const told = restClientMetrics(prometheusProvider(registry));
  told({ method: 'GET', code: '200', host: 'api:6443', verb: 'list', tookMs: 250 });
  told({ method: 'GET', code: '<error>', host: 'api:6443', verb: 'list', tookMs: 250 });
  expect(await figures('rest_client_')).toEqual([
    'rest_client_requests_total{code="200",method="GET",host="api:6443"} 1',
    'rest_client_requests_total{code="<error>",method="GET",host="api:6443"} 1',
    'rest_client_request_duration_seconds_sum{verb="list",host="api:6443"} 0.5',
    'rest_client_request_duration_seconds_count{verb="list",host="api:6443"} 2',
  ]);
});

test('leader election shows who does not lead as well', async () => {
  const told = leaderElectionMetrics(prometheusProvider(registry), 'leader');
  expect(await figures('leader_election_')).toEqual(['leader_election_master_status{name="leader"} 0']);
  told(true);
  expect(await figures('leader_election_')).toEqual(['leader_election_master_status{name="leader"} 1']);
});
