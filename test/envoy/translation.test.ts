import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Route } from '../../pkg/dag/model/route.ts';
import { cluster, forward, listener, origin, route, servicePort, virtualHost } from '../lib/dag.ts';
import { get } from '../lib/http-client.ts';
import { ServedDag } from '../lib/served-dag.ts';

const name = 'ingress_http';
const to = forward(cluster('web'));
const rewritten = (prefix: string, pathRewrite: object): Route =>
  route(prefix, { action: { ...to, forward: { pathRewrite } } as Route['action'] });
const matching = (path: Route['match']['path'], rest: Partial<Route['match']> = {}): Pick<Route, 'match'> => ({
  match: { path, headers: [], queryParameters: [], ...rest },
});
const header = { name: 'x-want', type: 'exact', value: '', invert: false, ignoreCase: false, treatMissingAsEmpty: false } as const;

const hosts = [
  virtualHost(name, 'paths.com', {
    routes: [
      route('', { ...matching({ type: 'exact', path: '/exact' }), action: { type: 'direct-response', status: 201, body: 'exact' } }),
      route('', { ...matching({ type: 'regex', regex: '/r[0-9]+' }), action: { type: 'direct-response', status: 202 } }),
      route('', { ...matching({ type: 'prefix', prefix: '/seg/', by: 'segment' }), action: { type: 'direct-response', status: 203 } }),
      route('', {
        ...matching({ type: 'prefix', prefix: '/h', by: 'string' }, { headers: [{ ...header, type: 'regex', value: 'a|b' }] }),
        action: { type: 'direct-response', status: 204 },
      }),
      route('', {
        ...matching(
          { type: 'prefix', prefix: '/h', by: 'string' },
          { headers: [{ ...header, type: 'contains', value: 'A.', ignoreCase: true }] },
        ),
        action: { type: 'direct-response', status: 205 },
      }),
      route('', {
        ...matching(
          { type: 'prefix', prefix: '/h', by: 'string' },
          { headers: [{ ...header, value: 'no', invert: true, treatMissingAsEmpty: true }] },
        ),
        action: { type: 'direct-response', status: 206 },
      }),
      route('', {
        ...matching(
          { type: 'prefix', prefix: '/q', by: 'string' },
          { queryParameters: [{ name: 'k', type: 'suffix', value: 'z', ignoreCase: false }] },
        ),
        action: { type: 'direct-response', status: 207 },
      }),
      route('', { ...matching({ type: 'prefix', prefix: '/', by: 'segment' }), action: { type: 'direct-response', status: 299 } }),
    ],
  }),
  virtualHost(name, 'rewrites.com', {
    routes: [
      rewritten('/prefix', { type: 'prefix', replacement: '/new' }),
      rewritten('/full', { type: 'full-path', path: '/all\\1' }),
      rewritten('/a.b', { type: 'remove-prefix', prefix: '/a.b/' }),
      route('/headers', {
        action: to,
        requestHeaders: {
          set: [{ name: 'X-Set', value: 'set' }],
          add: [{ name: 'X-Add', value: 'added' }],
          remove: ['x-gone'],
          hostRewrite: 'other.example',
        },
        responseHeaders: { set: [{ name: 'X-Answer', value: '42' }], add: [], remove: ['x-backend'] },
      }),
      route('/shares', {
        action: {
          type: 'forward',
          clusters: [
            {
              cluster: cluster('web'),
              weight: 0,
              requestHeaders: { set: [{ name: 'X-Share', value: 'web' }], add: [], remove: [], hostRewrite: 'share.example' },
            },
          ],
        },
      }),
    ],
  }),
  virtualHost(name, 'redirects.com', {
    routes: [
      route('/host', { action: { type: 'redirect', redirect: { hostname: 'new.com', port: 81, scheme: 'https', statusCode: 308 } } }),
      route('/path', { action: { type: 'redirect', redirect: { statusCode: 302, path: { type: 'full-path', path: '/here' } } } }),
      route('/pre', { action: { type: 'redirect', redirect: { statusCode: 303, path: { type: 'prefix', replacement: '/post' } } } }),
      route('/cut', { action: { type: 'redirect', redirect: { statusCode: 307, path: { type: 'remove-prefix', prefix: '/cut' } } } }),
    ],
  }),
  virtualHost(name, 'secure.com', { routes: [route('/', { httpsRedirect: true })] }),
  virtualHost(name, '*.secure.com', { routes: [route('/', { httpsRedirect: true })] }),
  virtualHost(name, 'shares.com', {
    routes: [route('/', { action: { type: 'forward', clusters: [{ cluster: cluster('web'), weight: 3 }], errorWeight: 1 } })],
  }),
  virtualHost(name, 'empty.com', { routes: [route('/', { action: forward(cluster('nobody')) })] }),
  virtualHost(name, 'names.com', {
    routes: [
      route('/', {
        action: forward(cluster('', { service: servicePort('external', { externalName: 'localhost' }), dnsLookupFamily: 'v4' })),
      }),
    ],
  }),
  virtualHost(name, 'dead.com', {
    routes: [
      route('/', { action: { type: 'forward', clusters: [{ cluster: cluster('web'), weight: 1 }], forward: { responseTimeoutMs: 0.5 } } }),
    ],
  }),
];

describe('what routes ask for is done', () => {
  let served: ServedDag;

  beforeAll(async () => {
    served = await ServedDag.start();
    await served.backend('web');
    served.change({ listeners: [listener(name, { port: served.ports.http })], hosts });
    await served.startEnvoy();
  }, 30_000);
  afterAll(() => served[Symbol.asyncDispose]());

  const ask = (host: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
    get({ port: served.ports.http, host, path, headers });

  test.each([
    { path: '/exact', want: 201 },
    { path: '/exact/', want: 299 },
    { path: '/r12', want: 202 },
    { path: '/r12x', want: 299 },
    { path: '/seg', want: 203 },
    { path: '/seg/x', want: 203 },
    { path: '/segx', want: 299 },
    { path: '/h', headers: { 'x-want': 'b' }, want: 204 },
    { path: '/h', headers: { 'x-want': 'xa.x' }, want: 205 },
    { path: '/h', headers: { 'x-want': 'axc' }, want: 206 },
    { path: '/h', want: 206 },
    { path: '/h', headers: { 'x-want': 'no' }, want: 299 },
    { path: '/q?k=xyz', want: 207 },
    { path: '/q?k=zy', want: 299 },
  ])('$path with $headers is matched', async ({ path, headers, want }) => {
    expect((await ask('paths.com', path, headers)).status).toBe(want);
  });

  test.each([
    { path: '/prefix/x?y', want: '/new/x?y' },
    { path: '/full/x?y', want: '/all\\1?y' },
    { path: '/a.b/x', want: '/x' },
    { path: '/a.b', want: '/' },
    { path: '/a.b//x', want: '/x' },
  ])('$path is rewritten to $want', async ({ path, want }) => {
    expect((await ask('rewrites.com', path)).json()['path']).toBe(want);
  });

  test('headers are set, added and removed, and Host is rewritten', async () => {
    const answer = await ask('rewrites.com', '/headers', { 'x-set': 'before', 'x-add': 'first', 'x-gone': '1' });
    expect(answer.json()).toMatchObject({ 'x-set': 'set', 'x-add': 'first, added', host: 'other.example' });
    expect(answer.json()).not.toHaveProperty('x-gone');
    expect(answer.headers).toMatchObject({ 'x-answer': '42' });
    expect(answer.headers).not.toHaveProperty('x-backend');
  });

  test('a share has headers of its own, and counts where all weights are 0', async () => {
    expect((await ask('rewrites.com', '/shares')).json()).toMatchObject({ 'x-share': 'web', host: 'share.example' });
  });

  test.each([
    { path: '/host/x', status: 308, location: 'https://new.com:81/host/x' },
    { path: '/path/x', status: 302, location: 'http://redirects.com/here' },
    { path: '/pre/x', status: 303, location: 'http://redirects.com/post/x' },
    { path: '/cut/x', status: 307, location: 'http://redirects.com/x' },
  ])('$path is redirected to $location', async ({ path, status, location }) => {
    const answer = await ask('redirects.com', path);
    expect({ status: answer.status, location: answer.headers.location }).toEqual({ status, location });
  });

  test.each([
    { host: 'secure.com', location: 'https://secure.com/x?y=1' },
    { host: 'secure.com:8000', location: 'https://secure.com/x?y=1' },
    { host: 'SECURE.com:8000', location: 'https://secure.com/x?y=1' },
    { host: 'a.secure.com', location: 'https://a.secure.com/x?y=1' },
    { host: 'a.secure.com:8000', location: 'https://a.secure.com:443/x?y=1' },
  ])('plain HTTP for $host is sent to $location', async ({ host, location }) => {
    const answer = await ask(host, '/x?y=1');
    expect({ status: answer.status, location: answer.headers.location }).toEqual({ status: 301, location });
  });

  test('backends that do not exist fail their share of the requests, and no more', async () => {
    const statuses = await Promise.all(Array.from({ length: 400 }, async () => (await ask('shares.com', '/')).status));
    const failed = statuses.filter((status) => status === 500).length;
    expect(new Set(statuses)).toEqual(new Set([200, 500]));
    // 100 are expected; 5 standard deviations are 43.
    expect(Math.abs(failed - 100)).toBeLessThan(44);
  });

  test('a Service without endpoints answers 503', async () => {
    expect((await ask('empty.com', '/')).status).toBe(503);
  });

  test('a response that takes too long answers 504, even where the limit is below a millisecond', async () => {
    expect((await ask('dead.com', '/?wait=1000')).status).toBe(504);
  });

  test('Envoy refuses nothing, and each part names its origin', async () => {
    expect(served.refused()).toEqual([]);
    expect([...(await served.envoy.stats('update_rejected'))].filter(([, value]) => value > 0)).toEqual([]);
    const { body } = await served.envoy.admin('/config_dump');
    const origins: unknown[] = [];
    JSON.parse(body, (key, value: unknown) => (key === 'isoline.origin' ? origins.push(value) : value));
    expect(origins).toContainEqual(origin());
    expect(origins).toContainEqual({ kind: 'Service', namespace: 'ns', name: 'web', path: '' });
    expect(origins).toContainEqual(origin('listeners'));
    expect(origins).toContainEqual({ origins: [origin()] });
  });
});

test('the configuration of the listener holds: trailing dots, compression, server header, limits', async () => {
  await using served = await ServedDag.start(({ listener: config }) => ({
    listener: {
      ...config,
      stripTrailingHostDot: true,
      compression: 'gzip',
      serverHeaderTransformation: 'pass_through',
      maxConnectionsPerListener: 100,
      connectionBalancer: 'exact',
    },
    runtimeSettings: { 'a.setting': '7' },
  }));
  await served.backend('web');
  served.change({
    listeners: [listener(name, { port: served.ports.http })],
    hosts: [
      virtualHost(name, 'a.com', { routes: [route('/', { action: to })] }),
      virtualHost(name, 'text.com', {
        routes: [route('/', { action: { type: 'direct-response', status: 200, body: 'text '.repeat(100) } })],
      }),
    ],
  });
  await served.startEnvoy();
  const ask = (host: string, headers = {}) => get({ port: served.ports.http, host, headers });

  expect((await ask('a.com.')).json()['host']).toBe('a.com');
  expect((await ask('A.com.:81')).json()['host']).toBe('A.com:81');
  expect((await ask('a.com')).headers).not.toHaveProperty('server');
  expect((await ask('text.com', { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBe('gzip');
  const { body } = await served.envoy.admin('/runtime');
  expect(JSON.parse(body)).toMatchObject({
    entries: { 'envoy.resource_limits.listener.ingress_http.connection_limit': { final_value: '100' }, 'a.setting': { final_value: '7' } },
  });
  expect(served.refused()).toEqual([]);
}, 30_000);

test('an Envoy with a stream for each type is served too', async () => {
  await using served = await ServedDag.start();
  await served.backend('web');
  const host = (domain: string) => virtualHost(name, domain, { routes: [route('/', { action: to })] });
  served.change({ listeners: [listener(name, { port: served.ports.http })], hosts: [host('a.com'), host('*.b.com')] });
  await served.startEnvoy((bootstrap) => {
    const service = { envoy_grpc: { cluster_name: 'contour', authority: 'contour' } };
    const source = {
      api_config_source: { api_type: 'GRPC', transport_api_version: 'V3', grpc_services: [service] },
      resource_api_version: 'V3',
    };
    bootstrap['dynamic_resources'] = { lds_config: source, cds_config: source };
    bootstrap['layered_runtime'] = { layers: [{ name: 'dynamic', rtds_layer: { name: 'dynamic', rtds_config: source } }] };
  });
  const status = async (domain: string) => (await get({ port: served.ports.http, host: domain })).status;
  expect([await status('a.com'), await status('A.com:80'), await status('x.b.com'), await status('c.com')]).toEqual([200, 200, 200, 404]);
  await served.changed({ hosts: [host('c.com')] });
  expect(await status('C.com')).toBe(200);
  expect(served.refused()).toEqual([]);
}, 30_000);

test.each(['::', '127.0.0.1'])(
  'a listener on %s takes DSCP marks of both families',
  async (address) => {
    await using served = await ServedDag.start(({ listener: config }) => ({
      listener: { ...config, socketOptions: { tos: 32, trafficClass: 32 } },
    }));
    await served.backend('web');
    served.change({
      listeners: [listener(name, { address, port: served.ports.http })],
      hosts: [virtualHost(name, '*', { routes: [route('/', { action: to })] })],
    });
    await served.startEnvoy();
    expect((await get({ port: served.ports.http, host: 'a.com' })).status).toBe(200);
  },
  30_000,
);
