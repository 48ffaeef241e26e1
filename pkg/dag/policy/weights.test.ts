import { expect, test } from '@jest/globals';
import { effectiveWeights } from './weights.ts';

test.each([
  { name: 'shares stay', weights: [90, 10, 0], want: [90, 10, 0] },
  { name: 'no shares are equal shares', weights: [0, 0], want: [1, 1] },
  { name: 'nothing is nothing', weights: [], want: [] },
])('$name', ({ weights, want }) => expect(effectiveWeights(weights)).toEqual(want));

test('a sum that Envoy refuses is scaled down, and no share that was asked for vanishes', () => {
  const scaled = effectiveWeights([4_000_000_000, 4_000_000_000, 1, 0]);
  expect(scaled.reduce((sum, weight) => sum + weight, 0)).toBeLessThanOrEqual(0xffff_ffff);
  expect(scaled[0]).toBe(scaled[1]);
  expect(scaled.slice(2)).toEqual([1, 0]);
});
