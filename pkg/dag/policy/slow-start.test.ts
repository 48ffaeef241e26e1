import { describe, expect, test } from '@jest/globals';
import { slowStartOf } from './slow-start.ts';

describe('slow start', () => {
  test.each([
    { policy: { window: '3s' }, want: { windowMs: 3000, aggression: 1, minWeightPercent: 10 } },
    { policy: { window: '1m', aggression: '.5', minWeightPercent: 0 }, want: { windowMs: 60_000, aggression: 0.5, minWeightPercent: 0 } },
    { policy: { window: '0s' }, want: undefined },
  ])('$policy', ({ policy, want }) => {
    expect(slowStartOf(policy, 'RoundRobin', 'f')).toEqual({ ok: true, value: want });
    expect(slowStartOf(policy, 'WeightedLeastRequest', 'f')).toEqual({ ok: true, value: want });
  });

  test.each([
    { policy: { window: 'soon' }, want: 'soon' },
    { policy: { window: '-1s' }, want: 'window "-1s" is negative' },
    { policy: { window: '1s', aggression: 'much' }, want: 'aggression "much"' },
    { policy: { window: '1s', aggression: '0' }, want: 'aggression "0"' },
    { policy: { window: '1s', aggression: '9'.repeat(400) }, want: 'is no positive number' },
    { policy: { window: '1s', minWeightPercent: 101 }, want: 'minWeightPercent 101' },
  ])('$policy is refused', ({ policy, want }) => {
    const outcome = slowStartOf(policy, 'RoundRobin', 'f');
    expect(outcome).toMatchObject({ ok: false, problem: { type: 'ServiceError', reason: 'SlowStartInvalid' } });
    expect(outcome.ok ? '' : outcome.problem.message).toContain(want);
  });

  test.each(['Random', 'Cookie', 'RequestHash'] as const)('%s knows no weights', (strategy) => {
    expect(slowStartOf({ window: '1s' }, strategy, 'f')).toMatchObject({
      ok: false,
      problem: { message: expect.stringContaining(strategy) as unknown },
    });
  });
});
