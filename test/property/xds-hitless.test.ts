/** A proxy with the habits of an Envoy: clusters warm until their endpoints come, and no route that it took may lead to a cluster without any. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { StreamState } from '../../pkg/xds/ordering.ts';
import type { Response } from '../../pkg/xds/type-stream.ts';
import type { Resource, SnapshotUpdate, TypeUrl } from '../../pkg/xdscache/resource.ts';
import { typeUrls } from '../../pkg/xdscache/resource.ts';
import { Snapshot } from '../../pkg/xdscache/snapshot.ts';
import { cluster, endpoints, resource } from '../lib/xds-fixtures.ts';

const hosts = [0, 1, 2];
const backends = [0, 1, 2, 3];

/** What all hosts lead to, by number of the backend. */
type Targets = readonly number[];

const table = (host: number, backend: number): Resource =>
  resource(typeUrls.route, `r${host}`, {
    name: `r${host}`,
    virtual_hosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: `c${backend}` } }] }],
  });

const backendOf = new Map(hosts.flatMap((host) => backends.map((backend) => [table(host, backend).encoded('ads').version, `c${backend}`])));

function world(snapshot: Snapshot, targets: Targets, settings: string): SnapshotUpdate {
  const used = new Set(targets);
  const of = (make: (backend: number) => Resource) =>
    new Map(backends.map((backend) => [`c${backend}`, used.has(backend) ? make(backend) : undefined] as const));
  const changed = <T extends readonly [string, Resource | undefined]>(type: TypeUrl, entries: Iterable<T>) =>
    [
      type,
      new Map([...entries].filter(([name, one]) => one?.encoded('ads').version !== snapshot.get(type, name)?.encoded('ads').version)),
    ] as const;
  return new Map([
    changed(
      typeUrls.cluster,
      of((backend) => cluster(`c${backend}`, settings)),
    ),
    changed(
      typeUrls.endpoint,
      of((backend) => endpoints(`c${backend}`, 80 + backend)),
    ),
    changed(
      typeUrls.route,
      targets.map((backend, host) => [`r${host}`, table(host, backend)] as const),
    ),
  ]);
}

/** Takes responses in order, one at a time. */
class WarmingProxy {
  readonly #snapshot: Snapshot;
  #stream: StreamState;
  #inbox: Response[] = [];
  readonly #has = new Map<TypeUrl, Map<string, string>>();
  /** Clusters that serve. A changed one goes on serving as it was while its new version warms. */
  readonly #active = new Set<string>();
  readonly #warming = new Set<string>();
  /** The answer that is held back while clusters warm. */
  #held: Response | undefined;
  readonly #stop: () => void;
  nowMs = 0;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.#stream = new StreamState({ source: 'ads', view: snapshot });
    this.#stop = snapshot.subscribe((update) => {
      this.#stream.update(update);
      this.#collect();
    });
    this.connect(snapshot);
  }

  close(): void {
    this.#stop();
  }

  /** The stream is new, and clusters were not asked for on it. */
  #mute = false;

  /** As on a new stream, with all that it has. */
  connect(snapshot: Snapshot): void {
    this.#stream = new StreamState({ source: 'ads', view: snapshot });
    this.#inbox = [];
    this.#held = undefined;
    // It does not speak of clusters while some warm.
    this.#mute = this.#warming.size > 0;
    if (!this.#mute) this.#ask(typeUrls.cluster, []);
    this.#subscribed.clear();
    this.#ask(typeUrls.endpoint, [...this.#of(typeUrls.cluster).keys()]);
    this.#ask(
      typeUrls.route,
      hosts.map((host) => `r${host}`),
    );
  }

  /** Takes the next response; says whether there was one. */
  step(): boolean {
    const response = this.#inbox.shift();
    if (response === undefined) return false;
    const has = this.#of(response.type);
    // What it gave up meanwhile it does not keep.
    const kept = response.resources.filter(({ name }) => response.type !== typeUrls.endpoint || this.#subscribed.has(name));
    for (const { name, encoded } of kept) has.set(name, encoded.version);
    for (const name of response.removed) if (response.type !== typeUrls.route) has.delete(name);
    if (response.type === typeUrls.cluster) this.#takeClusters(response);
    else {
      if (response.type === typeUrls.endpoint) for (const { name } of response.resources) this.#warm(name);
      this.#answer(response);
    }
    this.#release();
    return true;
  }

  /** What is wrong now: routes that lead to a cluster that does not serve, or that has lost its endpoints. */
  broken(): readonly string[] {
    return [...this.#of(typeUrls.route)].flatMap(([name, version]) => {
      const target = backendOf.get(version) ?? '';
      const serves = this.#active.has(target) && this.#of(typeUrls.endpoint).has(target);
      return serves ? [] : [`${name} leads to ${target}`];
    });
  }

  /** What it has that is not the newest. */
  stale(): readonly string[] {
    return [typeUrls.cluster, typeUrls.endpoint, typeUrls.route].flatMap((type) => {
      const wanted = this.#snapshot.all(type);
      const names = new Set([...wanted.keys(), ...this.#of(type).keys()]);
      return [...names].filter((name) => wanted.get(name)?.encoded('ads').version !== this.#of(type).get(name));
    });
  }

  /** Lets as much time go that no step waits any more, nor a cluster for endpoints: Envoy goes on without. */
  tick(): void {
    this.nowMs += 15_000;
    for (const name of [...this.#warming]) this.#warm(name);
    this.#release();
    this.#collect();
  }

  #takeClusters(response: Response): void {
    for (const { name } of response.resources) this.#warming.add(name);
    for (const name of response.removed) {
      this.#active.delete(name);
      this.#warming.delete(name);
    }
    this.#held = response;
    const fresh = response.resources.map(({ name }) => name).filter((name) => !this.#subscribed.has(name));
    if (fresh.length > 0) this.#ask(typeUrls.endpoint, fresh, false);
    const gone = response.removed.filter((name) => this.#subscribed.delete(name));
    for (const name of gone) this.#of(typeUrls.endpoint).delete(name);
    if (gone.length > 0) this.#request(typeUrls.endpoint, { unsubscribe: gone });
  }

  readonly #subscribed = new Set<string>();

  #warm(name: string): void {
    if (this.#warming.delete(name)) this.#active.add(name);
  }

  #release(): void {
    if (this.#mute && this.#warming.size === 0) {
      this.#mute = false;
      this.#ask(typeUrls.cluster, []);
    }
    if (this.#held === undefined || this.#warming.size > 0) return;
    const held = this.#held;
    this.#held = undefined;
    this.#answer(held);
  }

  #answer({ type, nonce }: Response): void {
    this.#request(type, { nonce });
  }

  #ask(type: TypeUrl, names: readonly string[], first = true): void {
    if (type === typeUrls.endpoint) for (const name of names) this.#subscribed.add(name);
    if (names.length === 0 && type !== typeUrls.cluster) return;
    this.#request(type, { subscribe: names, ...(first && { initialVersions: new Map(this.#of(type)) }) });
  }

  #request(type: TypeUrl, fields: object): void {
    const plain = { subscribe: [], unsubscribe: [], initialVersions: new Map<string, string>(), nonce: '' };
    const answer = this.#stream.request(type, { protocol: 'delta', request: { ...plain, ...fields } });
    if (answer.kind === 'invalid') throw new Error(answer.message);
    this.#collect();
  }

  #collect(): void {
    for (let next = this.#stream.next(this.nowMs); next !== undefined; next = this.#stream.next(this.nowMs)) this.#inbox.push(next);
  }

  #of(type: TypeUrl): Map<string, string> {
    return this.#has.getOrInsertComputed(type, () => new Map<string, string>());
  }
}

const target = fc.tuple(...hosts.map(() => fc.constantFrom(...backends)));
const move = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('change' as const), targets: target, settings: fc.constantFrom('1s', '2s') }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('steps' as const), count: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reconnect' as const) }) },
);

type Move =
  | { readonly kind: 'change'; readonly targets: Targets; readonly settings: string }
  | { readonly kind: 'steps'; readonly count: number }
  | { readonly kind: 'reconnect' };

function play(one: Move, snapshot: Snapshot, proxy: WarmingProxy): void {
  if (one.kind === 'change') snapshot.apply(world(snapshot, one.targets, one.settings));
  else if (one.kind === 'reconnect') proxy.connect(snapshot);
  else settle(proxy, one.count);
  expect(proxy.broken()).toEqual([]);
}

/** Takes responses, all if not told how many, and looks after each. */
function settle(proxy: WarmingProxy, most = Number.POSITIVE_INFINITY): void {
  for (let i = 0; i < most && proxy.step(); i += 1) expect(proxy.broken()).toEqual([]);
}

test('a proxy that comes back keeps a cluster that has gone until it has routes that lead elsewhere', () => {
  const snapshot = new Snapshot();
  snapshot.apply(world(snapshot, [0, 1, 2], '1s'));
  const proxy = new WarmingProxy(snapshot);
  settle(proxy);
  const other = new Snapshot();
  other.apply(world(other, [0, 0, 0], '2s'));
  proxy.connect(other);
  settle(proxy);
  for (let i = 0; i < 3; i += 1) {
    proxy.tick();
    settle(proxy);
  }
  proxy.close();
});

describe('a proxy whose clusters warm', () => {
  test('never has a route to a cluster that does not serve, and has everything in the end', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60, size: 'max' }), (moves) => {
        const snapshot = new Snapshot();
        snapshot.apply(world(snapshot, [0, 1, 2], '1s'));
        const proxy = new WarmingProxy(snapshot);
        while (proxy.step());
        expect([proxy.broken(), proxy.stale()]).toEqual([[], []]);
        for (const one of moves) play(one, snapshot, proxy);
        settle(proxy);
        for (let i = 0; i < 3; i += 1) {
          proxy.tick();
          settle(proxy);
        }
        expect(proxy.stale()).toEqual([]);
        proxy.close();
      }),
      { numRuns: 150 },
    );
  });
});
