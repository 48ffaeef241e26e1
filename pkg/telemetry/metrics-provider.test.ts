import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { metricsProvider } from './metrics-provider.ts';

test('figures go to the registry; the same name twice is the same figure', async () => {
  const registry = new Registry();
  const provider = metricsProvider(registry);
  const options = { name: 'c_total', help: 'Help.', labelNames: ['name'] };
  provider.counter(options).inc({ name: 'a' });
  provider.counter(options).inc({ name: 'a' }, 2);
  provider.counter(options).inc({ name: 'zero' }, 0);
  const gauge = provider.gauge({ ...options, name: 'g' });
  gauge.set({ name: 'a' }, 5);
  gauge.inc({ name: 'a' }, -1);
  const histogram = provider.histogram({ ...options, name: 'h' }, [1, 2]);
  histogram.zero({ name: 'empty' });
  histogram.observe({ name: 'a' }, 1.5);
  const text = await registry.metrics();
  for (const line of [
    'c_total{name="a"} 3',
    'c_total{name="zero"} 0',
    'g{name="a"} 4',
    'h_bucket{le="1",name="a"} 0',
    'h_bucket{le="2",name="a"} 1',
    'h_count{name="empty"} 0',
  ]) {
    expect(text).toContain(line);
  }
});

test('gauges are brought up to date before they are read', async () => {
  const registry = new Registry();
  const provider = metricsProvider(registry);
  const gauge = provider.gauge({ name: 'g', help: 'Help.', labelNames: [] });
  let value = 1;
  provider.beforeRead(() => gauge.set({}, value));
  expect(await registry.metrics()).toContain('g 1');
  value = 2;
  expect(await registry.metrics()).toContain('g 2');
});
