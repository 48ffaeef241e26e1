import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { TestEnvironment } from '../../pkg/controller-runtime/envtest/environment.ts';
import { typeUrls } from '../../pkg/xdscache/resource.ts';
import { writeKubeconfig } from '../faults/lib/replica.ts';
import { startApiServer } from '../lib/api-server.ts';
import { eventually } from '../lib/eventually.ts';
import { startFaultProxy } from '../lib/fault-proxy.ts';
import { Replica } from '../lib/replica.ts';
import type { XdsClientStream } from '../lib/xds-client.ts';

interface Proxy {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly conditions?: readonly { readonly status: string; readonly observedGeneration?: number }[];
    readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string }[] };
  };
}

const collection = '/apis/projectcontour.io/v1/namespaces/shop/httpproxies';
const envoyService = '/api/v1/namespaces/projectcontour/services/envoy';
const quick = ['--leader-election-lease-duration=2s', '--leader-election-renew-deadline=1500ms', '--leader-election-retry-period=300ms'];

let environment: TestEnvironment;

beforeAll(async () => {
  environment = await startApiServer({ crds: ['config/crd'], namespaces: ['shop', 'projectcontour'] });
  const ports = [{ name: 'http', port: 80 }];
  await send('POST', '/api/v1/namespaces/shop/services', { metadata: { name: 'app' }, spec: { ports } });
  const envoy = { metadata: { name: 'envoy' }, spec: { type: 'LoadBalancer', ports } };
  await send('POST', '/api/v1/namespaces/projectcontour/services', envoy);
}, 150_000);

afterAll(() => environment.stop());

const send = (method: string, path: string, body: object, contentType = 'application/json') =>
  environment.request({ method, path, body, contentType });
const patch = (path: string, body: object) => send('PATCH', path, body, 'application/merge-patch+json');
/** Whether a client has the host. */
const has = (stream: XdsClientStream, name: string) =>
  stream.names(typeUrls.scopedRoute).some((scope) => scope.includes(`${name}.example.com`));
const read = (name: string) => environment.request({ method: 'GET', path: `${collection}/${name}` }) as Promise<Proxy>;
const routes = (port: number) => [{ services: [{ name: 'app', port }] }];
const publish = (ip: string) => patch(`${envoyService}/status`, { status: { loadBalancer: { ingress: [{ ip }] } } });

function create(name: string, service = 'app'): Promise<unknown> {
  const spec = { virtualhost: { fqdn: `${name}.example.com` }, routes: [{ services: [{ name: service, port: 80 }] }] };
  return send('POST', collection, { apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy', metadata: { name }, spec });
}

/** Waits until the condition speaks of the newest generation, and says this of it. */
const untilSaid = (name: string, status: 'True' | 'False') =>
  eventually(`${name} to be ${status}`, async () => {
    const { metadata, status: { conditions = [] } = {} } = await read(name);
    return conditions.some((each) => each.status === status && each.observedGeneration === metadata.generation);
  });

const untilPublished = (name: string, ip: string) =>
  eventually(`${name} to have ${ip}`, async () => (await read(name)).status?.loadBalancer?.ingress?.[0]?.ip === ip);

test('replicas get ready though there is nothing to serve, the follower too (projectcontour/contour#6291, #6613)', async () => {
  await using leader = await Replica.start(environment, '--leader-election-resource-name=idle', ...quick);
  await eventually('the leader', () => leader.isLeader());
  await using follower = await Replica.start(environment, '--leader-election-resource-name=idle', ...quick);
  expect([await leader.isReady(), await follower.isReady(), await follower.isLeader()]).toEqual([true, true, false]);
}, 60_000);

test('no status is lost while somebody else writes the same object all the time (projectcontour/contour#2522, #2977, #4608)', async () => {
  await using replica = await Replica.start(environment, '--leader-election-resource-name=edits', ...quick);
  await create('edited');
  await untilSaid('edited', 'True');
  let flipping = true;
  const annotating = (async () => {
    for (let i = 0; flipping; i++) await patch(`${collection}/edited`, { metadata: { annotations: { example: `${i}` } } });
  })();
  const conflicts = async () => (await replica.figures('contour_status_update_conflict_total')).some(([, value]) => value > 0);
  for (let i = 0; i < 20 || !(await conflicts()); i++) {
    await patch(`${collection}/edited`, { spec: { routes: routes(i % 2 === 0 ? 81 : 80) } });
  }
  await patch(`${collection}/edited`, { spec: { routes: routes(81) } });
  flipping = false;
  await annotating;
  await untilSaid('edited', 'False');

  await patch(`${collection}/edited`, { spec: { routes: routes(80) } });
  await untilSaid('edited', 'True');
}, 60_000);

test('a follower takes every change of the address in its stride, and writes the newest when it leads (projectcontour/contour#6860, #3412)', async () => {
  await using leader = await Replica.start(environment, '--leader-election-resource-name=addresses', ...quick);
  await eventually('the leader', () => leader.isLeader());
  await using follower = await Replica.start(environment, '--leader-election-resource-name=addresses', ...quick);
  await create('addressed');
  for (let i = 1; i <= 100; i++) await publish(`198.51.100.${i}`);
  await untilPublished('addressed', '198.51.100.100');

  const stream = follower.connect(typeUrls.scopedRoute);
  await create('later');
  await eventually('the later host', () => has(stream, 'later'));
  expect(await follower.isLeader()).toBe(false);

  await leader.end('SIGKILL');
  await publish('198.51.100.200');
  await untilPublished('addressed', '198.51.100.200');
  await untilPublished('later', '198.51.100.200');
  expect(await follower.isLeader()).toBe(true);
}, 60_000);

test('routes wait for no status, however many are to be written (projectcontour/contour#5001, #3845, #2979)', async () => {
  await using proxy = await startFaultProxy(environment);
  const kubeconfig = join(environment.directory, 'kubeconfig-slow');
  writeKubeconfig(kubeconfig, proxy.url, { token: environment.token });
  await using replica = await Replica.start({ kubeconfig }, '--leader-election-resource-name=many', ...quick);
  const names = Array.from({ length: 200 }, (_, i) => `many-${i}`);
  for (const name of names) await create(name, 'missing');
  await untilSaid('many-199', 'False');

  let held = 0;
  proxy.rule = ({ method, path }) => {
    if (method !== 'PATCH' || !path.endsWith('/status')) return undefined;
    held++;
    return { type: 'answer', status: 503, headers: { 'retry-after': '1' } };
  };
  await send('POST', '/api/v1/namespaces/shop/services', { metadata: { name: 'missing' }, spec: { ports: [{ name: 'http', port: 80 }] } });
  await eventually('a write that is held up', () => held > 0);
  const stream = replica.connect(typeUrls.scopedRoute);
  await create('fresh');
  await eventually('the fresh host', () => has(stream, 'fresh'));
  expect((await read('fresh')).status?.conditions?.some(({ status }) => status === 'True') ?? false).toBe(false);

  proxy.rule = undefined;
  for (const name of [...names, 'fresh']) await untilSaid(name, 'True');
}, 60_000);
