import type { Metric, Registry } from 'prom-client';

export interface RecentSummaryOptions {
  readonly name: string;
  readonly help: string;
  /** From 0 (the least) to 1 (the greatest observation). */
  readonly quantiles: readonly number[];
  readonly register: Registry;
  /** Milliseconds of a clock that never goes back. Default: `performance.now`. */
  readonly clock?: () => number;
}

/** How far back quantiles look. */
const windowMs = 600_000;
/** How many observations of a series they are made of. */
const kept = 1_024;

/**
 * A Prometheus summary whose quantiles are those of the last ten minutes, and at most of the last 1,024 observations. An observation
 * writes two numbers; all else is left to the scrape. The library's own summary keeps five digests up to date at each observation, which
 * costs as much as a small build.
 */
export class RecentSummary<L extends string = never> {
  readonly name: string;
  readonly help: string;
  readonly type = 'summary';
  readonly aggregator = 'sum';
  readonly #quantiles: readonly number[];
  readonly #clock: () => number;
  readonly #series = new Map<string, Series<L>>();

  constructor({ name, help, quantiles, register, clock = () => performance.now() }: RecentSummaryOptions) {
    [this.name, this.help] = [name, help];
    [this.#quantiles, this.#clock] = [quantiles, clock];
    // Registries need no more of a metric than its name and `get`; the library's types name its four classes.
    register.registerMetric(this as unknown as Metric);
  }

  observe(labels: Readonly<Record<L, string>>, value: number): void {
    const key = Object.values(labels).join('\n');
    const series = this.#series.getOrInsertComputed(key, () => newSeries(labels));
    const at = series.count % kept;
    series.values[at] = value;
    series.timesMs[at] = this.#clock();
    series.count += 1;
    series.sum += value;
  }

  /** For the registry. */
  get(): Promise<object> {
    const { name, help, type, aggregator } = this;
    const values = [...this.#series.values()].flatMap((series) => [
      ...this.#quantilesOf(series),
      { metricName: `${name}_sum`, labels: series.labels, value: series.sum },
      { metricName: `${name}_count`, labels: series.labels, value: series.count },
    ]);
    return Promise.resolve({ name, help, type, aggregator, values });
  }

  #quantilesOf({ labels, values, timesMs, count }: Series<L>): readonly object[] {
    const sinceMs = this.#clock() - windowMs;
    const recent = values.subarray(0, count).filter((_, i) => (timesMs[i] as number) >= sinceMs);
    recent.sort();
    return this.#quantiles.map((quantile) => {
      const value = recent[Math.max(0, Math.ceil(quantile * recent.length) - 1)];
      return { labels: { ...labels, quantile }, value: value ?? 0 };
    });
  }
}

interface Series<L extends string> {
  readonly labels: Readonly<Record<L, string>>;
  readonly values: Float64Array;
  readonly timesMs: Float64Array;
  count: number;
  sum: number;
}

function newSeries<L extends string>(labels: Readonly<Record<L, string>>): Series<L> {
  return { labels, values: new Float64Array(kept), timesMs: new Float64Array(kept), count: 0, sum: 0 };
}
