import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { MetricOptions, MetricsProvider } from '../controller-runtime/metrics/metrics.ts';

/** Puts the figures of controller-runtime into a registry. Updates before reading are done when one of its gauges is read. */
export function metricsProvider(registry: Registry): MetricsProvider {
  const registers = [registry];
  const once = <T>(name: string, make: () => T): T => (registry.getSingleMetric(name) as T | undefined) ?? make();
  const options = ({ name, help, labelNames }: MetricOptions) => ({ name, help, labelNames: [...labelNames], registers });
  const updates: (() => void)[] = [];
  return {
    counter(metric) {
      const counter = once(metric.name, () => new Counter(options(metric)));
      return { inc: (labels, by = 1) => counter.inc(labels, by) };
    },
    gauge(metric) {
      const collect = (): void => {
        for (const update of updates) update();
      };
      const gauge = once(metric.name, () => new Gauge({ ...options(metric), collect }));
      return { set: (labels, value) => gauge.set(labels, value), inc: (labels, by) => gauge.inc(labels, by) };
    },
    histogram(metric, buckets) {
      const histogram = once(metric.name, () => new Histogram({ ...options(metric), buckets: [...buckets] }));
      return { observe: (labels, value) => histogram.observe(labels, value), zero: (labels) => histogram.zero(labels) };
    },
    beforeRead: (update) => void updates.push(update),
  };
}
