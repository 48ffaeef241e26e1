import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { toJson } from '../../pkg/envoy/json.ts';
import { type TypeUrl, typeUrls } from '../../pkg/xdscache/resource.ts';
import { EnvoyProcess } from '../lib/envoy-process.ts';
import { type FieldCase, FieldRig } from '../lib/field-case.ts';
import { endpointSlice, httpProxy, ingress, manifest, service } from '../lib/manifests.ts';

const toA = 'services: [{name: echo-a, port: 80}]';

/** A root HTTPProxy of `app.example.com`, or of another host, with these routes. */
const app = (routes: string, host = 'app.example.com', id = host.split('.')[0]!): string =>
  httpProxy(id, `{virtualhost: {fqdn: ${host}}, routes: [${routes}]}`);

const longNamespace = 'namespace-with-a-very-long-name-that-reaches-sixtythree-chars-1';
const longName = (last: string): string => `service-with-a-very-long-name-that-reaches-sixtythree-chars-a${last}`;
const external = (name: string, target: string, port = 443): string =>
  manifest('v1', 'Service', name, `spec: {type: ExternalName, externalName: "${target}", ports: [{port: ${port}}]}`);

const path = (at: string, name: string): string =>
  `{path: "${at}", pathType: Prefix, backend: {service: {name: ${name}, port: {number: 80}}}}`;

const cases: readonly FieldCase[] = [
  {
    name: 'the longest names of Services work, and do not collide (projectcontour/contour#186)',
    steps: [
      {
        apply:
          manifest('v1', 'Namespace', `/${longNamespace}`, '') +
          ['a', 'b']
            .map(
              (last) => service(`${longNamespace}/${longName(last)}`) + endpointSlice(`${longNamespace}/${longName(last)}`, `echo-${last}`),
            )
            .join('') +
          ['a', 'b']
            .map((last) =>
              httpProxy(
                `${longNamespace}/${last}`,
                `{virtualhost: {fqdn: ${last}.example.com}, routes: [{services: [{name: ${longName(last)}, port: 80}]}]}`,
              ),
            )
            .join(''),
        statuses: { [`HTTPProxy ${longNamespace}/a`]: 'valid' },
        answers: { 'a.example.com/': 'echo-a', 'b.example.com/': 'echo-b' },
      },
    ],
  },
  {
    name: 'an Ingress path without its Service answers 503, not the broader path (projectcontour/contour#3039)',
    steps: [
      {
        apply: ingress(
          'app',
          `{ingressClassName: contour, rules: [{host: app.example.com, http: {paths: [${path('/pay', 'missing')}, ${path('/', 'echo-a')}]}}]}`,
        ),
        answers: {
          'app.example.com/pay': '503',
          'app.example.com/pay/x': '503',
          'app.example.com/': 'echo-a',
          'app.example.com/payroll': 'echo-a',
        },
      },
      {
        apply: service('missing') + endpointSlice('missing', 'echo-b'),
        answers: { 'app.example.com/pay': 'echo-b', 'app.example.com/payroll': 'echo-a' },
      },
    ],
  },
  {
    name: 'a long path with odd letters is no pattern, and Envoy takes it (projectcontour/contour#4191)',
    steps: [
      {
        apply: ingress(
          'long',
          `{ingressClassName: contour, rules: [{host: app.example.com, http: {paths: [${path('/{pages:about|careers|contact|press|partners|privacy-policy|do-not-sell-my-info|legal|imprint|team|blog}', 'echo-a')}, ${path('/ok', 'echo-b')}]}}]}`,
        ),
        answers: {
          'app.example.com/ok': 'echo-b',
          'app.example.com/ok/': 'echo-b',
          'app.example.com/okay': '404',
          'app.example.com/about': '404',
        },
      },
      { apply: app(`{${toA}}`, 'two.example.com'), statuses: { two: 'valid' }, answers: { 'two.example.com/': 'echo-a' } },
    ],
  },
  {
    name: 'ExternalName Services are refused where they are not enabled (CVE-2021-32783)',
    steps: [
      {
        apply: external('ext', 'backend.example.net') + app('{services: [{name: ext, port: 443}]}'),
        statuses: { app: 'ServiceError/ServiceUnresolvedReference' },
        messages: { app: 'demo/ext is an ExternalName service, these are not currently enabled' },
        answers: { 'app.example.com/': '503' },
      },
    ],
  },
  {
    name: 'a Service without endpoints answers 503, and others serve (projectcontour/contour#420, #1091)',
    steps: [
      {
        apply: service('empty') + app('{services: [{name: empty, port: 80}]}', 'empty.example.com') + app(`{${toA}}`),
        statuses: { empty: 'valid', app: 'valid' },
        answers: { 'empty.example.com/': '503', 'app.example.com/': 'echo-a' },
      },
      { apply: endpointSlice('empty', 'echo-b'), answers: { 'empty.example.com/': 'echo-b' } },
      { remove: ['EndpointSlice demo/empty-1'], answers: { 'empty.example.com/': '503' } },
    ],
  },
  {
    name: 'clusters that differ in protocol alone are two, whichever comes last (projectcontour/contour#4242, #4348)',
    steps: [
      {
        apply: app(`{${toA}}`, 'one.example.com') + app('{services: [{name: echo-a, port: 80, protocol: h2c}]}', 'two.example.com'),
        statuses: { one: 'valid', two: 'valid' },
        // The backend speaks HTTP/1.1 alone.
        answers: { 'one.example.com/': 'echo-a', 'two.example.com/': '502' },
      },
      { apply: app(`{${toA}}`, 'two.example.com'), answers: { 'two.example.com/': 'echo-a' } },
    ],
  },
];

describe('Services', () => {
  let rig: FieldRig;
  beforeAll(async () => {
    rig = await FieldRig.start();
  }, 30_000);
  afterEach(() => rig.clear());
  afterAll(() => rig[Symbol.asyncDispose]());

  test.each(cases)('$name', (fieldCase) => rig.run(fieldCase));

  test('slices are gathered by label: each address once, of both families, the ready ones (projectcontour/contour#6743)', async () => {
    const addresses = (): readonly string[] => endpointAddresses(rig, 'demo/many/http');
    await rig.apply(
      service('many') +
        endpointSlice('many', 'echo-a', {
          name: 'many-x',
          endpoints:
            '{addresses: [192.0.2.10], conditions: {ready: true}}, {addresses: [192.0.2.77], conditions: {ready: false, serving: true, terminating: true}}',
        }) +
        endpointSlice('many', 'echo-a', { name: 'zz-other-name', endpoints: '{addresses: [192.0.2.10], conditions: {}}' }) +
        endpointSlice('many', 'echo-a', {
          name: 'many-v6',
          family: 'IPv6',
          endpoints: '{addresses: ["2001:db8::10"], conditions: {ready: true}}',
        }) +
        app('{services: [{name: many, port: 80}]}'),
    );
    expect(addresses()).toEqual(['127.0.0.1', '2001:db8::10']);

    await rig.plane.remove('EndpointSlice demo/many-x', 'EndpointSlice demo/many-v6');
    expect(addresses()).toEqual(['127.0.0.1']);
    await rig.expectAnswers({ 'app.example.com/': 'echo-a' });
    expect(await rig.rejections()).toEqual([]);
  });

  test('a new Envoy serves at once, though a Service has no endpoints and nothing changes (projectcontour/contour#420, #1280)', async () => {
    await rig.apply(service('empty') + app('{services: [{name: empty, port: 80}]}', 'empty.example.com') + app(`{${toA}}`));
    const connected = () => rig.plane.server.connections().length;
    const before = connected();
    const builds = rig.plane.builds.length;
    await using another = await EnvoyProcess.start({ xdsPort: rig.plane.server.address.port }, (bootstrap) => {
      bootstrap['node'] = { id: 'another', cluster: 'test' };
    });
    await another.ready();
    expect(connected()).toBeGreaterThan(before);
    expect(rig.plane.builds).toHaveLength(builds);
    expect((await another.stats('cluster_manager.warming_clusters')).get('cluster_manager.warming_clusters')).toBe(0);
    expect((await another.stats('listener_manager.total_listeners_active')).get('listener_manager.total_listeners_active')).toBeGreaterThan(
      1,
    );
  });
});

describe('Services with ExternalName', () => {
  let rig: FieldRig;
  beforeAll(async () => {
    rig = await FieldRig.start({
      config: ({ cluster }) => ({ enableExternalNameService: true, cluster: { ...cluster, dnsLookupFamily: 'v4' } }),
    });
  }, 30_000);
  afterEach(() => rig.clear());
  afterAll(() => rig[Symbol.asyncDispose]());

  test.each([
    'localhost',
    'localhost.',
    'LOCALHOST',
    'localhost.localdomain',
    'a.localhost',
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '0.0.0.0',
    '::1',
    '169.254.169.254',
  ])('none leads to Envoy itself by %s (CVE-2021-32783, projectcontour/contour#7659)', async (target) => {
    await rig.applyUnchecked(external('evil', target, 9001) + app('{services: [{name: evil, port: 9001}]}'));
    expect(rig.plane.status('HTTPProxy demo/app')).toBe('ServiceError/ServiceUnresolvedReference');
    await rig.expectAnswers({ 'app.example.com/help': '503' });
  });

  test('the server name of the upstream is the Host that a route sets, else the external name, for h2 too (projectcontour/contour#2437, #2727)', async () => {
    const host = 'requestHeadersPolicy: {set: [{name: Host, value: front.example.org}]}';
    await rig.apply(
      external('ext', 'backend.invalid') +
        app(
          `{conditions: [{prefix: /t}], ${host}, services: [{name: ext, port: 443, protocol: tls}]}, {conditions: [{prefix: /h}], ${host}, services: [{name: ext, port: 443, protocol: h2}]}, {services: [{name: ext, port: 443, protocol: tls}]}`,
        ),
    );
    const clusters = resources(rig, typeUrls.cluster).filter(({ name }) => String(name).startsWith('demo/ext/443/'));
    const names = clusters.map((cluster) => /"sni":"([^"]*)"/.exec(JSON.stringify(cluster))?.[1]).sort();
    expect(names).toEqual(['backend.invalid', 'front.example.org', 'front.example.org']);
    expect(await rig.rejections()).toEqual([]);
  });
});

function resources(rig: FieldRig, type: TypeUrl): readonly Readonly<Record<string, unknown>>[] {
  return [...rig.plane.pipeline.snapshot.all(type).values()].map(
    (resource) => toJson(type, resource.encoded('ads').bytes) as Readonly<Record<string, unknown>>,
  );
}

function endpointAddresses(rig: FieldRig, name: string): readonly string[] {
  const [found] = resources(rig, typeUrls.endpoint).filter((resource) => resource['cluster_name'] === name);
  return [...JSON.stringify(found).matchAll(/"address":"([^"]*)"/g)].map(([, address]) => address!).sort();
}
