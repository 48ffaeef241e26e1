import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../lib/eventually.ts';
import { FaultCluster } from './lib/fault-cluster.ts';
import { end, pausing } from './lib/faults.ts';

let cluster: FaultCluster;

beforeAll(async () => {
  cluster = await FaultCluster.start();
  await Promise.all([cluster.replica(), cluster.replica()]);
  await cluster.envoy();
  await cluster.startTraffic();
  await cluster.world.churn(30);
  await cluster.expectAllWell();
}, 200_000);

afterAll(() => cluster[Symbol.asyncDispose]());

test('an API server that is away for two minutes, while Envoys come and connect again', async () => {
  await cluster.environment.stopApiServer();
  for (let i = 0; i < 12; i++) {
    await sleep(10_000);
    cluster.balancer.cutAll();
    if (i % 4 === 0) await cluster.envoy();
    await cluster.expectNothingLost();
  }
  await cluster.environment.startApiServer();
  await cluster.world.churn(30);
  await cluster.expectAllWell();
}, 300_000);

test('three pauses of ten seconds', async () => {
  for (let i = 0; i < 3; i++) {
    const struck = [...cluster.replicas].map(({ proxy }) => pausing(proxy, 10_000));
    await cluster.world.churn(30);
    await sleep(10_000);
    await eventually('the pauses to strike', () => struck.every((count) => count() > 0), 10_000);
    await cluster.expectNothingLost();
  }
  for (const { proxy } of cluster.replicas) end(proxy);
  await cluster.expectAllWell();
  expect(cluster.replicas.size).toBe(2);
}, 200_000);
