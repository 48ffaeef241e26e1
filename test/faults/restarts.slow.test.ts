import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { seededRandom } from '../lib/random.ts';
import { FaultCluster } from './lib/fault-cluster.ts';
import { restart } from './lib/restart.ts';

const random = seededRandom();
let cluster: FaultCluster;

beforeAll(async () => {
  cluster = await FaultCluster.start();
  await cluster.replica();
  await cluster.envoy();
  await cluster.startTraffic();
}, 200_000);

afterAll(() => cluster[Symbol.asyncDispose]());

test('a hundred restarts in a row while the objects change', async () => {
  for (let i = 1; i <= 100; i++) {
    await restart(cluster, random.below(2) === 0 ? 'stop' : 'kill');
    if (i % 10 === 0) await cluster.expectAllWell();
  }
  expect(cluster.replicas.size).toBe(1);
}, 1_200_000);
