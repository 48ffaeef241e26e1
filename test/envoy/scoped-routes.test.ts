import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { encode } from '../../pkg/envoy/protobuf.ts';
import { scopedRoute, scopeKey, shardName } from '../../pkg/envoy/route/scopes.ts';
import { ScopedRouteConfiguration } from '../../pkg/envoy-api/envoy/config/route/v3/scoped_route.ts';
import { encodedResource, typeUrls } from '../../pkg/xdscache/resource.ts';
import { cluster, forward, listener, origin, route, virtualHost } from '../lib/dag.ts';
import { eventually } from '../lib/eventually.ts';
import { exchange, get } from '../lib/http-client.ts';
import { ServedDag } from '../lib/served-dag.ts';
import { update } from '../lib/xds-fixtures.ts';

const name = 'ingress_http';
const exact = virtualHost(name, 'a.example.com', { routes: [route('/only', { action: forward(cluster('exact')) })] });
const wild = virtualHost(name, '*.wild.com', { routes: [route('/', { action: forward(cluster('wild')) })] });
const deep = virtualHost(name, '*.deep.wild.com', { routes: [route('/', { action: forward(cluster('deep')) })] });
const all = virtualHost(name, '*', { routes: [route('/', { action: forward(cluster('all')) })] });
const named = virtualHost(name, 'named.wild.com', { routes: [route('/only', { action: forward(cluster('named')) })] });

const answers = [
  { title: 'an exact host is found', host: 'a.example.com', want: 'exact' },
  { title: 'a port in Host does not matter', host: 'a.example.com:8123', want: 'exact' },
  { title: 'the case of Host does not matter', host: 'A.Example.COM', want: 'exact' },
  { title: 'nor both', host: 'A.Example.COM:8123', want: 'exact' },
  { title: 'a wildcard takes hosts of any depth', host: 'x.y.wild.com', want: 'wild' },
  { title: 'a wildcard takes a host with a port', host: 'x.wild.com:99', want: 'wild' },
  { title: 'the deepest wildcard wins', host: 'x.deep.wild.com', want: 'deep' },
  { title: 'the deepest wildcard wins for upper case', host: 'X.Deep.wild.com', want: 'deep' },
  { title: 'an exact host wins over a wildcard', host: 'named.wild.com', want: 'named' },
] as const;

const namesOfScopes = ['REST', 'ALL', 'rest', '[::1]:80', '-'] as const;

describe.each([
  { sort: 'exact and wildcard hosts', hosts: [exact, wild, deep, named], unknown: { status: 404 } },
  { sort: 'the same and a catch-all', hosts: [exact, wild, deep, named, all], unknown: { status: 200, service: 'all' } },
])('scoped routes with $sort answer as one table', ({ hosts, unknown }) => {
  let served: ServedDag;

  beforeAll(async () => {
    served = await ServedDag.start();
    for (const service of ['exact', 'wild', 'deep', 'named', 'all']) await served.backend(service);
    served.change({ listeners: [listener(name, { port: served.ports.http })], hosts });
    await served.startEnvoy();
  }, 30_000);
  afterAll(() => served[Symbol.asyncDispose]());

  const ask = (host: string, fields: { path?: string; headers?: Record<string, string> } = {}) =>
    get({ port: served.ports.http, host, path: '/only', ...fields });
  const outcome = async (answer: ReturnType<typeof ask>) => {
    const { status, json } = await answer;
    return status === 200 ? { status, service: json()['service'] } : { status };
  };

  test.each(answers)('$title', async ({ host, want }) => {
    expect(await outcome(ask(host))).toEqual({ status: 200, service: want });
  });

  test('the upstream sees Host as it was sent, and no scope', async () => {
    const seen = (await ask('A.Example.com:8123')).json();
    expect(seen['host']).toBe('A.Example.com:8123');
    expect(seen).not.toHaveProperty('x-isoline-scope');
    expect((await ask('a.example.com:8123')).json()).toMatchObject({
      host: 'a.example.com:8123',
      'x-request-start': expect.stringMatching(/^t=[0-9.]+$/),
    });
  });

  test('a path that a known host does not have is 404, not for wildcards or the catch-all', async () => {
    expect(await outcome(ask('named.wild.com', { path: '/other' }))).toEqual({ status: 404 });
    expect(await outcome(ask('NAMED.wild.com:80', { path: '/other' }))).toEqual({ status: 404 });
  });

  test('an unknown host', async () => {
    expect(await outcome(ask('nobody.com'))).toEqual(unknown);
    expect(await outcome(ask('Nobody.com:80'))).toEqual(unknown);
  });

  test('a trailing dot makes another name', async () => {
    expect(await outcome(ask('a.example.com.'))).toEqual(unknown);
  });

  test.each(['ingress_http|REST', 'ingress_http|REST:1', 'ingress_http|named.wild.com'])(
    'a scope %s of the client has no effect',
    async (scope) => {
      const headers = { 'x-isoline-scope': scope };
      expect(await outcome(ask('a.example.com', { headers }))).toEqual({ status: 200, service: 'exact' });
      expect(await outcome(ask('a.example.com', { headers, path: '/other' }))).toEqual({ status: 404 });
      expect(await outcome(ask('nobody.com', { headers }))).toEqual(unknown);
    },
  );

  test.each(namesOfScopes)('a Host of %s is an unknown host', async (host) => {
    expect(await outcome(ask(host))).toEqual(unknown);
  });

  test('a Host with the separator of scopes is refused', async () => {
    expect(await outcome(ask('ingress_http|a.example.com'))).toEqual({ status: 400 });
  });

  test('HTTP/1.0 is served, and needs a Host', async () => {
    expect(await exchange(served.ports.http, 'GET /only HTTP/1.0\r\nHost: a.example.com\r\n\r\n')).toMatch(
      /^HTTP\/1\.[01] 200 .*"service":"exact"/s,
    );
    expect(await exchange(served.ports.http, 'GET /only HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.[01] 400 /);
  });

  test('Envoy refuses nothing', async () => {
    expect(served.refused()).toEqual([]);
    const rejected = [...(await served.envoy.stats('update_rejected'))].filter(([, value]) => value > 0);
    expect(rejected).toEqual([]);
  });
});

test('hosts come, change and go without a change of the listener', async () => {
  await using served = await ServedDag.start();
  for (const service of ['one', 'two', 'rest']) await served.backend(service);
  const routed = (host: string, service: string) =>
    virtualHost(name, host, { routes: [route('/', { action: forward(cluster(service)) })], origins: [origin(service)] });
  served.change({ listeners: [listener(name, { port: served.ports.http })], hosts: [routed('one.com', 'one')] });
  await served.startEnvoy();
  const service = async (host: string) => {
    const { status, json } = await get({ port: served.ports.http, host });
    return status === 200 ? json()['service'] : status;
  };
  const before = await served.envoy.stats('^listener_manager.lds.update_success$');

  await served.changed({ hosts: [routed('two.com', 'two')] });
  expect([await service('two.com'), await service('TWO.com'), await service('three.com')]).toEqual(['two', 'two', 404]);

  await served.changed({ hosts: [routed('*', 'rest')] });
  expect([await service('two.com'), await service('Three.com'), await service('three.com')]).toEqual(['two', 'rest', 'rest']);

  await served.changed({ hosts: [routed('two.com', 'one')], without: [[name, 'one.com']] });
  expect([await service('two.com'), await service('Two.com'), await service('one.com')]).toEqual(['one', 'one', 'rest']);

  await served.changed({ without: [[name, '*']] });
  expect([await service('two.com'), await service('Two.com'), await service('one.com')]).toEqual(['one', 'one', 404]);
  expect(await served.envoy.stats('^listener_manager.lds.update_success$')).toEqual(before);
  expect(served.refused()).toEqual([]);
}, 30_000);

test('a host whose scope has come and whose table has not is served by its wildcard', async () => {
  await using served = await ServedDag.start();
  await served.backend('wild');
  served.change({ listeners: [listener(name, { port: served.ports.http })], hosts: [wild] });
  await served.startEnvoy();
  const key = scopeKey(name, 'new.wild.com');
  const bytes = encode(ScopedRouteConfiguration, scopedRoute(key, shardName(name, 'new.wild.com')));
  served.snapshot.apply(update({ scopedRoute: [encodedResource(key, [], { version: '1', bytes })] }));
  await eventually('the scope to be taken', () =>
    served.server.connections().some(({ types }) => types.get(typeUrls.scopedRoute)?.accepted.has(key)),
  );
  const { status, json } = await get({ port: served.ports.http, host: 'new.wild.com' });
  expect([status, json()['service']]).toEqual([200, 'wild']);
}, 30_000);
