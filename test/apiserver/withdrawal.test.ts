import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { gatewayApiCrdDir } from '../../hack/lib/binaries.ts';
import type { TestEnvironment } from '../../pkg/controller-runtime/envtest/environment.ts';
import { startApiServer } from '../lib/api-server.ts';
import { eventually } from '../lib/eventually.ts';
import { Replica } from '../lib/replica.ts';

type Status = Readonly<Record<string, unknown>> & { readonly parents?: readonly object[]; readonly conditions?: readonly object[] };

const controllerName = 'projectcontour.io/gateway-controller';
const gatewayGroup = '/apis/gateway.networking.k8s.io/v1';
const paths = {
  proxy: '/apis/projectcontour.io/v1/namespaces/shop/httpproxies',
  ingress: '/apis/networking.k8s.io/v1/namespaces/shop/ingresses',
  route: `${gatewayGroup}/namespaces/shop/httproutes`,
} as const;
const limitMs = 15_000;

let environment: TestEnvironment;
let config: string;

beforeAll(async () => {
  environment = await startApiServer({ namespaces: ['shop', 'projectcontour'], crds: ['config/crd', gatewayApiCrdDir()] });
  config = join(environment.directory, 'isoline.yaml');
  writeFileSync(config, 'gateway:\n  gatewayRef: { namespace: projectcontour, name: ours }\n');
  await post(`${gatewayGroup}/gatewayclasses`, { metadata: { name: 'ours' }, spec: { controllerName } });
  const listeners = [{ name: 'http', port: 80, protocol: 'HTTP', allowedRoutes: { namespaces: { from: 'All' } } }];
  await post(`${gatewayGroup}/namespaces/projectcontour/gateways`, {
    metadata: { name: 'ours' },
    spec: { gatewayClassName: 'ours', listeners },
  });
}, 150_000);

afterAll(() => environment.stop());

const post = (path: string, body: object) => environment.request({ method: 'POST', path, body: { ...typeOf(path), ...body } });
const patch = (path: string, body: object) =>
  environment.request({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
const statusOf = async (kind: keyof typeof paths): Promise<Status> =>
  ((await environment.request({ method: 'GET', path: `${paths[kind]}/app` })) as { readonly status?: Status }).status ?? {};

const kinds: Readonly<Record<string, string>> = {
  gatewayclasses: 'GatewayClass',
  gateways: 'Gateway',
  httproutes: 'HTTPRoute',
  httpproxies: 'HTTPProxy',
  ingresses: 'Ingress',
};

/** The type of a collection, by its path. */
function typeOf(path: string): object {
  const [, , group, version] = path.split('/');
  return { apiVersion: `${group}/${version}`, kind: kinds[path.split('/').at(-1) ?? ''] };
}

test('what leaves our class or our Gateway loses the status that we wrote, and keeps that of others', async () => {
  const backend = { service: { name: 'app', port: { number: 80 } } };
  await post(paths.proxy, {
    metadata: { name: 'app' },
    spec: { virtualhost: { fqdn: 'proxy.example.com' }, routes: [{ services: [{ name: 'app', port: 80 }] }] },
  });
  await post(paths.ingress, { metadata: { name: 'app' }, spec: { defaultBackend: backend } });
  const other = { namespace: 'shop', name: 'other' };
  await post(paths.route, { metadata: { name: 'app' }, spec: { parentRefs: [{ namespace: 'projectcontour', name: 'ours' }, other] } });
  // Another process of the same controller name serves the other Gateway.
  const conditions = [{ type: 'Accepted', status: 'True', reason: 'Accepted', message: '', lastTransitionTime: '2020-01-01T00:00:00Z' }];
  const theirs = { parentRef: { group: 'gateway.networking.k8s.io', kind: 'Gateway', ...other }, controllerName, conditions };
  await patch(`${paths.route}/app/status`, { status: { parents: [theirs] } });

  await using replica = await Replica.start(
    environment,
    `--config-path=${config}`,
    '--disable-leader-election',
    '--ingress-status-address=192.0.2.7',
  );
  await eventually('the HTTPProxy', async () => (await statusOf('proxy'))['loadBalancer'] !== undefined, limitMs);
  await eventually('the Ingress', async () => JSON.stringify(await statusOf('ingress')).includes('192.0.2.7'), limitMs);
  await eventually('the route', async () => (await statusOf('route')).parents?.length === 2, limitMs);

  await patch(`${paths.proxy}/app`, { spec: { ingressClassName: 'theirs' } });
  await patch(`${paths.ingress}/app`, { spec: { ingressClassName: 'theirs' } });
  await patch(`${paths.route}/app`, { spec: { parentRefs: [other] } });
  await eventually('the HTTPProxy to be empty', async () => {
    const { conditions: left = [], ...others } = await statusOf('proxy');
    return left.length === 0 && Object.keys(others).length === 0;
  });
  await eventually('the Ingress to be empty', async () => !JSON.stringify(await statusOf('ingress')).includes('192.0.2.7'));
  await eventually('the route to have one parent', async () => (await statusOf('route')).parents?.length === 1);
  expect((await statusOf('route')).parents).toEqual([theirs]);

  // It is done once: what is written then is none of our business.
  const valid = { conditions: [{ ...conditions[0], type: 'Valid' }], currentStatus: 'theirs' };
  await patch(`${paths.proxy}/app/status`, { status: valid });
  const writes = async () => (await replica.figures('contour_status_update_success_total')).reduce((sum, [, value]) => sum + value, 0);
  const before = await writes();
  await patch(`${paths.proxy}/app`, { metadata: { labels: { touched: 'yes' } } });
  await post(paths.proxy, { metadata: { name: 'next' }, spec: { virtualhost: { fqdn: 'next.example.com' } } });
  await eventually('the next write', async () => (await writes()) === before + 1);
  expect(await statusOf('proxy')).toMatchObject({ currentStatus: 'theirs' });
}, 60_000);

test('what left while no replica ran loses what an earlier leader wrote, unless somebody else has written since', async () => {
  const backend = { service: { name: 'app', port: { number: 80 } } };
  const names = ['left', 'taken'];
  for (const name of names) {
    const routes = [{ services: [{ name: 'app', port: 80 }] }];
    await post(paths.proxy, { metadata: { name }, spec: { virtualhost: { fqdn: `${name}.example.com` }, routes } });
    await post(paths.ingress, { metadata: { name }, spec: { defaultBackend: backend } });
  }
  const read = async (kind: 'proxy' | 'ingress', name: string): Promise<Status> =>
    ((await environment.request({ method: 'GET', path: `${paths[kind]}/${name}` })) as { readonly status?: Status }).status ?? {};
  const flags = ['--ingress-status-address=192.0.2.7', '--leader-election-resource-name=ours'];
  const shows = async (kind: 'proxy' | 'ingress', name: string) => JSON.stringify(await read(kind, name)).includes('192.0.2.7');
  {
    await using replica = await Replica.start(environment, ...flags);
    for (const name of names)
      for (const kind of ['proxy', 'ingress'] as const) await eventually(`${kind} ${name}`, () => shows(kind, name), limitMs);
    expect(replica.running).toBe(true);
  }

  for (const name of names)
    for (const kind of ['proxy', 'ingress'] as const) await patch(`${paths[kind]}/${name}`, { spec: { ingressClassName: 'theirs' } });
  // Another controller, of that class, has been there before we are back: it may have found some of our words right.
  await patch(`${paths.proxy}/taken/status`, { status: { description: 'served by another' } });
  const ingress = [{ ip: '192.0.2.7' }, { ip: '192.0.2.8' }];
  await patch(`${paths.ingress}/taken/status`, { status: { loadBalancer: { ingress } } });
  // And one of another Lease finds nothing of its own.
  const taken = [await read('proxy', 'taken'), await read('ingress', 'taken')];
  {
    await using _ = await Replica.start(environment, '--ingress-status-address=192.0.2.7', '--leader-election-resource-name=another');
    await post(paths.proxy, { metadata: { name: 'mark' }, spec: { virtualhost: { fqdn: 'mark.example.com' } } });
    await eventually('the replica to write', () => shows('proxy', 'mark'), limitMs);
    expect(await Promise.all([shows('proxy', 'left'), shows('ingress', 'left')])).toEqual([true, true]);
  }
  await using _ = await Replica.start(environment, ...flags);
  await eventually('the HTTPProxy to be empty', async () => {
    const { conditions = [], ...others } = await read('proxy', 'left');
    return conditions.length === 0 && Object.keys(others).length === 0;
  });
  await eventually('the Ingress to be empty', async () => !(await shows('ingress', 'left')));
  expect([await read('proxy', 'taken'), await read('ingress', 'taken')]).toEqual(taken);
}, 90_000);
