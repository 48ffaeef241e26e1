import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { TestEnvironment } from '../../pkg/controller-runtime/envtest/environment.ts';
import { typeUrls } from '../../pkg/xdscache/resource.ts';
import { startApiServer } from '../lib/api-server.ts';
import { eventually } from '../lib/eventually.ts';
import { Replica } from '../lib/replica.ts';
import type { XdsClientStream } from '../lib/xds-client.ts';

interface Proxy {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly status?: { readonly currentStatus?: string };
}

const collection = '/apis/projectcontour.io/v1/namespaces/shop/httpproxies';
/** With these a Lease passes on only if its holder gives it up and the others are told at once. */
const slow = ['--leader-election-lease-duration=120s', '--leader-election-renew-deadline=110s', '--leader-election-retry-period=100s'];
/** With these it passes on soon after its holder is gone. */
const quick = ['--leader-election-lease-duration=2s', '--leader-election-renew-deadline=1500ms', '--leader-election-retry-period=300ms'];
const limitMs = 15_000;

let environment: TestEnvironment;
let count = 0;
let lease: string;

beforeAll(async () => {
  environment = await startApiServer({ crds: ['config/crd'], namespaces: ['shop', 'projectcontour'] });
  const body = { metadata: { name: 'app' }, spec: { ports: [{ name: 'http', port: 80 }] } };
  await environment.request({ method: 'POST', path: '/api/v1/namespaces/shop/services', body });
  for (const name of ['a', 'b']) await create(name);
}, 150_000);

afterAll(() => environment.stop());

beforeEach(() => {
  lease = `--leader-election-resource-name=lease-${count++}`;
});

async function create(name: string): Promise<void> {
  const spec = { virtualhost: { fqdn: `${name}.example.com` }, routes: [{ services: [{ name: 'app', port: 80 }] }] };
  const body = { apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy', metadata: { name }, spec };
  await environment.request({ method: 'POST', path: collection, body });
}

const read = (name: string) => environment.request({ method: 'GET', path: `${collection}/${name}` }) as Promise<Proxy>;
const isValid = async (name: string): Promise<boolean> => (await read(name)).status?.currentStatus === 'valid';

/** Every HTTPProxy's version: it moves with each write. */
async function versions(): Promise<ReadonlyMap<string, string>> {
  const { items } = (await environment.request({ method: 'GET', path: collection })) as { readonly items: readonly Proxy[] };
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
}

const connect = (replica: Replica): XdsClientStream => replica.connect(typeUrls.cluster, typeUrls.listener, typeUrls.scopedRoute);

function has(stream: XdsClientStream, host: string): boolean {
  return stream.names(typeUrls.scopedRoute).some((name) => name.includes(`${host}.example.com`));
}

const untilServed = (stream: XdsClientStream, host: string) => eventually(`${host} at the proxy`, () => has(stream, host), limitMs);

async function isOpen(stream: XdsClientStream): Promise<boolean> {
  return (await Promise.race([stream.status, Promise.resolve('open')])) === 'open';
}

/** A leader and a follower, each with a proxy, when all statuses are there. */
async function pair(flags: readonly string[]) {
  const leader = await Replica.start(environment, lease, ...flags);
  await eventually('the leader', () => leader.isLeader(), limitMs);
  const follower = await Replica.start(environment, lease, ...flags);
  const streams = { leader: connect(leader), follower: connect(follower) };
  for (const stream of Object.values(streams)) for (const host of ['a', 'b']) await untilServed(stream, host);
  await eventually('the statuses', async () => (await isValid('a')) && (await isValid('b')), limitMs);
  return {
    leader,
    follower,
    streams,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([leader, follower].map((replica) => replica[Symbol.asyncDispose]()));
    },
  };
}

describe('two replicas', () => {
  test('serve the same, and show it; a leader that stops hands over at once, and its successor writes only what is missing', async () => {
    await using replicas = await pair(slow);
    const { leader, follower, streams } = replicas;
    const hashes = await leader.figures('isoline_snapshot_hash');
    expect(hashes.filter(([, value]) => value > 0).length).toBeGreaterThan(2);
    expect(await follower.figures('isoline_snapshot_hash')).toEqual(hashes);
    expect(await follower.isLeader()).toBe(false);

    const before = await versions();
    await leader.end('SIGTERM');
    await eventually('the next leader', () => follower.isLeader());
    await create('after-stop');
    await eventually('the status of a fresh object', () => isValid('after-stop'), limitMs);
    await untilServed(streams.follower, 'after-stop');
    expect(new Map([...(await versions())].filter(([name]) => name !== 'after-stop'))).toEqual(before);
    expect(await isOpen(streams.follower)).toBe(true);
    expect(await isOpen(streams.leader)).toBe(false);
  }, 60_000);

  test('a leader that is killed is replaced, and what came meanwhile gets its status', async () => {
    await using replicas = await pair(quick);
    const { leader, follower, streams } = replicas;
    const before = await versions();
    await leader.end('SIGKILL');
    await create('after-kill');
    await untilServed(streams.follower, 'after-kill');
    await eventually('the status of a fresh object', () => isValid('after-kill'), limitMs);
    expect(await follower.isLeader()).toBe(true);
    expect(new Map([...(await versions())].filter(([name]) => name !== 'after-kill'))).toEqual(before);
    expect(await isOpen(streams.follower)).toBe(true);
  }, 60_000);
});

test('a Lease that another keeps: all is served, no status is written, the log says who has it; when it is free, statuses come', async () => {
  const [path, name] = ['/apis/coordination.k8s.io/v1/namespaces/projectcontour/leases', lease.split('=')[1]];
  const held = (holderIdentity: string, metadata: object = { name }) => ({
    metadata,
    spec: { holderIdentity, leaseDurationSeconds: 3600 },
  });
  const { metadata } = (await environment.request({ method: 'POST', path, body: held('somebody-else') })) as { readonly metadata: object };
  await create('kept');
  const before = await versions();
  await using replica = await Replica.start(
    environment,
    lease,
    '--leader-election-retry-period=100ms',
    '--leader-election-renew-deadline=5s',
  );
  await untilServed(connect(replica), 'kept');
  const count = async (method: string) =>
    (await replica.figures('rest_client_requests_total')).reduce((sum, [labels, value]) => sum + (labels.includes(method) ? value : 0), 0);
  // What was asked for at the start has been answered: what is asked for now is the Lease.
  const asked = await count('GET');
  await eventually('some tries', async () => (await count('GET')) > asked + 5, limitMs);
  expect([await count('PATCH'), await count('PUT'), await replica.isLeader(), await replica.isReady()]).toEqual([0, 0, false, true]);
  expect(await versions()).toEqual(before);
  expect(replica.output).toContain('somebody-else');

  await environment.request({ method: 'PUT', path: `${path}/${name}`, body: held('', metadata) });
  await eventually('the status', () => isValid('kept'), limitMs);
  expect(await replica.isLeader()).toBe(true);
}, 60_000);

test('without the API server the Lease is lost and nothing else: all is served, old and new streams, and goes on when it is back', async () => {
  await using replicas = await pair(quick);
  const { leader, follower, streams } = replicas;
  const before = await versions();
  await environment.stopApiServer();
  await eventually('the loss of the Lease', () => leader.output.includes('is no longer the leader'), limitMs);
  expect(await leader.isLeader()).toBe(false);
  for (const replica of [leader, follower]) {
    expect([replica.running, await replica.isReady()]).toEqual([true, true]);
    const late = connect(replica);
    for (const host of ['a', 'b']) await untilServed(late, host);
  }
  await environment.startApiServer();
  await create('after-outage');
  for (const stream of Object.values(streams)) {
    await untilServed(stream, 'after-outage');
    expect([await isOpen(stream), has(stream, 'a')]).toEqual([true, true]);
  }
  await eventually('the status of a fresh object', () => isValid('after-outage'), limitMs);
  expect(new Map([...(await versions())].filter(([name]) => name !== 'after-outage'))).toEqual(before);
}, 60_000);
