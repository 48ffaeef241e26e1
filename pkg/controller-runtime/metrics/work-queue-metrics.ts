import type { Clock } from '../clock/clock.ts';
import type { MetricsProvider } from './metrics.ts';

/** What a work queue tells of itself. */
export interface WorkQueueMetrics {
  /** A key waits that did not before. */
  added(key: unknown): void;
  /** The work on a key begins. */
  started(key: unknown): void;
  /** The work on a key has ended. */
  done(key: unknown): void;
  /** A key will be tried again because it failed. */
  retried(): void;
  /** How many keys wait. */
  depth(length: number): void;
}

/** 10 ns to 1,000 s, each bound ten times the one before, in seconds. */
const decades: readonly number[] = Array.from({ length: 12 }, (_, index) => 10 ** (index - 8));

/** The figures of one queue, under the names that client-go gives them; all of them are there from the start. */
export function workQueueMetrics(provider: MetricsProvider, name: string, clock: Clock): WorkQueueMetrics {
  const labelNames = ['name', 'controller'];
  const labels = { name, controller: name };
  const option = (metric: string, help: string) => ({ name: `workqueue_${metric}`, help, labelNames });
  const depth = provider.gauge(option('depth', 'Keys that wait.'));
  const adds = provider.counter(option('adds_total', 'Keys that were added.'));
  const retries = provider.counter(option('retries_total', 'Keys that were added again because they failed.'));
  const waited = provider.histogram(option('queue_duration_seconds', 'How long keys waited.'), decades);
  const worked = provider.histogram(option('work_duration_seconds', 'How long the work on keys took.'), decades);
  const unfinished = provider.gauge(option('unfinished_work_seconds', 'How long the work at hand has taken so far, summed up.'));
  const longest = provider.gauge(option('longest_running_processor_seconds', 'How long the longest work at hand has taken so far.'));
  const addedMs = new Map<unknown, number>();
  const startedMs = new Map<unknown, number>();
  const secondsSince = (atMs: number) => Math.max(0, clock.monotonicMs() - atMs) / 1000;

  for (const gauge of [depth, unfinished, longest]) gauge.set(labels, 0);
  for (const counter of [adds, retries]) counter.inc(labels, 0);
  for (const histogram of [waited, worked]) histogram.zero(labels);
  provider.beforeRead(() => {
    const ages = [...startedMs.values()].map(secondsSince);
    unfinished.set(
      labels,
      ages.reduce((sum, age) => sum + age, 0),
    );
    longest.set(labels, Math.max(0, ...ages));
  });
  return {
    added(key) {
      adds.inc(labels);
      addedMs.set(key, clock.monotonicMs());
    },
    started(key) {
      waited.observe(labels, secondsSince(addedMs.get(key) ?? clock.monotonicMs()));
      addedMs.delete(key);
      startedMs.set(key, clock.monotonicMs());
    },
    done(key) {
      worked.observe(labels, secondsSince(startedMs.get(key) ?? clock.monotonicMs()));
      startedMs.delete(key);
    },
    retried: () => retries.inc(labels),
    depth: (length) => depth.set(labels, length),
  };
}
