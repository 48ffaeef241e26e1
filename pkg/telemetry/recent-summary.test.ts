import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { RecentSummary } from './recent-summary.ts';

function summary(clock: () => number) {
  const registry = new Registry();
  const quantiles = [0, 0.5, 1];
  const metric = new RecentSummary<'kind'>({ name: 's', help: 'h', quantiles, register: registry, clock });
  const lines = async (): Promise<readonly string[]> => (await registry.metrics()).trim().split('\n');
  return { metric, lines };
}

test('quantiles, sum and count are told for each set of labels', async () => {
  const { metric, lines } = summary(() => 0);
  for (const value of [3, 1, 2]) metric.observe({ kind: 'A' }, value);
  metric.observe({ kind: 'B' }, 7);
  expect(await lines()).toEqual([
    '# HELP s h',
    '# TYPE s summary',
    's{kind="A",quantile="0"} 1',
    's{kind="A",quantile="0.5"} 2',
    's{kind="A",quantile="1"} 3',
    's_sum{kind="A"} 6',
    's_count{kind="A"} 3',
    's{kind="B",quantile="0"} 7',
    's{kind="B",quantile="0.5"} 7',
    's{kind="B",quantile="1"} 7',
    's_sum{kind="B"} 7',
    's_count{kind="B"} 1',
  ]);
});

test('what is older than ten minutes leaves the quantiles, not the sum', async () => {
  let nowMs = 0;
  const { metric, lines } = summary(() => nowMs);
  metric.observe({ kind: 'A' }, 100);
  nowMs = 600_001;
  metric.observe({ kind: 'A' }, 1);
  expect(await lines()).toEqual(expect.arrayContaining(['s{kind="A",quantile="1"} 1', 's_sum{kind="A"} 101', 's_count{kind="A"} 2']));
});

test('quantiles are of the last 1,024 observations', async () => {
  const { metric, lines } = summary(() => 0);
  for (let i = 0; i < 2_000; i += 1) metric.observe({ kind: 'A' }, i);
  expect(await lines()).toEqual(expect.arrayContaining(['s{kind="A",quantile="0"} 976', 's{kind="A",quantile="1"} 1999']));
});
