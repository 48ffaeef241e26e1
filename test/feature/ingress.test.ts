import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { selfSigned } from '../lib/certificates.ts';
import { ControlPlane } from '../lib/control-plane.ts';
import { endpointSlice, httpProxy, ingress, manifest, service, tlsSecret } from '../lib/manifests.ts';
import { XdsFollower } from '../lib/xds-follower.ts';

const backend = (name: string): string => `service: {name: ${name}, port: {number: 80}}`;
const path = (at: string, name: string, type = 'Prefix'): string => `{path: ${at}, pathType: ${type}, backend: {${backend(name)}}}`;
const rule = (host: string, ...paths: readonly string[]): string => `{host: "${host}", http: {paths: [${paths.join(', ')}]}}`;
const app = (rules: string, more = ''): string => ingress('app', `{ingressClassName: contour, rules: [${rules}]${more}}`);

let plane: ControlPlane;
let follower: XdsFollower;

beforeEach(async () => {
  const leaf = await selfSigned({ commonName: 'leaf' });
  const services = ['web', 'other'].map((name) => service(name) + endpointSlice(name, 8080)).join('');
  plane = await ControlPlane.start({ values: { 'leaf.crt': leaf.certificate, 'leaf.key': leaf.privateKey } }, services);
  follower = await XdsFollower.start(plane);
});

afterEach(() => plane[Symbol.asyncDispose]());

interface Table {
  readonly virtual_hosts?: readonly { readonly domains: readonly string[]; readonly routes?: readonly Route[] }[];
}

interface Route {
  readonly match: { readonly prefix?: string; readonly path?: string; readonly path_separated_prefix?: string };
  readonly route?: { readonly cluster?: string };
  readonly redirect?: object;
  readonly direct_response?: { readonly status: number };
}

/** The plaintext routes of every host, in order: `host path -> Service`, or what is answered instead. */
async function routes(): Promise<readonly string[]> {
  await follower.sent();
  if (!follower.names('route').includes('ingress_http')) return [];
  const { virtual_hosts: hosts = [] } = JSON.parse(follower.text('route', 'ingress_http')) as Table;
  return hosts.flatMap(({ domains, routes: list = [] }) => list.map((route) => `${domains[0]} ${pathOf(route)} -> ${targetOf(route)}`));
}

const pathOf = ({ match: { prefix, path_separated_prefix: separated, path: exact } }: Route): string =>
  exact === undefined ? (prefix ?? `${separated}/`) : `=${exact}`;
const targetOf = ({ route, redirect, direct_response: direct }: Route): string =>
  route?.cluster?.split('/')[1] ?? (redirect === undefined ? String(direct?.status) : 'https');

describe('an Ingress', () => {
  test('is served when it comes, as it is edited, until it goes', async () => {
    await plane.apply(app(rule('a.example.com', path('/', 'web'), path('/deep', 'other'), path('/exact', 'web', 'Exact'))));
    expect(await routes()).toEqual(['a.example.com =/exact -> web', 'a.example.com /deep/ -> other', 'a.example.com / -> web']);
    await plane.apply(app([rule('a.example.com', path('/', 'other')), rule('b.example.com', path('/', 'web'))].join(', ')));
    expect(await routes()).toEqual(['a.example.com / -> other', 'b.example.com / -> web']);
    await plane.apply(app(rule('b.example.com', path('/', 'web'))));
    expect(await routes()).toEqual(['b.example.com / -> web']);
    await plane.remove('Ingress demo/app');
    expect(await routes()).toEqual([]);
    expect([...follower.names('cluster'), ...follower.names('scopedRoute')]).toEqual([]);
  });

  test('of another class is not ours, until its class changes', async () => {
    const foreign = ingress('app', `{ingressClassName: other, rules: [${rule('a.example.com', path('/', 'web'))}]}`);
    await plane.apply(foreign);
    expect(await routes()).toEqual([]);
    await plane.apply(app(rule('a.example.com', path('/', 'web'))));
    expect(await routes()).toEqual(['a.example.com / -> web']);
    await plane.apply(foreign);
    expect(await routes()).toEqual([]);
  });

  test('has a default for hosts that no rule names, and wildcards for one label', async () => {
    await plane.apply(app(rule('*.example.com', path('/', 'web')), `, defaultBackend: {${backend('other')}}`));
    const served = await routes();
    expect(served).toContain('* / -> other');
    expect(served).toContain('*.example.com / -> web');
    expect(follower.names('scopedRoute')).toEqual(['ingress_http|REST']);
  });

  test('with a certificate is served over TLS, while that is there', async () => {
    await plane.apply(app(rule('a.example.com', path('/', 'web')), ', tls: [{hosts: [a.example.com], secretName: tls}]'));
    await follower.sent();
    expect(follower.names('listener')).not.toContain('ingress_https');
    await plane.apply(tlsSecret('tls', 'leaf'));
    await follower.sent();
    expect(follower.text('listener', 'ingress_https')).toContain('a.example.com');
    expect(follower.names('secret')).toEqual(['demo/tls']);
    expect(await routes()).toEqual(['a.example.com / -> web']);
    await plane.remove('Secret demo/tls');
    await follower.sent();
    expect([...follower.names('secret'), ...follower.names('listener')]).not.toContain('ingress_https');
  });

  test('without its Service answers 503 on its path, until that comes', async () => {
    await plane.apply(app(rule('a.example.com', path('/', 'web'), path('/late', 'late'))));
    expect(await routes()).toEqual(['a.example.com /late/ -> 503', 'a.example.com / -> web']);
    await plane.apply(service('late') + endpointSlice('late', 8080));
    expect(await routes()).toEqual(['a.example.com /late/ -> late', 'a.example.com / -> web']);
  });
});

describe('several', () => {
  test('Ingresses share a host, and the older has a path that both claim', async () => {
    await plane.apply(app(rule('a.example.com', path('/', 'web'), path('/one', 'web'))));
    await plane.apply(
      ingress('second', `{ingressClassName: contour, rules: [${rule('a.example.com', path('/', 'other'), path('/two', 'other'))}]}`),
    );
    expect(await routes()).toEqual(['a.example.com /two/ -> other', 'a.example.com /one/ -> web', 'a.example.com / -> web']);
    await plane.remove('Ingress demo/app');
    expect(await routes()).toEqual(['a.example.com /two/ -> other', 'a.example.com / -> other']);
  });

  test('kinds do not mix on a host: an HTTPProxy has it alone', async () => {
    await plane.apply(app(rule('a.example.com', path('/', 'web'), path('/one', 'web'))));
    await plane.apply(httpProxy('p', '{virtualhost: {fqdn: a.example.com}, routes: [{services: [{name: other, port: 80}]}]}'));
    expect(plane.status('HTTPProxy demo/p')).toBe('valid');
    const together = await routes();
    expect(together).toContain('a.example.com / -> other');
    await plane.remove('HTTPProxy demo/p');
    expect(await routes()).toEqual(['a.example.com /one/ -> web', 'a.example.com / -> web']);
  });
});

test('an IngressClass does not have to exist', async () => {
  await plane.apply(manifest('networking.k8s.io/v1', 'IngressClass', '/contour', 'spec: {controller: projectcontour.io/contour}'));
  await plane.apply(app(rule('a.example.com', path('/', 'web'))));
  await plane.remove('IngressClass /contour');
  expect(await routes()).toEqual(['a.example.com / -> web']);
});
