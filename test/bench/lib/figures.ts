/** What a scenario gives: names to numbers. A name says the unit. */
export type Figures = Readonly<Record<string, number>>;

/** Rounds to two digits. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Count, median, 99th percentile and maximum of a sample. */
export function distribution(name: string, values: readonly number[]): Figures {
  const sorted = values.toSorted((a, b) => a - b);
  const quantile = (part: number): number => round(sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0);
  return {
    [`${name}.count`]: sorted.length,
    [`${name}.p50Ms`]: quantile(0.5),
    [`${name}.p99Ms`]: quantile(0.99),
    [`${name}.maxMs`]: quantile(1),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}
