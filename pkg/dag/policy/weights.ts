/** What Envoy takes as the sum of weights. */
const maxTotal = 0xffff_ffff;

/**
 * The shares of services as Envoy takes them. All 0 means that nobody asked for shares: each counts 1. Sums that
 * Envoy would refuse are scaled down; a share that was asked for stays at least 1.
 */
export function effectiveWeights(weights: readonly number[]): readonly number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return weights.map(() => 1);
  if (total <= maxTotal) return weights;
  const scale = (maxTotal - weights.length) / total;
  return weights.map((weight) => (weight === 0 ? 0 : Math.max(1, Math.floor(weight * scale))));
}
