import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { selfSigned } from '../lib/certificates.ts';
import { ControlPlane } from '../lib/control-plane.ts';
import { endpointSlice, httpProxy, manifest, service, tlsSecret } from '../lib/manifests.ts';
import { XdsFollower } from '../lib/xds-follower.ts';

const api = 'gateway.networking.k8s.io/v1';
const gatewayClass = manifest(api, 'GatewayClass', '/gc', 'spec: {controllerName: projectcontour.io/gateway-controller}');
const gateway = (...listeners: readonly string[]): string =>
  manifest(api, 'Gateway', 'gw', `spec: {gatewayClassName: gc, listeners: [${listeners.map((listener) => `{${listener}}`).join(', ')}]}`);
const route = (kind: string, rest: string, id = 'r'): string =>
  manifest(api, kind, id, `spec: {parentRefs: [{name: gw, namespace: demo}], ${rest}}`);
const rules = (name = 'web'): string => `rules: [{backendRefs: [{name: ${name}, port: 80}]}]`;

const http = 'name: http, port: 80, protocol: HTTP';
const https = 'name: https, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: tls}]}';
const passthrough = 'name: tls, port: 8443, protocol: TLS, tls: {mode: Passthrough}';

let plane: ControlPlane;
let follower: XdsFollower;

beforeEach(async () => {
  const leaf = await selfSigned({ commonName: 'leaf' });
  plane = await ControlPlane.start(
    {
      values: { 'leaf.crt': leaf.certificate, 'leaf.key': leaf.privateKey },
      config: () => ({ gatewayRef: { namespace: 'demo', name: 'gw' } }),
    },
    ['web', 'other'].map((name) => service(name) + endpointSlice(name, 8080)).join(''),
  );
  follower = await XdsFollower.start(plane);
});

afterEach(() => plane[Symbol.asyncDispose]());

/** The listeners of the Gateway that a proxy has, with the port that Envoy listens on. */
async function listeners(): Promise<readonly string[]> {
  await follower.sent();
  const own = follower.names('listener').filter((name) => /^(http|https|tcp)-\d+$/.test(name));
  return own.map((name) => `${name} on ${/"port_value":(\d+)/.exec(follower.text('listener', name))?.[1]}`);
}

const taken = 'Accepted ResolvedRefs';

/** The conditions of the Gateway, then those of each listener. */
function gatewayStatus(): readonly string[] {
  interface Status {
    readonly conditions: readonly Condition[];
    readonly listeners: readonly { readonly name: string; readonly attachedRoutes: number; readonly conditions: readonly Condition[] }[];
  }
  interface Condition {
    readonly type: string;
    readonly status: string;
  }
  const status = plane.wanted('Gateway demo/gw') as Status | undefined;
  const words = (conditions: readonly Condition[]): string =>
    conditions
      .map(({ type, status: value }) => (value === 'True' ? type : `${type}=${value}`))
      .sort()
      .join(' ');
  if (status === undefined) return [];
  return [
    words(status.conditions),
    ...status.listeners.map(({ name, attachedRoutes, conditions }) => `${name}: ${attachedRoutes} ${words(conditions)}`),
  ];
}

describe('a Gateway', () => {
  test('is served while it and its class are there, and no static listener ever is', async () => {
    await plane.apply(route('HTTPRoute', rules()));
    expect(await listeners()).toEqual([]);
    await plane.apply(gateway(http));
    expect([await listeners(), gatewayStatus()]).toEqual([[], []]);
    await plane.apply(gatewayClass);
    expect(await listeners()).toEqual(['http-80 on 8080']);
    expect(gatewayStatus()).toEqual(['Accepted Programmed', 'http: 1 Accepted Programmed ResolvedRefs']);
    expect(follower.names('listener')).not.toContain('ingress_http');
    await plane.remove('Gateway demo/gw');
    expect([await listeners(), plane.status('HTTPRoute demo/r')]).toEqual([[], '']);
  });

  test('that gets another port moves its listener', async () => {
    await plane.apply(gatewayClass + gateway(http) + route('HTTPRoute', rules()));
    expect(await listeners()).toEqual(['http-80 on 8080']);
    await plane.apply(gateway(http.replace('80', '81')));
    expect(await listeners()).toEqual(['http-81 on 8081']);
  });

  test('that is not the configured one is not ours', async () => {
    await plane.apply(
      gatewayClass +
        gateway(http).replace('name: gw,', 'name: foreign,') +
        route('HTTPRoute', rules()).replace('name: gw,', 'name: foreign,'),
    );
    expect([await listeners(), plane.wanted('Gateway demo/foreign'), plane.status('HTTPRoute demo/r')]).toEqual([[], undefined, 'none']);
  });

  test('with two listeners for one host and port serves the first and says so', async () => {
    await plane.apply(gatewayClass + gateway('name: tcp, port: 80, protocol: TCP', http) + route('HTTPRoute', rules()));
    expect(gatewayStatus()[0]).toBe('Accepted Programmed=False');
    expect(gatewayStatus()[2]).toContain('Conflicted');
    expect(await listeners()).toEqual([]);
  });
});

describe('an HTTPRoute', () => {
  test('attaches, is followed, and detaches', async () => {
    await plane.apply(gatewayClass + gateway(http));
    await plane.apply(route('HTTPRoute', `hostnames: [a.example.com], ${rules()}`));
    expect([await listeners(), plane.status('HTTPRoute demo/r')]).toEqual([['http-80 on 8080'], taken]);
    expect(follower.names('scopedRoute')).toEqual(['http-80|a.example.com']);
    await plane.apply(route('HTTPRoute', `hostnames: [b.example.com], ${rules('other')}`));
    await follower.sent();
    expect(follower.names('scopedRoute')).toEqual(['http-80|b.example.com']);
    expect(follower.names('endpoint')).toEqual(['demo/other/http']);
    await plane.remove('HTTPRoute demo/r');
    expect(await listeners()).toEqual([]);
    expect(gatewayStatus()).toEqual(['Accepted Programmed', 'http: 0 Accepted Programmed ResolvedRefs']);
  });

  test('is served on those of its hostnames that the listener has', async () => {
    await plane.apply(gatewayClass + gateway(`${http}, hostname: "*.example.com"`));
    await plane.apply(route('HTTPRoute', `hostnames: [a.example.com, b.example.org], ${rules()}`));
    await follower.sent();
    expect([follower.names('scopedRoute'), plane.status('HTTPRoute demo/r')]).toEqual([['http-80|a.example.com'], taken]);
    await plane.apply(gateway(`${http}, hostname: "*.example.net"`));
    expect([await listeners(), plane.status('HTTPRoute demo/r')]).toEqual([[], 'Accepted=False/NoMatchingListenerHostname ResolvedRefs']);
  });

  test('on an HTTPS listener needs its certificate', async () => {
    await plane.apply(gatewayClass + gateway(https) + route('HTTPRoute', `hostnames: [a.example.com], ${rules()}`));
    expect([await listeners(), gatewayStatus()[1]]).toEqual([[], 'https: 1 Accepted Programmed=False ResolvedRefs=False']);
    await plane.apply(tlsSecret('tls', 'leaf'));
    expect([await listeners(), gatewayStatus()[1]]).toEqual([['https-443 on 8443'], 'https: 1 Accepted Programmed ResolvedRefs']);
    expect(follower.names('route')).toContain('https-443/a.example.com');
    expect(follower.names('secret')).toEqual(['demo/tls']);
  });

  test('shares a listener with HTTPProxies', async () => {
    await plane.apply(gatewayClass + gateway(http) + route('HTTPRoute', `hostnames: [a.example.com], ${rules()}`));
    await plane.apply(httpProxy('p', '{virtualhost: {fqdn: p.example.com}, routes: [{services: [{name: other, port: 80}]}]}'));
    await follower.sent();
    expect([follower.names('scopedRoute'), plane.status('HTTPProxy demo/p')]).toEqual([
      ['http-80|a.example.com', 'http-80|p.example.com'],
      'valid',
    ]);
    await plane.remove('Gateway demo/gw');
    expect(plane.status('HTTPProxy demo/p')).toBe('ListenerError/ErrorIdentifyingListener');
  });
});

describe('other routes', () => {
  test('a GRPCRoute is served as its methods', async () => {
    await plane.apply(gatewayClass + gateway(http));
    await plane.apply(
      route(
        'GRPCRoute',
        'hostnames: [a.example.com], rules: [{matches: [{method: {service: pkg.Things, method: List}}], backendRefs: [{name: web, port: 80}]}]',
      ),
    );
    await follower.sent();
    expect([plane.status('GRPCRoute demo/r'), follower.text('route', 'http-80')]).toEqual([
      taken,
      expect.stringContaining('/pkg.Things/List'),
    ]);
  });

  test('a TLSRoute passes the connections of its hosts to its Services', async () => {
    await plane.apply(gatewayClass + gateway(passthrough) + route('TLSRoute', `hostnames: [a.example.com], ${rules()}`));
    expect([await listeners(), plane.status('TLSRoute demo/r')]).toEqual([['https-8443 on 16443'], taken]);
    expect(follower.text('listener', 'https-8443')).toMatch(/a\.example\.com.*demo\/web\/80/);
    await plane.apply(route('TLSRoute', `hostnames: [b.example.com], ${rules('other')}`));
    await follower.sent();
    expect(follower.text('listener', 'https-8443')).toMatch(/b\.example\.com.*demo\/other\/80/);
    expect(follower.names('endpoint')).toEqual(['demo/other/http']);
  });

  test('a TCPRoute passes all connections of its listener to its Service', async () => {
    await plane.apply(gatewayClass + gateway('name: tcp, port: 9000, protocol: TCP') + route('TCPRoute', rules()));
    expect([await listeners(), plane.status('TCPRoute demo/r')]).toEqual([['tcp-9000 on 17000'], taken]);
    expect(follower.text('listener', 'tcp-9000')).toContain('demo/web/80');
    await plane.remove('Service demo/web');
    await follower.sent();
    expect(plane.status('TCPRoute demo/r')).toBe('Accepted ResolvedRefs=False/BackendNotFound');
    expect(follower.names('cluster')).toEqual([]);
  });
});
