/** Label values of one figure. */
export type Labels = Readonly<Record<string, string>>;

/** What a figure is called. */
export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

/** Only grows. */
export interface Counter {
  /** Adds to it; 0 makes it visible. Default: 1. */
  inc(labels: Labels, by?: number): void;
}

/** Goes up and down. */
export interface Gauge {
  set(labels: Labels, value: number): void;
  /** Adds to it; less than 0 takes away. */
  inc(labels: Labels, by: number): void;
}

/** Counts values by size. */
export interface Histogram {
  observe(labels: Labels, value: number): void;
  /** Makes a combination of labels visible before its first value. */
  zero(labels: Labels): void;
}

/**
 * Where figures go. Whoever asks twice for a name gets the same figure, so that many controllers share one. The package
 * brings no library of its own: one that writes Prometheus' format implements this in a few lines.
 */
export interface MetricsProvider {
  counter(options: MetricOptions): Counter;
  gauge(options: MetricOptions): Gauge;
  /** @param buckets upper bounds, rising */
  histogram(options: MetricOptions, buckets: readonly number[]): Histogram;
  /** Calls the function each time before gauges are read. */
  beforeRead(update: () => void): void;
}

const nothing = (): void => undefined;

/** Drops every figure. */
export const noMetrics: MetricsProvider = {
  counter: () => ({ inc: nothing }),
  gauge: () => ({ set: nothing, inc: nothing }),
  histogram: () => ({ observe: nothing, zero: nothing }),
  beforeRead: nothing,
};
