import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../../test/lib/eventually.ts';
import { XdsClient } from '../../test/lib/xds-client.ts';
import { cluster, endpoints, listener, routes, update } from '../../test/lib/xds-fixtures.ts';
import type { LogFields, Logger } from '../util/logger.ts';
import { type ConfigSourceKind, type TypeUrl, typeUrls } from '../xdscache/resource.ts';
import { Snapshot } from '../xdscache/snapshot.ts';
import { XdsServer } from './xds-server.ts';

interface Line {
  readonly level: string;
  readonly fields: LogFields;
  readonly message: string;
}

let lines: Line[];
let snapshot: Snapshot;
let server: XdsServer;
let client: XdsClient;

const recording = (level: string) => (fields: LogFields, message: string) => void lines.push({ level, fields, message });
const logger: Logger = { debug: recording('debug'), info: recording('info'), warn: recording('warn'), error: recording('error') };
const logged = (level: string): readonly Line[] => lines.filter((line) => line.level === level);

beforeEach(async () => {
  lines = [];
  snapshot = new Snapshot();
  server = new XdsServer({ host: '127.0.0.1', port: 0, tls: 'insecure', snapshot, logger });
  await server.start();
  client = new XdsClient(`127.0.0.1:${server.address.port}`);
});

afterEach(async () => {
  await client[Symbol.asyncDispose]();
  await server.stop();
});

describe('delta ADS', () => {
  test('a proxy gets all clusters, then only what changes', async () => {
    snapshot.apply(update({ cluster: [cluster('a'), cluster('b')] }));
    const stream = client.open();
    stream.subscribe(typeUrls.cluster);
    await stream.untilNames(typeUrls.cluster, ['a', 'b']);

    snapshot.apply(update({ cluster: [cluster('b', '2s'), cluster('c')] }));
    await stream.untilNames(typeUrls.cluster, ['a', 'b', 'c']);
    expect(stream.responses.at(-1)?.resources.map(({ name }) => name)).toEqual(['b', 'c']);
    expect(stream.message(typeUrls.cluster, 'b').connectTimeout?.seconds).toBe(2);

    snapshot.apply(update({ cluster: [{ remove: 'a' }] }));
    await stream.untilNames(typeUrls.cluster, ['b', 'c']);
    expect(stream.responses).toHaveLength(3);
  });

  test('nothing at all is answered too, for a proxy waits for it before it goes on', async () => {
    const stream = client.open();
    stream.subscribe(typeUrls.listener);
    await stream.until('an empty response', ({ responses }) => responses.length === 1);
    expect(stream.responses[0]).toMatchObject({ type: typeUrls.listener, resources: [], removed: [] });
  });

  test('a name that is missing is said to be, and sent when it comes', async () => {
    const stream = client.open();
    stream.subscribe(typeUrls.route, ['late']);
    await stream.until('its absence', ({ responses }) => responses.length === 1);
    expect(stream.responses[0]?.removed).toEqual(['late']);

    snapshot.apply(update({ route: [routes('late'), routes('other')] }));
    await stream.untilNames(typeUrls.route, ['late']);
  });

  test('a proxy that comes back gets only what differs from what it brings', async () => {
    const [a, b] = [cluster('a'), cluster('b')];
    snapshot.apply(update({ cluster: [a, b] }));
    const stream = client.open();
    const versionOfA = a.encoded('ads').version;
    stream.subscribe(typeUrls.cluster, [], { a: versionOfA, b: 'other', gone: 'any' });
    // It keeps what has gone until it has asked for all that may lead there.
    for (const type of [typeUrls.listener, typeUrls.scopedRoute, typeUrls.route]) stream.subscribe(type);
    const clusters = () => stream.responses.filter(({ type }) => type === typeUrls.cluster);
    await stream.until('the differences', () => clusters().length === 2);
    expect(clusters().flatMap(({ resources }) => resources.map(({ name }) => name))).toEqual(['b']);
    expect(clusters().flatMap(({ removed }) => removed)).toEqual(['gone']);
  });

  test('a changed cluster is followed at once by its endpoints, though they are the same', async () => {
    snapshot.apply(update({ cluster: [cluster('a')], endpoint: [endpoints('a'), endpoints('b')] }));
    const stream = client.open({ judge: ({ type, version }) => (type === typeUrls.cluster && version === '2' ? 'wait' : undefined) });
    stream.subscribe(typeUrls.cluster);
    stream.subscribe(typeUrls.endpoint, ['a', 'b']);
    await stream.untilNames(typeUrls.endpoint, ['a', 'b']);

    snapshot.apply(update({ cluster: [cluster('a', '9s')] }));
    await stream.until('cluster and endpoints', ({ responses }) => responses.length === 4);
    expect(stream.responses.slice(2).map(({ type, resources }) => [type, resources.map(({ name }) => name)])).toEqual([
      [typeUrls.cluster, ['a']],
      [typeUrls.endpoint, ['a']],
    ]);
  });

  test('a slow proxy gets the newest state when it answers, not each one between', async () => {
    snapshot.apply(update({ route: [routes('r', 'body 0')] }));
    const stream = client.open({ judge: () => 'wait' });
    stream.subscribe(typeUrls.route, ['r']);
    await stream.until('the first', ({ responses }) => responses.length === 1);
    for (let i = 1; i <= 100; i += 1) snapshot.apply(update({ route: [routes('r', `body ${i}`)] }));
    stream.answer(stream.responses[0]!);
    await stream.until('the next', ({ responses }) => responses.length === 2);
    expect(JSON.stringify(stream.json(typeUrls.route, 'r'))).toContain('body 100');
    stream.answer(stream.responses[1]!);
    // One more exchange shows that nothing was queued behind it.
    stream.subscribe(typeUrls.runtime, ['none']);
    await stream.until('the answer', ({ responses }) => responses.at(-1)?.type === typeUrls.runtime);
    expect(stream.responses).toHaveLength(3);
  });

  test('a proxy that does not read does not keep others waiting', async () => {
    const big = 'x'.repeat(100_000);
    const slow = client.open();
    slow.subscribe(typeUrls.route, ['r']);
    await slow.until('the first', ({ responses }) => responses.length === 1);
    slow.pause();
    await using other = new XdsClient(`127.0.0.1:${server.address.port}`);
    const quick = other.open();
    quick.subscribe(typeUrls.route, ['r']);
    for (const i of [1, 2, 3, 4, 5]) {
      snapshot.apply(update({ route: [routes('r', `${i}${big}`)] }));
      await quick.until(
        `state ${i}`,
        (stream) => stream.names(typeUrls.route).length > 0 && JSON.stringify(stream.json(typeUrls.route, 'r')).includes(`"${i}x`),
      );
    }
    slow.resume();
    await slow.until(
      'the newest',
      (stream) => stream.names(typeUrls.route).length > 0 && JSON.stringify(stream.json(typeUrls.route, 'r')).includes('"5x'),
    );
  });

  test('of many resources in a refused response the one at fault is found, and the others arrive', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `r${i}`);
    snapshot.apply(update({ route: names.map((name) => routes(name)) }));
    const refused = 'r13';
    const stream = client.open({ judge: ({ resources }) => (resources.some(({ name }) => name === refused) ? 'no regex' : undefined) });
    stream.subscribe(typeUrls.route, names);
    await stream.untilNames(
      typeUrls.route,
      names.filter((name) => name !== refused),
    );
    const state = server.connections()[0]?.types.get(typeUrls.route);
    await eventually('all answers', () => state?.accepted.size === 19 && state.refused.size === 1);

    expect(logged('error')).toHaveLength(1);
    expect(logged('error')[0]?.fields).toMatchObject({
      node: 'test',
      type: typeUrls.route,
      detail: 'no regex',
      names: [refused],
      origins: [{ kind: 'HTTPProxy', name: refused }],
    });
    expect([...(state?.refused ?? [])]).toEqual([[refused, { version: expect.any(String), detail: 'no regex' }]]);

    // The refused version is not sent again and again; a new one is.
    const before = stream.responses.length;
    snapshot.apply(update({ route: [routes('r0', 'changed')] }));
    await stream.until('the change', ({ responses }) => responses.length > before);
    expect(stream.responses.at(-1)?.resources.map(({ name }) => name)).toEqual(['r0']);
  });

  test('connections() says what each proxy accepted', async () => {
    const a = cluster('a');
    snapshot.apply(update({ cluster: [a] }));
    const stream = client.open({ node: 'envoy-1' });
    stream.subscribe(typeUrls.cluster);
    await stream.untilNames(typeUrls.cluster, ['a']);
    const [proxy] = server.connections();
    await eventually('the acknowledgement', () => proxy?.types.get(typeUrls.cluster)?.accepted.size === 1);
    expect(proxy).toMatchObject({ node: { id: 'envoy-1' }, protocol: 'delta' });
    expect(proxy?.types.get(typeUrls.cluster)).toMatchObject({ wildcard: true });
    expect([...(proxy?.types.get(typeUrls.cluster)?.accepted ?? [])]).toEqual([['a', a.encoded('ads').version]]);
  });
});

describe('state-of-the-world ADS', () => {
  test('clusters come as a whole, routes only where they changed', async () => {
    snapshot.apply(update({ cluster: [cluster('a'), cluster('b')], route: [routes('r1'), routes('r2')] }));
    const stream = client.open({ protocol: 'sotw' });
    stream.subscribe(typeUrls.cluster);
    stream.subscribe(typeUrls.route, ['r1', 'r2']);
    await stream.untilNames(typeUrls.route, ['r1', 'r2']);

    snapshot.apply(update({ cluster: [cluster('b', '2s')], route: [routes('r2', 'changed')] }));
    await stream.until('both', ({ responses }) => responses.length === 4);
    expect(stream.responses.slice(2).map(({ type, resources }) => [type, resources.map(({ name }) => name).sort()])).toEqual([
      [typeUrls.cluster, ['a', 'b']],
      [typeUrls.route, ['r2']],
    ]);
  });

  test('a cluster that goes is left out', async () => {
    snapshot.apply(update({ cluster: [cluster('a'), cluster('b')] }));
    const stream = client.open({ protocol: 'sotw' });
    stream.subscribe(typeUrls.cluster);
    await stream.untilNames(typeUrls.cluster, ['a', 'b']);
    snapshot.apply(update({ cluster: [{ remove: 'a' }] }));
    await stream.untilNames(typeUrls.cluster, ['b']);
  });

  test('the same resources have the same version at every server', async () => {
    const versions: (string | undefined)[] = [];
    for (const order of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      const other = new Snapshot();
      other.apply(update({ cluster: order.map((name) => cluster(name)) }));
      await using replica = new XdsServer({ host: '127.0.0.1', port: 0, tls: 'insecure', snapshot: other, logger });
      await replica.start();
      await using proxy = new XdsClient(`127.0.0.1:${replica.address.port}`);
      const stream = proxy.open({ protocol: 'sotw' });
      stream.subscribe(typeUrls.cluster);
      await stream.untilNames(typeUrls.cluster, ['a', 'b']);
      versions.push(stream.responses[0]?.version);
    }
    expect(versions[0]).toMatch(/^[0-9a-f]{16}$/);
    expect(versions[1]).toBe(versions[0]);
  });

  test('a refused listener is named, and the other counts as accepted', async () => {
    snapshot.apply(update({ listener: [listener('good'), listener('bad')] }));
    const stream = client.open({ protocol: 'sotw', judge: () => 'Error adding/updating listener(s) bad: no filters' });
    stream.subscribe(typeUrls.listener);
    await eventually('the refusal', () => logged('error').length > 0);
    expect(logged('error')[0]?.fields).toMatchObject({ names: ['bad'] });
    expect([...(server.connections()[0]?.types.get(typeUrls.listener)?.accepted.keys() ?? [])]).toEqual(['good']);
  });
});

describe('single-type streams', () => {
  const resources = {
    [typeUrls.cluster]: cluster('x'),
    [typeUrls.endpoint]: endpoints('x'),
    [typeUrls.listener]: listener('x'),
    [typeUrls.route]: routes('x'),
  } as const;
  const cases = (Object.keys(resources) as (keyof typeof resources)[]).flatMap((type: TypeUrl) => [
    { type, protocol: 'delta' as const },
    { type, protocol: 'sotw' as const },
  ]);

  test.each(cases)('$protocol of $type', async ({ type, protocol }) => {
    const stream = client.open({ protocol, single: type });
    stream.subscribe(type, ['x']);
    snapshot.apply(new Map([[type, new Map([['x', resources[type as keyof typeof resources]]])]]));
    await stream.untilNames(type, ['x']);
  });

  test.each([typeUrls.scopedRoute, typeUrls.secret, typeUrls.runtime])('delta of %s answers', async (type) => {
    const stream = client.open({ single: type });
    stream.subscribe(type, ['x']);
    await stream.until('its absence', ({ responses }) => responses.length === 1);
    expect(stream.responses[0]?.removed).toEqual(['x']);
  });

  test('a request need not name the type', async () => {
    snapshot.apply(update({ cluster: [cluster('a')] }));
    const stream = client.open({ single: typeUrls.cluster, protocol: 'sotw' });
    stream.send({});
    await stream.untilNames(typeUrls.cluster, ['a']);
  });

  test('resources refer to others by single-type streams there, and by the aggregated one here', async () => {
    const forms: string[] = [];
    const encoded = (source: ConfigSourceKind) => {
      forms.push(source);
      return cluster('a').encoded(source);
    };
    const resource = { ...cluster('a'), encoded };
    snapshot.apply(update({ cluster: [resource] }));
    for (const options of [{ single: typeUrls.cluster }, {}]) {
      const stream = client.open(options);
      stream.subscribe(typeUrls.cluster);
      await stream.untilNames(typeUrls.cluster, ['a']);
    }
    expect([...new Set(forms)]).toEqual(['grpc', 'ads']);
  });

  test('what nobody asks for is not encoded', async () => {
    const encoded = () => {
      throw new Error('encoded in vain');
    };
    snapshot.apply(update({ route: [routes('r'), { name: 'unwanted', origins: [], encoded }] }));
    const stream = client.open();
    stream.subscribe(typeUrls.route, ['r']);
    await stream.untilNames(typeUrls.route, ['r']);
  });
});

describe('malformed requests', () => {
  const cases: readonly { name: string; send: (stream: ReturnType<XdsClient['open']>) => void; details: string }[] = [
    {
      name: 'an unknown type',
      send: (stream) => stream.send({ typeUrl: 'type.googleapis.com/x.Y' }),
      details: 'type_url "type.googleapis.com/x.Y" is not served',
    },
    { name: 'no type on an aggregated stream', send: (stream) => stream.send({}), details: 'type_url is empty on an aggregated stream' },
    {
      name: 'bytes that are no message',
      send: (stream) => stream.sendBytes(Buffer.from([0xff, 0xff, 0xff])),
      details: 'the request is no DeltaDiscoveryRequest',
    },
    {
      name: 'a nonce that was never sent',
      send: (stream) => {
        stream.subscribe(typeUrls.cluster);
        stream.send({ typeUrl: typeUrls.cluster, responseNonce: '77' });
      },
      details: 'response_nonce "77" was never sent on this stream',
    },
  ];

  test.each(cases)('$name ends its stream only, with a clear error', async ({ send, details }) => {
    snapshot.apply(update({ cluster: [cluster('a')] }));
    const good = client.open();
    good.subscribe(typeUrls.cluster);
    await good.untilNames(typeUrls.cluster, ['a']);

    const bad = client.open();
    send(bad);
    expect(await bad.status).toMatchObject({ code: status.INVALID_ARGUMENT, details: expect.stringContaining(details) });
    expect(logged('warn')).toHaveLength(1);
    expect(logged('warn')[0]?.message).toContain(details);

    snapshot.apply(update({ cluster: [cluster('b')] }));
    await good.untilNames(typeUrls.cluster, ['a', 'b']);
  });

  test('a client that repeats one is logged once', async () => {
    for (let i = 0; i < 3; i += 1) {
      const stream = client.open();
      stream.send({ typeUrl: 'unknown' });
      await stream.status;
    }
    expect(logged('warn')).toHaveLength(1);
  });
});

describe('lifetime', () => {
  test('stop ends the streams and closes the port', async () => {
    const stream = client.open();
    stream.subscribe(typeUrls.cluster);
    await stream.until('an answer', ({ responses }) => responses.length === 1);
    await server.stop();
    expect((await stream.status).code).toBe(status.UNAVAILABLE);
    expect(() => server.address).toThrow('does not listen');
    expect(server.connections()).toEqual([]);
  });

  test('a port in use is a clear error', async () => {
    await using second = new XdsServer({ host: '127.0.0.1', port: server.address.port, tls: 'insecure', snapshot, logger });
    await expect(second.start()).rejects.toThrow(`cannot listen on 127.0.0.1 port ${server.address.port}`);
  });
});
