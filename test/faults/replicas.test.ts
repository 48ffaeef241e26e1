import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Lease } from '../../pkg/controller-runtime/leaderelection/lease.ts';
import { eventually } from '../lib/eventually.ts';
import { FaultCluster } from './lib/fault-cluster.ts';
import { end, unreachable } from './lib/faults.ts';
import type { Replica } from './lib/replica.ts';
import { restart } from './lib/restart.ts';

/** Long after everything has come that will: how long it takes is measured by a benchmark, not here. */
const untilLimitMs = 60_000;

let cluster: FaultCluster;
let leader: Replica;
let follower: Replica;

beforeAll(async () => {
  cluster = await FaultCluster.start();
  await Promise.all([cluster.replica(), cluster.replica()]);
  await cluster.envoy();
  await cluster.startTraffic();
}, 150_000);

afterAll(() => cluster[Symbol.asyncDispose]());

beforeEach(async () => {
  while (cluster.replicas.size < 2) await cluster.replica();
  leader = await cluster.untilLed();
  follower = [...cluster.replicas].find((replica) => replica !== leader) as Replica;
}, 60_000);

/** Waits for a status: the API server itself gives a new HTTPProxy one that says that nobody has looked at it. */
const untilValid = (name: string) =>
  eventually(
    `the status of ${name}`,
    async () => (await cluster.world.get('HTTPProxy', name)).status?.['currentStatus'] === 'valid',
    untilLimitMs,
  );
const leads = async (replica: Replica) => (await cluster.leader()) === replica;
/** Whom each write of the Lease named as its holder. */
const holders = (replica: Replica) =>
  replica.proxy.requests
    .filter(({ method, path }) => method === 'PUT' && path.includes('/leases/'))
    .map(({ body }) => (JSON.parse(body) as Lease).spec?.holderIdentity);
const statusWritesOf = (replica: Replica, name: string) =>
  replica.proxy.requests.filter(({ path }) => path.includes(`/httpproxies/${name}/status`)).length;
const statusWrites = (replica: Replica) => replica.proxy.requests.filter(({ path }) => path.endsWith('/status')).length;

test('both serve the same; only the leader writes statuses', async () => {
  await cluster.world.churn(30);
  await cluster.expectAllWell();
  expect(statusWrites(leader)).toBeGreaterThan(0);
  expect(statusWrites(follower)).toBe(0);
}, 100_000);

test('a leader that is killed under load: the next one writes statuses when the lease has run out', async () => {
  const churn = cluster.world.churn(100);
  await cluster.kill(leader);
  await cluster.world.addHost('after-kill');
  await untilValid('after-kill');
  expect(await leads(follower)).toBe(true);
  expect(statusWritesOf(follower, 'after-kill')).toBe(1);
  await churn;
  await cluster.expectAllWell();
}, 100_000);

test('a leader that is stopped gives the lease up, so that the next one need not wait until it has run out', async () => {
  const churn = cluster.world.churn(100);
  await cluster.stop(leader);
  await cluster.world.addHost('after-stop');
  expect(holders(leader).at(-1)).toBe('');
  await untilValid('after-stop');
  expect(await leads(follower)).toBe(true);
  expect(statusWritesOf(follower, 'after-stop')).toBe(1);
  await churn;
  await cluster.expectAllWell();
}, 100_000);

test('a leader that is cut off is followed by the other, and goes on serving', async () => {
  unreachable(leader.proxy);
  await cluster.world.churn(20);
  await eventually('the next leader', () => leads(follower), untilLimitMs);
  await cluster.world.addHost('after-cut');
  await untilValid('after-cut');
  const written = statusWrites(leader);
  await cluster.expectNothingLost();
  end(leader.proxy);
  await cluster.expectAllWell();
  expect(statusWrites(leader)).toBe(written);
}, 100_000);

test('dates that jump, forward and back, end no term and change nothing', async () => {
  const [dayMs, renewals] = [
    86_400_000,
    () => leader.proxy.requests.filter(({ method, path }) => method === 'PUT' && path.includes('/leases/')),
  ];
  for (const shiftMs of [dayMs, -dayMs, 0]) {
    leader.shiftDate(shiftMs);
    follower.shiftDate(-shiftMs);
    const before = renewals().length;
    await cluster.world.churn(10);
    await eventually('renewals of the lease', () => renewals().length > before + 2, untilLimitMs);
    expect(await leads(leader)).toBe(true);
  }
  const times = renewals().map(({ body }) => new Date((JSON.parse(body) as Lease).spec?.renewTime ?? '').getTime());
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(dayMs);
  await cluster.expectAllWell();
}, 100_000);

test('a new leader writes nothing that is right already', async () => {
  await cluster.expectAllWell();
  const written = statusWrites(follower);
  await cluster.kill(leader);
  await eventually('the next leader', () => leads(follower), untilLimitMs);
  await cluster.expectAllWell();
  expect(statusWrites(follower)).toBe(written);
}, 100_000);

test('five restarts in a row while the objects change', async () => {
  for (let i = 0; i < 5; i++) await restart(cluster, i % 2 === 0 ? 'stop' : 'kill');
  await cluster.expectAllWell();
}, 100_000);
