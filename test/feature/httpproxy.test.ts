import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { shardName } from '../../pkg/envoy/route/scopes.ts';
import { ControlPlane } from '../lib/control-plane.ts';
import { endpointSlice, httpProxy, manifest, service } from '../lib/manifests.ts';
import { XdsFollower } from '../lib/xds-follower.ts';

const shard = shardName('ingress_http', 'app.example.com');
const to = (name: string): string => `services: [{name: ${name}, port: 80}]`;
const app = (rest: string, id = 'app'): string => httpProxy(id, `{virtualhost: {fqdn: app.example.com}, ${rest}}`);

let plane: ControlPlane;
let follower: XdsFollower;

beforeEach(async () => {
  const namespaces = ['demo', 'team'].map((name) => manifest('v1', 'Namespace', `/${name}`, '')).join('');
  const services = ['demo/web', 'demo/other', 'team/web'].map((id) => service(id) + endpointSlice(id, 8080)).join('');
  plane = await ControlPlane.start({}, namespaces + services);
  follower = await XdsFollower.start(plane);
});

afterEach(() => plane[Symbol.asyncDispose]());

/** The clusters that the routes of the host lead to, each once, in order; `none` where it is not served. */
async function clusters(): Promise<string> {
  await follower.sent();
  if (!follower.names('scopedRoute').includes('ingress_http|app.example.com')) return 'none';
  const found = [...follower.text('route', shard).matchAll(/"(?:cluster|name)":"(\w+\/\w+)\/80\//g)].map(([, name]) => name);
  return [...new Set(found)].sort().join(' ');
}

const status = (name = 'demo/app'): string => plane.status(`HTTPProxy ${name}`);

/** The generation that the status of the proxy speaks of. */
const observed = (): number =>
  (plane.wanted('HTTPProxy demo/app') as { conditions: { observedGeneration: number }[] }).conditions[0]!.observedGeneration;

describe('an HTTPProxy', () => {
  test('is served when it comes, as it is edited, until it goes', async () => {
    await plane.apply(app(`routes: [{${to('web')}}]`));
    expect([await clusters(), status(), observed()]).toEqual(['demo/web', 'valid', 1]);
    await plane.apply(app(`routes: [{${to('other')}}]`));
    expect([await clusters(), status(), observed()]).toEqual(['demo/other', 'valid', 2]);
    await plane.apply(app('routes: [{services: [{name: web, port: 80, weight: 1}, {name: other, port: 80, weight: 1}]}]'));
    expect(await clusters()).toBe('demo/other demo/web');
    await plane.remove('HTTPProxy demo/app');
    expect([await clusters(), status()]).toEqual(['none', 'none']);
    expect(follower.names('listener')).not.toContain('ingress_http');
    expect([...follower.names('cluster'), ...follower.names('endpoint'), ...follower.names('route')]).toEqual([]);
  });

  test('follows its Services, untouched', async () => {
    await plane.apply(app(`routes: [{${to('late')}}]`));
    expect([await clusters(), status()]).toEqual(['', 'ServiceError/ServiceUnresolvedReference']);
    expect(follower.text('route', shard)).toContain('503');
    await plane.apply(service('late') + endpointSlice('late', 8080));
    expect([await clusters(), status(), observed()]).toEqual(['demo/late', 'valid', 1]);
    await plane.apply(service('late', '[{name: http, port: 81}]'));
    expect([await clusters(), status()]).toEqual(['', 'ServiceError/ServiceUnresolvedReference']);
    expect(plane.messages('HTTPProxy demo/app')).toContain('port "80" on service "demo/late" not matched');
  });

  test('whose edit is bad is told so and closed, and comes back with the next', async () => {
    await plane.apply(app(`routes: [{${to('web')}}]`));
    await plane.apply(app(`routes: [{conditions: [{prefix: /a}, {prefix: /b}], ${to('web')}}]`));
    expect([await clusters(), status()]).toEqual(['none', 'RouteError/PathMatchConditionsNotValid']);
    await plane.apply(app(`routes: [{conditions: [{regex: "["}], ${to('web')}}]`));
    expect([await clusters(), status()]).toEqual(['none', 'RouteError/PathMatchConditionsNotValid']);
    await plane.apply(app(`routes: [{${to('web')}}]`));
    expect([await clusters(), status()]).toEqual(['demo/web', 'valid']);
  });

  test('tells only statuses that changed', async () => {
    await plane.apply(
      app(`routes: [{${to('web')}}]`) + httpProxy('two', `{virtualhost: {fqdn: two.example.com}, routes: [{${to('web')}}]}`),
    );
    const builds = plane.builds.length;
    await plane.apply(endpointSlice('web', 9090));
    await plane.apply(app(`routes: [{${to('other')}}]`));
    const told = plane.builds.slice(builds).flatMap(({ statuses }) => statuses.map(({ object }) => object.name));
    expect(told).toEqual(['app']);
  });
});

describe('a host that two HTTPProxies claim', () => {
  test('is closed while they do, and both say who the other is', async () => {
    await plane.apply(app(`routes: [{${to('web')}}]`));
    await plane.apply(app(`routes: [{${to('other')}}]`, 'second'));
    expect([await clusters(), status(), status('demo/second')]).toEqual([
      'none',
      'VirtualHostError/DuplicateVhost',
      'VirtualHostError/DuplicateVhost',
    ]);
    expect(plane.messages('HTTPProxy demo/app')).toContain('demo/second');
    await plane.remove('HTTPProxy demo/app');
    expect([await clusters(), status('demo/second')]).toEqual(['demo/other', 'valid']);
  });

  test('is open again when one takes another host', async () => {
    await plane.apply(app(`routes: [{${to('web')}}]`) + app(`routes: [{${to('other')}}]`, 'second'));
    expect(await clusters()).toBe('none');
    await plane.apply(httpProxy('second', `{virtualhost: {fqdn: two.example.com}, routes: [{${to('other')}}]}`));
    expect([await clusters(), status(), status('demo/second')]).toEqual(['demo/web', 'valid', 'valid']);
    expect(follower.names('scopedRoute')).toContain('ingress_http|two.example.com');
  });
});

describe('an include', () => {
  const root = app(`includes: [{name: child, namespace: team, conditions: [{prefix: /child}]}], routes: [{${to('web')}}]`);

  test('brings the routes of the child while it is there, in its own namespace', async () => {
    await plane.apply(root);
    expect([await clusters(), status()]).toEqual(['demo/web', 'IncludeError/IncludeNotFound']);
    await plane.apply(httpProxy('team/child', `{routes: [{${to('web')}}]}`));
    expect([await clusters(), status(), status('team/child')]).toEqual(['demo/web team/web', 'valid', 'valid']);
    expect(follower.text('route', shard)).toContain('/child');
    await plane.remove('HTTPProxy team/child');
    expect([await clusters(), status(), status('team/child')]).toEqual(['demo/web', 'IncludeError/IncludeNotFound', 'none']);
  });

  test('lets an edit of the child reach the host, and no other host', async () => {
    await plane.apply(
      root +
        httpProxy('two', `{virtualhost: {fqdn: two.example.com}, routes: [{${to('web')}}]}`) +
        httpProxy('team/child', `{routes: [{${to('web')}}]}`),
    );
    await follower.sent();
    await plane.apply(httpProxy('team/child', `{routes: [{conditions: [{prefix: /deeper}], ${to('web')}}]}`));
    expect(await follower.sent()).toEqual(['route ingress_http', `route ${shard}`]);
    expect(follower.text('route', shard)).toContain('/child/deeper');
  });

  test('leaves a child that nobody includes an orphan', async () => {
    await plane.apply(httpProxy('team/child', `{routes: [{${to('web')}}]}`));
    expect(status('team/child')).toBe('orphaned');
    await plane.apply(root);
    expect(status('team/child')).toBe('valid');
    await plane.apply(app(`routes: [{${to('web')}}]`));
    expect(status('team/child')).toBe('orphaned');
  });
});

test('an HTTPProxy that gets another class is no longer ours', async () => {
  await plane.apply(app(`routes: [{${to('web')}}]`));
  expect(await clusters()).toBe('demo/web');
  await plane.apply(app(`ingressClassName: other, routes: [{${to('web')}}]`));
  expect([await clusters(), status()]).toEqual(['none', 'none']);
  await plane.apply(app(`ingressClassName: contour, routes: [{${to('web')}}]`));
  expect([await clusters(), status()]).toEqual(['demo/web', 'valid']);
});

test('roots are allowed in the namespaces of the configuration alone', async () => {
  await using other = await ControlPlane.start({ config: () => ({ rootNamespaces: ['team'] }) }, service('web') + service('team/web'));
  await other.apply(
    app(`routes: [{${to('web')}}]`) + httpProxy('team/app', `{virtualhost: {fqdn: team.example.com}, routes: [{${to('web')}}]}`),
  );
  expect([other.status('HTTPProxy demo/app'), other.status('HTTPProxy team/app')]).toEqual([
    'RootNamespaceError/RootProxyNotAllowedInNamespace',
    'valid',
  ]);
});
