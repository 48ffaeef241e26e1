import { beforeEach, describe, expect, test } from '@jest/globals';
import { testConfig } from '../../../test/lib/config.ts';
import { cluster, endpointSlice, forward, listener, route, secretNode, secureHost, TestDag, virtualHost } from '../../../test/lib/dag.ts';
import type { VirtualHost } from '../../dag/model/virtual-host.ts';
import { type Resource, type SnapshotUpdate, type TypeUrl, typeUrls } from '../resource.ts';
import { Snapshot } from '../snapshot.ts';
import { createXdsCache, type XdsCache } from '../xds-cache.ts';
import { Quarantine } from './quarantine.ts';

const order = [
  typeUrls.cluster,
  typeUrls.endpoint,
  typeUrls.secret,
  typeUrls.runtime,
  typeUrls.listener,
  typeUrls.scopedRoute,
  typeUrls.route,
];

/** A proxy that refuses what its judge says is bad, one resource at a time. */
class FakeProxy {
  readonly told = new Map<string, string>();
  readonly has = new Map<string, Resource>();
  /** How many resources it was sent that it refused. */
  refusals = 0;
  readonly node: string;
  readonly #refuses: (text: string, type: TypeUrl) => boolean;

  constructor(node: string, refuses: (text: string, type: TypeUrl) => boolean) {
    this.node = node;
    this.#refuses = refuses;
  }

  /** Answers the first thing that is new to it; gives whether there was any. */
  step(world: World): boolean {
    for (const type of order) {
      const names = new Set([...world.snapshot.all(type).keys(), ...this.#namesOf(type)]);
      for (const name of names) if (this.#look(world, type, name)) return true;
    }
    return false;
  }

  #look({ snapshot, quarantine, apply }: World, type: TypeUrl, name: string): boolean {
    const resource = snapshot.get(type, name);
    const version = resource?.encoded('ads').version;
    const key = `${type} ${name}`;
    // The table of all hosts is there for who asks for it; it has the name of the listener.
    if (this.told.get(key) === version || (type === typeUrls.route && name === 'http')) return false;
    if (version === undefined) this.told.delete(key);
    else this.told.set(key, version);
    const refused = resource !== undefined && this.#refuses(Buffer.from(resource.encoded('ads').bytes).toString('latin1'), type);
    if (refused) this.refusals += 1;
    else if (resource === undefined) this.has.delete(key);
    else this.has.set(key, resource);
    const answer = { stream: this, node: this.node, source: 'ads', type, sent: new Map([[name, version]]) } as const;
    apply(quarantine.answered(refused ? { ...answer, refused: { names: [name], message: 'no BAD things' } } : answer));
    return true;
  }

  /** What it has under a name, as text. */
  text(type: TypeUrl, name: string): string {
    const resource = this.has.get(`${type} ${name}`);
    return resource === undefined ? 'nothing' : Buffer.from(resource.encoded('ads').bytes).toString('latin1');
  }

  #namesOf(type: TypeUrl): readonly string[] {
    return [...this.told.keys()].filter((key) => key.startsWith(`${type} `)).map((key) => key.slice(type.length + 1));
  }
}

class World {
  readonly dag = new TestDag();
  readonly snapshot = new Snapshot((update) => this.quarantine.guard(update));
  readonly quarantine = new Quarantine(this.snapshot);
  readonly proxies: FakeProxy[] = [];
  readonly #cache: XdsCache = createXdsCache(testConfig());

  change(values: Parameters<TestDag['change']>[0]): void {
    const changes = this.quarantine.filter(this.dag.change(values));
    this.snapshot.apply(this.#cache.update(this.quarantine.served(this.dag, changes), changes));
  }

  slice(...addresses: readonly string[]): void {
    this.#cache.applyEndpointSlice(undefined, endpointSlice('web', addresses));
    this.snapshot.apply(this.#cache.takeEndpoints());
  }

  readonly apply = ({ hosts, resources }: { readonly hosts: readonly unknown[]; readonly resources: SnapshotUpdate }): void => {
    const virtualHosts = hosts as Parameters<XdsCache['update']>[1]['virtualHosts'];
    if (hosts.length > 0) this.snapshot.apply(this.#cache.update(this.dag, { listeners: [], virtualHosts }));
    if (resources.size > 0) this.snapshot.apply(resources);
  };

  connect(node = 'envoy', refuses: (text: string, type: TypeUrl) => boolean = (text) => text.includes('BAD')): FakeProxy {
    const proxy = new FakeProxy(node, refuses);
    this.proxies.push(proxy);
    return proxy;
  }

  /** Lets all proxies answer, in turn, until nothing is new to any. */
  settle(limit = 20_000): void {
    for (let left = limit; left > 0; left--) if (!this.proxies.map((proxy) => proxy.step(this)).includes(true)) return;
    throw new Error('it never ends');
  }

  /** What all proxies get of the tables of routes. */
  get tables(): string {
    const tables = [...this.snapshot.all(typeUrls.route)].filter(([name]) => name !== 'http');
    return tables.map(([, table]) => Buffer.from(table.encoded('ads').bytes).toString('latin1')).join('\n');
  }

  get refused(): readonly string[] {
    return this.quarantine.entries.map(({ host, name, served }) => `${host ?? name}: ${served}`).sort();
  }
}

let world: World;
beforeEach(() => {
  world = new World();
  world.change({ listeners: [listener('http'), listener('https')] });
});

/** Wildcards are all in one table. */
const host = (index: number, prefix = `/ok-${index}`): VirtualHost => virtualHost('http', `*.h${index}.test`, { routes: [route(prefix)] });
const hosts = (count: number, bad: readonly number[] = []) =>
  Array.from({ length: count }, (_, index) => host(index, bad.includes(index) ? `/BAD-${index}` : undefined));

describe('a host in a table that is refused', () => {
  test('goes back to its last good version, and the others go on', () => {
    world.change({ hosts: hosts(40) });
    const proxy = world.connect();
    world.settle();
    world.change({ hosts: [host(7, '/BAD'), ...[3, 8, 30].map((index) => host(index, `/new-${index}`))] });
    world.settle();
    expect(world.refused).toEqual(['http/*.h7.test: last good']);
    for (const text of ['/ok-7', '/new-3', '/new-8', '/new-30', '/ok-0']) expect(world.tables).toContain(text);
    const [shared] = [...proxy.has.keys()].filter((key) => key.startsWith(typeUrls.route));
    expect(proxy.text(typeUrls.route, shared!.slice(typeUrls.route.length + 1))).toContain('/new-30');
  });

  test('is answered 503 where it was never good', () => {
    world.connect();
    world.change({ hosts: hosts(40, [11, 12, 39]) });
    world.settle();
    expect(world.refused).toEqual(['http/*.h11.test: stand-in', 'http/*.h12.test: stand-in', 'http/*.h39.test: stand-in']);
    expect(world.tables).toContain('*.h11.test');
    expect(world.tables).not.toContain('BAD');
    expect(world.tables).toContain('/ok-38');
  });

  test('costs few refusals to find', () => {
    const proxy = world.connect();
    world.change({ hosts: hosts(40) });
    world.settle();
    world.change({ hosts: hosts(40, [21]).map((value) => ({ ...value, routes: [...value.routes, route('/more')] })) });
    world.settle();
    expect(world.refused).toEqual(['http/*.h21.test: last good']);
    expect(proxy.refusals).toBeLessThanOrEqual(7);
  });

  test('is never given to a proxy that starts later', () => {
    world.change({ hosts: hosts(40, [5]) });
    world.connect('first');
    world.settle();
    const later = world.connect('later');
    world.settle();
    expect(later.refusals).toBe(0);
  });

  test('is tried again when it changes, and served when it is good', () => {
    world.connect();
    world.change({ hosts: hosts(3, [1]) });
    world.settle();
    world.change({ hosts: [host(1, '/BAD-again')] });
    world.settle();
    expect(world.refused).toEqual(['http/*.h1.test: stand-in']);
    world.change({ hosts: [host(1, '/fine')] });
    world.settle();
    expect(world.refused).toEqual([]);
    expect(world.tables).toContain('/fine');
    world.change({ hosts: [host(1, '/BAD')] });
    world.settle();
    expect(world.refused).toEqual(['http/*.h1.test: last good']);
    expect(world.tables).toContain('/fine');
  });

  test('is forgotten when it goes', () => {
    world.connect();
    world.change({ hosts: hosts(3, [1]) });
    world.settle();
    world.change({ without: [['http', '*.h1.test']] });
    world.settle();
    expect(world.refused).toEqual([]);
    expect(world.quarantine.active).toBe(false);
    expect(world.tables).not.toContain('h1.test');
  });

  test('stays out when its listener is made anew', () => {
    world.connect();
    world.change({ hosts: hosts(3, [1]) });
    world.settle();
    world.change({ without: ['http'] });
    world.change({ listeners: [listener('http')] });
    expect(world.tables).not.toContain('BAD');
    expect(world.tables).toContain('/ok-2');
  });
});

test('a response that is refused for two tables with the same host is told of the host', () => {
  const proxy = world.connect();
  world.change({ hosts: hosts(3) });
  world.settle();
  world.change({ hosts: [host(1, '/BAD')] });
  const names = ['http', 'http/REST'];
  const sent = new Map(names.map((name) => [name, world.snapshot.get(typeUrls.route, name)?.encoded('ads').version]));
  const refused = { names, message: 'no BAD things' };
  world.apply(world.quarantine.answered({ stream: proxy, node: 'envoy', source: 'ads', type: typeUrls.route, sent, refused }));
  world.settle();
  expect(world.refused).toEqual([]);
  const table = world.snapshot.get(typeUrls.route, 'http')!.encoded('ads').version;
  const accepted = { stream: proxy, node: 'envoy', source: 'ads', type: typeUrls.route } as const;
  world.apply(world.quarantine.answered({ ...accepted, sent: new Map([['http', table]]) }));
  expect(world.refused).toEqual(['http/*.h1.test: last good']);
});

describe('proxies that are at fault themselves', () => {
  test('one that refuses everything holds back nothing', () => {
    world.change({ hosts: hosts(40) });
    const broken = world.connect('broken', () => true);
    world.settle();
    expect(world.refused).toEqual([]);
    const later = world.connect('good');
    world.settle();
    expect(world.refused).toEqual([]);
    for (const index of [0, 39]) expect(world.tables).toContain(`/ok-${index}`);
    expect([...later.has.keys()].filter((key) => key.startsWith(typeUrls.route))).toHaveLength(1);
    expect(broken.has.size).toBe(0);
  });

  test.each([typeUrls.cluster, typeUrls.secret, typeUrls.listener, typeUrls.route, typeUrls.endpoint])(
    'one that refuses all of %s',
    (type) => {
      const many = Array.from({ length: 20 }, (_, index) =>
        secureHost('https', `h${index}.test`, {
          routes: [route('/', { action: forward(cluster(`service-${index}`)) })],
          tls: { type: 'terminate', secrets: [secretNode(`tls-${index}`)], minVersion: '1.2', maxVersion: '1.3' },
        }),
      );
      world.change({ hosts: [...hosts(5), ...many] });
      world.connect('broken', (_, given) => given === type);
      world.settle();
      expect(world.refused).toEqual([]);
      expect(world.quarantine.distrusted).toMatchObject([{ node: 'broken' }]);
    },
  );

  test.each([['before'], ['after']])('one that refuses what another accepts, %s it', (when) => {
    const picky = (text: string) => text.includes('modern');
    if (when === 'before') world.connect('old', picky);
    world.connect('new', () => false);
    if (when === 'after') world.connect('old', picky);
    world.change({ hosts: hosts(10) });
    world.settle();
    world.change({ hosts: [host(4, '/modern')] });
    world.settle();
    world.change({ hosts: [host(5, '/modern-too')] });
    world.settle();
    expect(world.refused).toEqual([]);
    expect(world.tables).toContain('/modern-too');
    expect(world.quarantine.distrusted).toMatchObject([{ node: 'old', why: 'others accept it' }]);
  });

  test('a silent proxy is not waited for once the time is over', () => {
    world.connect('silent', () => false);
    world.change({ hosts: hosts(10) });
    world.settle();
    const [silent] = world.proxies.splice(0, 1);
    world.connect('heard');
    world.settle();
    world.change({ hosts: [host(4, '/BAD')] });
    world.settle();
    expect([world.quarantine.undecided, world.refused]).toEqual([true, []]);
    world.apply(world.quarantine.decide());
    world.settle();
    expect([world.quarantine.undecided, world.refused, silent?.refusals]).toEqual([false, ['http/*.h4.test: last good'], 0]);
  });

  test('two that refuse the same are believed', () => {
    world.connect('one');
    world.connect('two');
    world.change({ hosts: hosts(10) });
    world.settle();
    world.change({ hosts: [host(4, '/BAD'), host(5, '/fine')] });
    world.settle();
    expect(world.refused).toEqual(['http/*.h4.test: last good']);
    expect(world.tables).toContain('/fine');
  });

  test('is believed again on a new stream', () => {
    world.change({ hosts: hosts(3) });
    const broken = world.connect('broken', () => true);
    world.settle();
    world.quarantine.closed(broken);
    expect(world.quarantine.distrusted).toEqual([]);
  });
});

describe('other types', () => {
  const tls = (certificate: string, name = 'tls') =>
    secureHost('https', `${name}.test`, {
      tls: { type: 'terminate', secrets: [secretNode(name, { certificate })], minVersion: '1.2', maxVersion: '1.3' },
    });

  test('a renewed certificate goes back to the last good one', () => {
    world.connect();
    world.change({ hosts: [tls('good')] });
    world.settle();
    world.change({ hosts: [tls('BAD')] });
    world.settle();
    const [secret] = [...world.snapshot.all(typeUrls.secret).values()];
    expect(Buffer.from(secret!.encoded('ads').bytes).toString()).toContain('good');
    expect(world.refused).toEqual(['ns/tls: last good']);
    world.change({ hosts: [tls('better')] });
    expect(world.refused).toEqual([]);
  });

  test('a host with a new certificate that is refused is left out with it', () => {
    world.connect();
    world.change({ hosts: [tls('good'), tls('BAD', 'other')] });
    world.settle();
    expect([...world.snapshot.all(typeUrls.secret).keys()]).toEqual(['ns/tls']);
    expect(world.refused).toEqual(['https/other.test: nothing']);
  });

  test('a host goes back to the cluster that it had', () => {
    const to = (name: string) => virtualHost('http', '*.a.test', { routes: [route('/', { action: forward(cluster(name)) })] });
    world.connect();
    world.change({ hosts: [to('fine'), ...hosts(3)] });
    world.settle();
    world.change({ hosts: [to('BAD')] });
    world.settle();
    expect(world.refused).toEqual(['http/*.a.test: last good']);
    expect([...world.snapshot.all(typeUrls.cluster).keys()].join()).toMatch(/ns\/fine\//);
    expect([...world.snapshot.all(typeUrls.cluster).keys()].join()).not.toContain('BAD');
  });

  test('a filter chain is left out, and the others of the listener go on', () => {
    const proxied = (index: number, name = 'web') =>
      virtualHost('https', `p${index}.test`, {
        routes: [],
        tls: { type: 'passthrough' },
        tcpProxy: {
          clusters: [{ cluster: cluster(name), weight: 1 }],
          origin: { kind: 'HTTPProxy', namespace: 'ns', name: 'app', path: '' },
        },
      });
    world.connect('envoy', (text, type) => type === typeUrls.listener && text.includes('BAD'));
    world.change({ hosts: Array.from({ length: 6 }, (_, index) => proxied(index)) });
    world.settle();
    world.change({ hosts: [proxied(2, 'BAD'), proxied(3, 'other'), proxied(9, 'BAD')] });
    world.settle();
    expect(world.refused).toEqual(['https/p2.test: last good', 'https/p9.test: nothing']);
    const text = Buffer.from(world.snapshot.get(typeUrls.listener, 'https')!.encoded('ads').bytes).toString('latin1');
    expect(text).toContain('ns/other/');
  });

  test('endpoints go back to the last good ones, and to none where there were none', () => {
    const refuses = (text: string, type: TypeUrl) => type === typeUrls.endpoint && text.includes('10.6.6.6');
    world.connect('envoy', refuses);
    world.change({ hosts: hosts(1) });
    world.settle();
    world.slice('10.0.0.1');
    world.settle();
    world.slice('10.6.6.6');
    world.settle();
    const text = () => Buffer.from(world.snapshot.get(typeUrls.endpoint, 'ns/web')!.encoded('ads').bytes).toString('latin1');
    expect(text()).toContain('10.0.0.1');
    expect(world.refused).toEqual(['ns/web: last good']);
    world.slice('10.0.0.2');
    world.settle();
    expect(world.refused).toEqual([]);
    expect(text()).toContain('10.0.0.2');
  });

  test('a scope that is refused is left out', () => {
    world.connect('envoy', (text, type) => type === typeUrls.scopedRoute && text.includes('bad.test'));
    world.change({ hosts: [virtualHost('http', 'bad.test'), virtualHost('http', 'good.test')] });
    world.settle();
    expect([...world.snapshot.all(typeUrls.scopedRoute).keys()].join()).not.toContain('bad.test');
    expect([...world.snapshot.all(typeUrls.scopedRoute).keys()].join()).toContain('good.test');
  });
});

test('nothing is remembered of what all proxies accepted', () => {
  world.change({ hosts: hosts(40) });
  world.connect();
  world.settle();
  expect(world.quarantine.pendingHosts).toBe(0);
});
