import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { MetricsProvider } from '../controller-runtime/metrics/metrics.ts';

/** Writes the figures of controllers, queues, clients and leader election into a registry. */
export function prometheusProvider(registry: Registry): MetricsProvider {
  const updates = new Set<() => void>();
  const registers = [registry];
  const shared = <M>(name: string, make: () => M): M => (registry.getSingleMetric(name) as M | undefined) ?? make();
  return {
    counter: ({ name, help, labelNames }) => {
      const counter = shared(name, () => new Counter({ name, help, labelNames, registers }));
      return { inc: (labels, by = 1) => counter.inc(labels, by) };
    },
    gauge: ({ name, help, labelNames }) => {
      // Each gauge brings all of them up to date: the registry reads gauges in no order that could be relied on.
      const collect = () => {
        for (const update of updates) update();
      };
      const gauge = shared(name, () => new Gauge({ name, help, labelNames, registers, collect }));
      return { set: (labels, value) => gauge.set(labels, value), inc: (labels, by) => gauge.inc(labels, by) };
    },
    histogram: ({ name, help, labelNames }, buckets) => {
      const histogram = shared(name, () => new Histogram({ name, help, labelNames, buckets: [...buckets], registers }));
      return { observe: (labels, value) => histogram.observe(labels, value), zero: (labels) => histogram.zero(labels) };
    },
    beforeRead: (update) => updates.add(update),
  };
}
