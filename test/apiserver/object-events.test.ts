import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { TestEnvironment } from '../../pkg/controller-runtime/envtest/environment.ts';
import type { EventObject } from '../../pkg/controller-runtime/events/event-object.ts';
import { startApiServer } from '../lib/api-server.ts';
import { eventually } from '../lib/eventually.ts';
import { Replica } from '../lib/replica.ts';

const ingresses = '/apis/networking.k8s.io/v1/namespaces/shop/ingresses';
const proxies = '/apis/projectcontour.io/v1/namespaces/shop/httpproxies';
const limitMs = 15_000;

let environment: TestEnvironment;

beforeAll(async () => {
  environment = await startApiServer({ crds: ['config/crd'], namespaces: ['shop', 'projectcontour'] });
}, 150_000);

afterAll(() => environment.stop());

const post = (path: string, body: object) => environment.request({ method: 'POST', path, body });

function ingress(name: string): object {
  const annotations = { 'projectcontour.io/response-timeout': 'soon' };
  const spec = { defaultBackend: { service: { name: 'app', port: { number: 80 } } } };
  return { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name, annotations }, spec };
}

async function eventsOf(name: string): Promise<readonly EventObject[]> {
  const path = '/apis/events.k8s.io/v1/namespaces/shop/events';
  const { items } = (await environment.request({ method: 'GET', path })) as { readonly items: readonly EventObject[] };
  return items.filter(({ regarding }) => regarding.name === name);
}

test('what has no place in a status, and a proxy that becomes invalid, are told of in Events by one of two replicas', async () => {
  await post(ingresses, ingress('before'));
  await using one = await Replica.start(environment);
  await eventually('a leader', () => one.isLeader(), limitMs);
  await using two = await Replica.start(environment);
  expect(await two.isLeader()).toBe(false);
  await post(ingresses, ingress('app'));
  const spec = { virtualhost: { fqdn: 'p.example.com' }, routes: [{ services: [{ name: 'nowhere', port: 80 }] }] };
  await post(proxies, { apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy', metadata: { name: 'proxy' }, spec });
  await eventually('the Events', async () => (await eventsOf('app')).length > 0 && (await eventsOf('proxy')).length > 0, limitMs);
  expect(await eventsOf('proxy')).toMatchObject([
    {
      type: 'Warning',
      reason: 'ServiceUnresolvedReference',
      regarding: { kind: 'HTTPProxy', namespace: 'shop' },
      note: expect.stringContaining('shop/nowhere'),
      reportingController: 'projectcontour.io/isoline',
    },
  ]);
  const told = await eventsOf('app');
  expect(told.some(({ note }) => note.includes('response-timeout'))).toBe(true);
  expect(new Set(told.map(({ reason }) => reason)).size).toBe(told.length);
  expect(await eventsOf('before')).toEqual([]);
}, 60_000);
