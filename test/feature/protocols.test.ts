import { afterEach, describe, expect, test } from '@jest/globals';
import { typeUrls } from '../../pkg/xdscache/resource.ts';
import { selfSigned } from '../lib/certificates.ts';
import { ControlPlane } from '../lib/control-plane.ts';
import { endpointSlice, httpProxy, manifest, service, tlsSecret } from '../lib/manifests.ts';
import { XdsFollower } from '../lib/xds-follower.ts';

const proxy = (name: string, backend: string, tls = ''): string =>
  httpProxy(name, `{virtualhost: {fqdn: ${name}.example.com${tls}}, routes: [{services: [{name: ${backend}, port: 80}]}]}`);

const objects = [
  manifest('v1', 'Namespace', '/demo', ''),
  service('web'),
  endpointSlice('web', 8080),
  service('other'),
  endpointSlice('other', 8080),
  tlsSecret('tls', 'leaf'),
  proxy('one', 'web'),
  proxy('safe', 'other', ', tls: {secretName: tls}'),
];

let plane: ControlPlane;

async function start(yaml = objects.join('')): Promise<ControlPlane> {
  const { certificate, privateKey } = await selfSigned({ commonName: 'leaf' });
  plane = await ControlPlane.start({ values: { 'leaf.crt': certificate, 'leaf.key': privateKey } }, yaml);
  return plane;
}

afterEach(() => plane[Symbol.asyncDispose]());

/** What streams of one type are for. */
const singleTypes = ['cluster', 'endpoint', 'listener', 'route', 'secret'] as const;

describe('every protocol', () => {
  test('gives the same resources, at first and after edits', async () => {
    await start();
    const delta = await XdsFollower.start(plane);
    const sotw = await XdsFollower.start(plane, { protocol: 'sotw' });
    expect([...sotw.all()].sort()).toEqual([...delta.all()].sort());

    await plane.apply(proxy('one', 'other') + proxy('two', 'web') + endpointSlice('other', 9090));
    await plane.remove('HTTPProxy demo/safe');
    await Promise.all([delta.sent(), sotw.sent()]);
    expect(delta.names('listener')).not.toContain('ingress_https');
    expect(delta.names('scopedRoute')).toContain('ingress_http|two.example.com');
    for (const label of ['cluster', 'listener', 'scopedRoute'] as const) expect(sotw.names(label)).toEqual(delta.names(label));
    for (const [name, text] of delta.all()) expect([name, sotw.all().get(name)]).toEqual([name, text]);
  });

  test.each(['delta', 'sotw'] as const)('streams of one type follow edits, over %s', async (protocol) => {
    await start();
    const single = await XdsFollower.startSingle(plane, singleTypes, { protocol });
    // Without an aggregated stream there are no scopes: all routes are in one table.
    expect(single.text('route', 'ingress_http')).toContain('one.example.com');
    expect(single.text('listener', 'ingress_http')).not.toContain('"ads"');
    expect(single.text('secret', 'demo/tls')).toContain('demo/tls');

    await plane.apply(proxy('two', 'web'));
    expect(await single.sent()).toContain('route ingress_http');
    expect(single.text('route', 'ingress_http')).toContain('two.example.com');
    await plane.apply(endpointSlice('web', 9090));
    expect(await single.sent()).toContain('endpoint demo/web/http');
    expect(single.text('endpoint', 'demo/web/http')).toContain('9090');
  });

  test.each(['delta', 'sotw'] as const)(
    'a client that names one route table gets every change of it, over %s (projectcontour/contour#1514)',
    async (protocol) => {
      await start();
      const stream = plane.client().open({ protocol, single: typeUrls.route });
      stream.subscribe(typeUrls.route, ['ingress_http']);
      for (const backend of ['other', 'web', 'other', 'web', 'other']) {
        await plane.apply(proxy('one', backend));
        await stream.until(`routes to ${backend}`, () =>
          JSON.stringify(stream.json(typeUrls.route, 'ingress_http')).includes(`demo/${backend}/80`),
        );
      }
      const count = stream.responses.length;
      await plane.apply(proxy('safe', 'web', ', tls: {secretName: tls}'));
      expect(stream.responses.slice(count).flatMap(({ resources }) => resources.map(({ name }) => name))).not.toContain(
        'https/safe.example.com',
      );
    },
  );
});

describe('two replicas', () => {
  test('give the same versions, whatever the order in which objects came', async () => {
    const first = await start();
    const versions = await versionsOf(first);
    const values = Object.fromEntries(first.values);
    await using second = await ControlPlane.start({ values, config: () => first.config }, '');
    // One after the other, the last first: each is a build of its own.
    for (const yaml of objects.toReversed()) await second.apply(yaml);
    expect(await versionsOf(second)).toEqual(versions);
  });

  test('send a client that comes back only what differs', async () => {
    const first = await start();
    const versions = await versionsOf(first);
    const stream = first.client().open();
    const routes = Object.fromEntries(
      Object.entries(versions)
        .filter(([name]) => name.startsWith('route '))
        .map(([name, version]) => [name.slice('route '.length), version]),
    );
    // Routes wait until a proxy has asked for its clusters.
    stream.subscribe(typeUrls.cluster);
    stream.subscribe(typeUrls.route, ['*'], { ...routes, ingress_http: 'older' });
    const answers = () => stream.responses.filter(({ type }) => type === typeUrls.route);
    await stream.until('an answer', () => answers().length > 0);
    expect(answers().flatMap(({ resources }) => resources.map(({ name }) => name))).toEqual(['ingress_http']);
  });
});

test('with no objects at all a client gets the fixed resources, and the rest as it comes', async () => {
  await start('');
  const follower = await XdsFollower.start(plane);
  expect(follower.names('cluster')).toEqual([]);
  expect(follower.names('listener')).not.toContain('ingress_http');
  expect(follower.names('listener').length).toBeGreaterThan(0);
  await plane.apply(objects.join(''));
  await follower.sent();
  expect(follower.names('listener')).toContain('ingress_http');
});

test('a client that comes to an idle control plane gets everything without an event (projectcontour/contour#1280)', async () => {
  await start();
  const builds = plane.builds.length;
  const follower = await XdsFollower.start(plane);
  expect(follower.names('scopedRoute')).toEqual(
    expect.arrayContaining([
      'ingress_http|one.example.com',
      'ingress_http|safe.example.com',
      'ingress_https|safe.example.com|safe.example.com',
    ]),
  );
  expect(plane.builds).toHaveLength(builds);
});

/** The versions of all resources, by type and name. */
async function versionsOf(of: ControlPlane): Promise<Readonly<Record<string, string>>> {
  await of.settled();
  const all = Object.entries(typeUrls).flatMap(([label, type]) =>
    [...of.pipeline.snapshot.all(type).values()].map((resource) => [`${label} ${resource.name}`, resource.encoded('ads').version] as const),
  );
  return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)));
}
