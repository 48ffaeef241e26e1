import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../lib/envoy-process.ts';
import { type FieldCase, FieldRig } from '../lib/field-case.ts';
import { exchange, get } from '../lib/http-client.ts';
import { endpointSlice, httpProxy, manifest, service } from '../lib/manifests.ts';

const gatewayApi = 'gateway.networking.k8s.io/v1';

/** The Gateway that is served, with these listeners; what a listener does not say is HTTP on the port that is asked. */
const gateway = (...listeners: readonly string[]): string =>
  manifest(
    gatewayApi,
    'Gateway',
    'gw',
    `spec: {gatewayClassName: gc, listeners: [${listeners.map((listener) => `{${listener}}`).join(', ')}]}`,
  );

const http = 'name: http, port: "${gateway-http}", protocol: HTTP';

/** An HTTPRoute for `app.example.com` with these rules. */
const route = (id: string, rules: string, parents = '[{name: gw, namespace: demo}]'): string =>
  manifest(gatewayApi, 'HTTPRoute', id, `spec: {parentRefs: ${parents}, hostnames: [app.example.com], rules: [${rules}]}`);

const to = (name: string, match?: string): string =>
  `{${match === undefined ? '' : `matches: [${match}], `}backendRefs: [{name: ${name}, port: 80}]}`;

const grant = (from: string, name: string): string =>
  manifest(
    'gateway.networking.k8s.io/v1',
    'ReferenceGrant',
    'other/grant',
    `spec: {from: [${from}], to: [{group: "", kind: Service, name: ${name}}]}`,
  );
const fromHttpRoutes = (namespace: string, kind = 'HTTPRoute'): string =>
  `{group: gateway.networking.k8s.io, kind: ${kind}, namespace: ${namespace}}`;

/** The conditions of a route whose parent takes all of it. */
const taken = 'Accepted ResolvedRefs';

const cases: readonly FieldCase[] = [
  {
    name: 'of rules that match alike the first counts, whatever its headers are called (projectcontour/contour#4715)',
    steps: [
      {
        apply: route(
          'r',
          `${to('echo-b', '{path: {value: /}, headers: [{name: b, value: "1"}]}')}, ${to('echo-a', '{path: {value: /}, headers: [{name: a, value: "1"}]}')}`,
        ),
        answers: {
          'app.example.com/ | a: 1 | b: 1': 'echo-b',
          'app.example.com/ | a: 1': 'echo-a',
          'app.example.com/ | b: 1': 'echo-b',
          'app.example.com/': '404',
        },
      },
    ],
  },
  {
    name: 'a route comes to several listeners by several parentRefs, each with its status (projectcontour/contour#4558, #4600)',
    steps: [
      {
        apply:
          gateway(http.replace('name: http', 'name: one'), 'name: two, port: "${gateway-second}", protocol: HTTP') +
          route('r', to('echo-a'), '[{name: gw, sectionName: one}, {name: gw, sectionName: two}, {name: gw, sectionName: nope}]'),
        statuses: { 'HTTPRoute demo/r': `one: ${taken}; two: ${taken}; nope: Accepted=False/NoMatchingParent ResolvedRefs` },
        answers: { 'app.example.com/': 'echo-a' },
      },
    ],
  },
  {
    name: 'the labels of a namespace are followed (envoyproxy/gateway#9625)',
    steps: [
      {
        apply:
          gateway(`${http}, allowedRoutes: {namespaces: {from: Selector, selector: {matchLabels: {expose: "yes"}}}}`) +
          route('other/r', to('echo-c')),
        statuses: { 'HTTPRoute other/r': 'Accepted=False/NotAllowedByListeners ResolvedRefs' },
        answers: { 'app.example.com/': '404' },
      },
      {
        apply: '{apiVersion: v1, kind: Namespace, metadata: {name: other, labels: {expose: "yes"}}}',
        statuses: { 'HTTPRoute other/r': taken },
        answers: { 'app.example.com/': 'echo-c' },
      },
      {
        apply: '{apiVersion: v1, kind: Namespace, metadata: {name: other, labels: {team: other}}}',
        statuses: { 'HTTPRoute other/r': 'Accepted=False/NotAllowedByListeners ResolvedRefs' },
        answers: { 'app.example.com/': '404' },
      },
    ],
  },
  {
    name: 'a backend of another namespace needs a grant, and loses it (projectcontour/contour#4479)',
    steps: [
      {
        apply: route('r', '{backendRefs: [{name: echo-c, namespace: other, port: 80}]}'),
        statuses: { 'HTTPRoute demo/r': 'Accepted ResolvedRefs=False/RefNotPermitted' },
        answers: { 'app.example.com/': '500' },
      },
      {
        apply: grant(fromHttpRoutes('demo'), 'echo-c'),
        statuses: { 'HTTPRoute demo/r': taken },
        answers: { 'app.example.com/': 'echo-c' },
      },
      ...[
        grant(fromHttpRoutes('demo'), 'echo-d'),
        grant(fromHttpRoutes('demo', 'GRPCRoute'), 'echo-c'),
        grant(fromHttpRoutes('elsewhere'), 'echo-c'),
      ].map((apply) => ({
        apply,
        statuses: { 'HTTPRoute demo/r': 'Accepted ResolvedRefs=False/RefNotPermitted' },
        answers: { 'app.example.com/': '500' },
      })),
      { apply: grant(fromHttpRoutes('demo'), 'echo-c'), answers: { 'app.example.com/': 'echo-c' } },
      {
        remove: ['ReferenceGrant other/grant'],
        statuses: { 'HTTPRoute demo/r': 'Accepted ResolvedRefs=False/RefNotPermitted' },
        answers: { 'app.example.com/': '500' },
      },
    ],
  },
  {
    name: 'of two routes only the match that is taken is lost, until the older goes (projectcontour/contour#3608, #6188, #6227)',
    steps: [
      {
        apply:
          route('older', to('echo-a', '{path: {value: /x}}')) +
          route('newer', `${to('echo-b', '{path: {value: /x}}')}, ${to('echo-b', '{path: {value: /y}}')}`),
        statuses: {
          'HTTPRoute demo/older': taken,
          'HTTPRoute demo/newer': 'Accepted PartiallyInvalid=True/RuleMatchPartiallyConflict ResolvedRefs',
        },
        answers: { 'app.example.com/x': 'echo-a', 'app.example.com/y': 'echo-b' },
      },
      {
        apply: route('older', to('echo-a', '{path: {value: /x}}')),
        answers: { 'app.example.com/x': 'echo-a', 'app.example.com/y': 'echo-b' },
      },
      {
        remove: ['HTTPRoute demo/older'],
        statuses: { 'HTTPRoute demo/newer': taken },
        answers: { 'app.example.com/x': 'echo-b', 'app.example.com/y': 'echo-b' },
      },
    ],
  },
  {
    name: 'a route that is older than its Service serves when that comes (projectcontour/contour#3476)',
    steps: [
      {
        apply: route('r', to('late')),
        statuses: { 'HTTPRoute demo/r': 'Accepted ResolvedRefs=False/BackendNotFound' },
        answers: { 'app.example.com/': '500' },
      },
      {
        apply: service('late', '[{name: http, port: 81}]'),
        statuses: { 'HTTPRoute demo/r': 'Accepted ResolvedRefs=False/BackendNotFound' },
      },
      {
        apply: service('late') + endpointSlice('late', 'echo-a'),
        statuses: { 'HTTPRoute demo/r': taken },
        answers: { 'app.example.com/': 'echo-a' },
      },
      {
        remove: ['Service demo/late'],
        statuses: { 'HTTPRoute demo/r': 'Accepted ResolvedRefs=False/BackendNotFound' },
        answers: { 'app.example.com/': '500' },
      },
    ],
  },
];

describe('Gateway API', () => {
  let rig: FieldRig;
  let secondPort: number;
  beforeAll(async () => {
    // A host beside the routes, so that the listener stays open without them.
    const stay = httpProxy('stay', '{virtualhost: {fqdn: stay.example.com}, routes: [{services: [{name: echo-a, port: 80}]}]}');
    rig = await FieldRig.start({ config: () => ({ gatewayRef: { namespace: 'demo', name: 'gw' } }) }, stay);
    secondPort = await freePort();
    // Envoy listens 8000 above the port of a Gateway.
    rig.plane.values.set('gateway-http', rig.plane.ports.http - 8000).set('gateway-second', secondPort - 8000);
    await rig.plane.apply(manifest(gatewayApi, 'GatewayClass', '/gc', 'spec: {controllerName: projectcontour.io/gateway-controller}'));
  }, 30_000);
  afterEach(() => rig.clear());
  afterAll(() => rig[Symbol.asyncDispose]());

  test.each(cases)('$name', async (fieldCase) => {
    await rig.apply(gateway(`${http}, allowedRoutes: {namespaces: {from: All}}`));
    await rig.run(fieldCase);
  });

  test('a route of two listeners is served on both ports (projectcontour/contour#4558)', async () => {
    await rig.apply(gateway(http, 'name: two, port: "${gateway-second}", protocol: HTTP') + route('r', to('echo-a')));
    expect(rig.plane.status('HTTPRoute demo/r')).toBe(taken);
    await rig.expectAnswers({ 'app.example.com/': 'echo-a' });
    expect((await get({ port: secondPort, host: 'app.example.com' })).json()).toMatchObject({ service: 'echo-a' });
  });

  test('a backend that is missing fails its share alone (projectcontour/contour#4125)', async () => {
    const backends = (...refs: readonly string[]): string => `backendRefs: [${refs.map((ref) => `{${ref}}`).join(', ')}]`;
    await rig.apply(
      gateway(http) +
        route(
          'r',
          `{matches: [{path: {value: /half}}], ${backends('name: echo-a, port: 80, weight: 1', 'name: missing, port: 80, weight: 1')}}, {matches: [{path: {value: /zero}}], ${backends('name: echo-a, port: 80, weight: 0')}}, {matches: [{path: {value: /good}}], ${backends('name: echo-a, port: 80, weight: 1', 'name: missing, port: 80, weight: 0')}}`,
        ),
    );
    expect(rig.plane.status('HTTPRoute demo/r')).toBe('Accepted ResolvedRefs=False/BackendNotFound');
    await rig.expectAnswers({ 'app.example.com/good': 'echo-a', 'app.example.com/zero': '500' });
    const statuses = async (path: string, times: number): Promise<readonly number[]> =>
      Promise.all(Array.from({ length: times }, async () => (await rig.ask(`app.example.com${path}`)).status));
    expect(new Set(await statuses('/good', 40))).toEqual(new Set([200]));
    expect(new Set(await statuses('/zero', 40))).toEqual(new Set([500]));
    const half = await statuses('/half', 400);
    expect(new Set(half)).toEqual(new Set([200, 500]));
    // 200 are expected; 5 standard deviations are 50.
    expect(Math.abs(half.filter((status) => status === 200).length - 200)).toBeLessThan(51);
    expect(await rig.rejections()).toEqual([]);
  });

  test('an HTTPRoute lets upgrades through, an HTTPProxy where it says so (projectcontour/contour#5775, #5241)', async () => {
    await rig.apply(
      gateway(http) +
        route('r', to('echo-a')) +
        httpProxy(
          'p',
          '{virtualhost: {fqdn: p.example.com}, routes: [{services: [{name: echo-a, port: 80}]}, {conditions: [{prefix: /ws}], enableWebsockets: true, services: [{name: echo-a, port: 80}]}]}',
        ),
    );
    expect(rig.plane.status('HTTPProxy demo/p')).toBe('valid');
    await rig.expectAnswers({ 'app.example.com/': 'echo-a', 'p.example.com/': 'echo-a' });
    const upgrade = async (host: string, path: string): Promise<string> => {
      const request = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGVzdA==\r\n\r\n`;
      const answer = await exchange(rig.plane.ports.http, request, (text) => text.includes('\r\n\r\n'));
      return answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 '.length + 3);
    };
    expect([await upgrade('app.example.com', '/'), await upgrade('p.example.com', '/ws'), await upgrade('p.example.com', '/')]).toEqual([
      '101',
      '101',
      '403',
    ]);
  });

  test('attached routes are counted, and no longer where they are not allowed (envoyproxy/gateway#9625)', async () => {
    const attached = (): unknown => {
      const status = rig.plane.wanted('Gateway demo/gw') as { readonly listeners: readonly { readonly attachedRoutes: number }[] };
      return status.listeners.map(({ attachedRoutes }) => attachedRoutes);
    };
    await rig.apply(
      gateway(`${http}, allowedRoutes: {namespaces: {from: All}}`) + route('r', to('echo-a')) + route('other/r', to('echo-c')),
    );
    expect(attached()).toEqual([2]);
    await rig.apply(gateway(http));
    expect(attached()).toEqual([1]);
    await rig.plane.remove('HTTPRoute demo/r');
    expect(attached()).toEqual([0]);
  });
});
