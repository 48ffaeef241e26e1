import type { MetricsProvider } from './metrics.ts';

/** How a reconciliation ended. */
export type ReconcileResult = 'success' | 'requeue_after' | 'error' | 'terminal' | 'panic';

/** What a controller tells of itself. */
export interface ControllerMetrics {
  /** A worker begins or ends to reconcile: 1 or -1. */
  active(change: 1 | -1): void;
  reconciled(result: ReconcileResult, tookMs: number): void;
}

/** The buckets of controller-runtime, in seconds. */
const buckets: readonly number[] = [
  ...[0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75],
  ...[2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60],
];

/** The figures of one controller, under controller-runtime's names; all of them are there from the start. */
export function controllerMetrics(provider: MetricsProvider, controller: string, maxConcurrent: number): ControllerMetrics {
  const byController = (name: string, help: string) => ({ name: `controller_runtime_${name}`, help, labelNames: ['controller'] });
  const total = provider.counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciliations, by result.',
    labelNames: ['controller', 'result'],
  });
  const errors = provider.counter(byController('reconcile_errors_total', 'Reconciliations that failed.'));
  const terminal = provider.counter(
    byController('terminal_reconcile_errors_total', 'Reconciliations that failed in a way that no retry can mend.'),
  );
  const panics = provider.counter(byController('reconcile_panics_total', 'Reconciliations that failed by a bug.'));
  const seconds = provider.histogram(byController('reconcile_time_seconds', 'How long reconciliations took.'), buckets);
  const maximum = provider.gauge(byController('max_concurrent_reconciles', 'How many reconciliations may run at a time.'));
  const workers = provider.gauge(byController('active_workers', 'How many reconciliations run now.'));
  const labels = { controller };

  maximum.set(labels, maxConcurrent);
  workers.set(labels, 0);
  seconds.zero(labels);
  for (const counter of [errors, terminal, panics]) counter.inc(labels, 0);
  // `requeue` never happens here, but dashboards sum over it.
  for (const result of ['success', 'requeue', 'requeue_after', 'error']) total.inc({ controller, result }, 0);
  return {
    active: (change) => workers.inc(labels, change),
    reconciled(result, tookMs) {
      const failed = result === 'error' || result === 'terminal' || result === 'panic';
      total.inc({ controller, result: failed ? 'error' : result });
      seconds.observe(labels, tookMs / 1000);
      if (failed) errors.inc(labels);
      if (result === 'terminal') terminal.inc(labels);
      if (result === 'panic') panics.inc(labels);
    },
  };
}
