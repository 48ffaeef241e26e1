import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { status } from '../lib/fault-proxy.ts';
import { seededRandom } from '../lib/random.ts';
import { FaultCluster } from './lib/fault-cluster.ts';
import { end, transientFaults, unreachable } from './lib/faults.ts';
import type { Replica } from './lib/replica.ts';

/** How long a fault may take until it has struck three times. */
const strikeLimitMs = 15_000;

const random = seededRandom();
let cluster: FaultCluster;
let replica: Replica;
/** The token of the replica is in there. */
let tokenFile: string;

beforeAll(async () => {
  cluster = await FaultCluster.start();
  tokenFile = join(cluster.environment.directory, 'token');
  writeFileSync(tokenFile, cluster.environment.token);
  replica = await cluster.replica({ user: { tokenFile } });
  await cluster.envoy();
  await cluster.startTraffic();
}, 150_000);

afterAll(() => cluster[Symbol.asyncDispose]());

test('with no fault the replica serves what a fresh controller does', async () => {
  await cluster.world.churn(30);
  await cluster.expectAllWell();
  expect((await cluster.world.get('HTTPProxy', 'app')).status).toMatchObject({ currentStatus: 'valid' });
  expect((await cluster.world.get('HTTPProxy', 'broken')).status).toMatchObject({ currentStatus: 'invalid' });
}, 100_000);

describe('while the objects change, a replica gets over', () => {
  test.each(transientFaults)(
    '$name',
    async ({ begin }) => {
      for (let round = 0; round < 3; round++) {
        const struck = begin(replica.proxy, random);
        const endMs = performance.now() + strikeLimitMs;
        while (struck() < 3 && performance.now() < endMs) await cluster.world.churn(10);
        expect(struck()).toBeGreaterThanOrEqual(3);
        await cluster.world.churn(10);
        end(replica.proxy);
      }
      await cluster.expectAllWell();
    },
    100_000,
  );
});

test('a token that has expired is read again from its file', async () => {
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  const next = await cluster.tokenOf('renewed', rules);
  const [old, refusal] = [cluster.environment.token, status(401, 'Unauthorized')];
  replica.proxy.rule = ({ authorization }) =>
    authorization === `Bearer ${old}` ? { type: 'answer', status: 401, body: refusal } : undefined;
  replica.proxy.cutWatches('');
  await cluster.world.churn(10);
  await cluster.expectNothingLost();
  writeFileSync(tokenFile, next);
  await cluster.expectAllWell();
  expect(replica.proxy.requests.at(-1)?.authorization).toBe(`Bearer ${next}`);
  end(replica.proxy);
}, 100_000);

test('an API server that forgets all versions but the newest is read anew', async () => {
  unreachable(replica.proxy);
  await cluster.world.churn(20);
  await cluster.environment.compact();
  await cluster.environment.stopApiServer();
  await cluster.environment.startApiServer();
  end(replica.proxy);
  await cluster.expectAllWell();
}, 100_000);

test('Envoys that come while the API server is away get everything', async () => {
  await cluster.environment.stopApiServer();
  cluster.balancer.cutAll();
  await cluster.envoy();
  await cluster.expectNothingLost();
  await cluster.environment.startApiServer();
  await cluster.world.churn(10);
  await cluster.expectAllWell();
}, 100_000);
