import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { CommandContext } from '../../cmd/isoline/command.ts';
import { run as wait } from '../../cmd/isoline/wait.ts';
import { HttpServer } from '../../pkg/server/http-server.ts';
import { type LiveAnswer, proxyRoutes } from '../../pkg/server/proxy-routes.ts';
import { silentLogger } from '../../pkg/util/logger.ts';
import { type TypeUrl, typeUrls } from '../../pkg/xdscache/resource.ts';
import { ControlPlane } from '../lib/control-plane.ts';
import { eventually } from '../lib/eventually.ts';
import { endpointSlice, httpProxy, service } from '../lib/manifests.ts';
import type { ReceivedResponse, XdsClientStream } from '../lib/xds-client.ts';

/** Refusals of real clients over gRPC, from the answer to the status of the object, the pages and `isoline wait`. */
const services = ['web', 'refused'].map((name) => service(name) + endpointSlice(name, 8080)).join('');
const shop = (prefix: string, to = 'web'): string =>
  httpProxy('shop', `{virtualhost: {fqdn: shop.test}, routes: [{conditions: [{prefix: ${prefix}}], services: [{name: ${to}, port: 80}]}]}`);
const other = (prefix: string): string =>
  httpProxy('other', `{virtualhost: {fqdn: other.test}, routes: [{conditions: [{prefix: ${prefix}}], services: [{name: web, port: 80}]}]}`);

let plane: ControlPlane;
let pages: HttpServer;

beforeEach(async () => {
  plane = await ControlPlane.start({}, services + shop('/good') + other('/other'));
  pages = new HttpServer({
    name: 'debug',
    address: '127.0.0.1',
    port: 0,
    log: silentLogger,
    routes: proxyRoutes({
      streams: () => plane.server.streams,
      quarantine: () => plane.pipeline.quarantine,
      live: (object) => plane.live.report(object),
      generation: (object) => plane.pipeline.statusOf(object)?.generation,
    }),
  });
  await pages.start();
});

afterEach(async () => {
  await pages[Symbol.asyncDispose]();
  await plane[Symbol.asyncDispose]();
});

const contains = (response: ReceivedResponse, text: string): boolean =>
  response.resources.some(({ bytes }) => Buffer.from(bytes).toString('latin1').includes(text));

/** As `connect`, and waits until the client has all that there is. */
async function connected(node: string, refused?: string): Promise<XdsClientStream> {
  const stream = connect(node, refused);
  await eventually('all to arrive', () => routesOf(stream).includes('/good') && routesOf(stream).includes('/other'));
  await plane.settled();
  return stream;
}

/** A client that wants everything and refuses responses with a text in them. */
function connect(node: string, refused = '/BAD', types: readonly TypeUrl[] = Object.values(typeUrls)): XdsClientStream {
  const judge = (response: ReceivedResponse) => (contains(response, refused) ? `${node} does not like it` : undefined);
  const stream = plane.client().open({ node, judge });
  for (const type of types) stream.subscribe(type, ['*']);
  return stream;
}

const json = async (path: string): Promise<unknown> => (await fetch(`http://127.0.0.1:${pages.port}${path}`)).json();
const live = (object: string) => json(`/debug/live?object=${object}`) as Promise<LiveAnswer>;
const routesOf = (stream: XdsClientStream): string =>
  [...stream.resources(typeUrls.route).values()].map(({ bytes }) => Buffer.from(bytes).toString('latin1')).join('\n');

async function waitFor(...args: readonly string[]): Promise<{ readonly code: number | string; readonly text: string }> {
  let text = '';
  const write = (more: string): void => {
    text += more;
  };
  const context: CommandContext = { stdout: write, stderr: write, env: {}, signal: new AbortController().signal };
  const code = await wait([...args, `--address=127.0.0.1:${pages.port}`], context).catch((error: Error) => error.message);
  return { code, text };
}

describe('a refusal', () => {
  test('is told in the status of its object, and goes with the next good version', async () => {
    const envoy = await connected('envoy-1');
    await plane.apply(shop('/BAD') + other('/new'));
    await eventually('the refusal to be told', () => plane.status('HTTPProxy demo/shop') !== 'valid');
    expect(plane.wanted('HTTPProxy demo/shop')).toMatchObject({
      currentStatus: 'invalid',
      conditions: [{ type: 'Valid', status: 'False', reason: 'ErrorPresent', errors: [{ type: 'EnvoyError', reason: 'RejectedByEnvoy' }] }],
    });
    expect(plane.messages('HTTPProxy demo/shop')).toContain(
      'Envoy refuses the host shop.test (spec.routes[0]); its last good version is served: envoy-1 does not like it',
    );
    expect(plane.status('HTTPProxy demo/other')).toBe('valid');
    await eventually('the rest to arrive', () => routesOf(envoy).includes('/new'));
    expect(routesOf(envoy)).toContain('/good');
    expect(plane.builds.flatMap(({ notices }) => notices.map(({ object, problem }) => `${object.name} ${problem.reason}`))).toEqual([
      'shop RejectedByEnvoy',
    ]);
    await plane.settled();

    await plane.apply(shop('/better'));
    await eventually('the good version to arrive', () => routesOf(envoy).includes('/better'));
    await plane.settled();
    expect(plane.status('HTTPProxy demo/shop')).toBe('valid');
  });

  test('is kept from a proxy that comes later, and through a build of everything', async () => {
    await connected('envoy-1');
    await plane.apply(shop('/BAD'));
    await eventually('the refusal to be told', () => plane.status('HTTPProxy demo/shop') !== 'valid');
    plane.pipeline.buildAll();
    expect(plane.status('HTTPProxy demo/shop')).not.toBe('valid');
    const later = connect('envoy-2');
    await eventually('routes to arrive', () => routesOf(later).includes('/good'));
    await plane.settled();
    expect(later.responses.some((response) => contains(response, '/BAD'))).toBe(false);
  });

  test('of a cluster takes its host back to the cluster before', async () => {
    const envoy = await connected('envoy-1', 'demo/refused');
    await plane.apply(shop('/elsewhere', 'refused'));
    await eventually('the refusal to be told', () => plane.status('HTTPProxy demo/shop') !== 'valid');
    await eventually('all to be answered', () => routesOf(envoy).includes('/good'));
    expect(routesOf(envoy)).not.toContain('demo/refused');
  });

  test('by a client of the state-of-the-world protocol counts as well', async () => {
    const judge = (response: ReceivedResponse) => (contains(response, '/BAD') ? 'no' : undefined);
    const stream = plane.client().open({ node: 'contour-style', judge, protocol: 'sotw', single: typeUrls.route });
    stream.subscribe(typeUrls.route, [...plane.pipeline.snapshot.all(typeUrls.route).keys()]);
    await eventually('all to arrive', () => routesOf(stream).includes('/other'));
    await plane.settled();
    await plane.apply(shop('/BAD'));
    await eventually('the refusal to be told', () => plane.status('HTTPProxy demo/shop') !== 'valid');
    await eventually('another version to arrive', () => !routesOf(stream).includes('/BAD'));
  });

  test('of everything leaves what others get as it is', async () => {
    const broken = connect('broken', '');
    await eventually('refusals', () => broken.responses.length > 5);
    await plane.apply(shop('/next'));
    const good = connect('good');
    await eventually('all to arrive', () => routesOf(good).includes('/next') && routesOf(good).includes('/other'));
    await plane.settled();
    expect([plane.status('HTTPProxy demo/shop'), plane.pipeline.quarantine.active]).toEqual(['valid', false]);
  });
});

describe('pages', () => {
  test('say what proxies have, what is kept from them and what of an object is live', async () => {
    await connected('envoy-1');
    await plane.apply(shop('/BAD'));
    await eventually('the refusal to be told', () => plane.status('HTTPProxy demo/shop') !== 'valid');
    await plane.settled();
    expect(await json('/debug/proxies')).toMatchObject([
      { node: 'envoy-1', types: { [typeUrls.route]: { wildcard: true, pending: false } } },
    ]);
    expect(await json('/debug/quarantine')).toMatchObject({
      entries: [{ host: 'ingress_http/shop.test', served: 'last good', node: 'envoy-1', message: 'envoy-1 does not like it' }],
      distrusted: [],
    });
    expect(await live('httpproxy/demo/other')).toMatchObject({
      object: 'httpproxy/demo/other',
      observedGeneration: 1,
      live: 1,
      of: 1,
      refused: [],
    });
    expect(await live('HTTPProxy/demo/shop')).toMatchObject({ observedGeneration: 2, refused: [{ host: 'ingress_http/shop.test' }] });
    expect((await fetch(`http://127.0.0.1:${pages.port}/debug/live?object=pod/a/b`)).status).toBe(400);
  });
});

describe('isoline wait', () => {
  test('ends well when the object is live', async () => {
    connect('envoy-1');
    const waiting = waitFor('httpproxy/demo/shop', '--for=live', '--generation=2', '--timeout=4s');
    await plane.apply(shop('/second'));
    expect(await waiting).toEqual({ code: 0, text: 'httpproxy/demo/shop is live on 1 of 1 proxies\n' });
  });

  test('says what is missing', async () => {
    expect(await waitFor('httpproxy/demo/shop', '--timeout=1500ms')).toMatchObject({
      code: expect.stringContaining('is not live after 1500 ms: no proxy is connected to this replica'),
    });
    await connected('envoy-1');
    expect((await waitFor('httpproxy/demo/none', '--timeout=1500ms')).code).toContain('nothing of it is served');
    expect((await waitFor('httpproxy/demo/shop', '--timeout=1500ms', '--generation=9')).code).toContain('knows generation 1, not 9');
  });

  test('ends at once when Envoy refuses the object', async () => {
    await connected('envoy-1');
    await plane.apply(shop('/BAD'));
    expect((await waitFor('httpproxy/demo/shop', '--generation=2', '--timeout=4s')).code).toBe(
      'httpproxy/demo/shop: Envoy refuses it: envoy-1 does not like it',
    );
  });

  test.each([
    ['shop', 'is no kind/namespace/name'],
    ['httpproxy/demo/shop --for=ready', 'only live can be waited for'],
    ['httpproxy/demo/shop --timeout=soon', '--timeout must be a duration'],
    ['httpproxy/demo/shop --generation=-1', '--generation must be a whole number'],
  ])('%s: %s', async (line, fault) => expect((await waitFor(...line.split(' '))).code).toContain(fault));
});
