/** Random clients of the xDS state machines: whatever happens in whatever order, they end with the snapshot. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { StreamState, type XdsRequest } from '../../pkg/xds/ordering.ts';
import type { Answer, Response } from '../../pkg/xds/type-stream.ts';
import { encodedResource, type Resource, type SnapshotUpdate, type TypeUrl, typeUrls } from '../../pkg/xdscache/resource.ts';
import { Snapshot } from '../../pkg/xdscache/snapshot.ts';

type Protocol = XdsRequest['protocol'];

const resourceNames = ['a', 'b', 'c', 'd'] as const;
const utf8 = new TextEncoder();

const resource = (name: string, text: string): Resource => encodedResource(name, [], { version: text, bytes: utf8.encode(text) });

/** A client that may be slow: it takes responses in order, when it is told to. */
class ModelClient {
  readonly has = new Map<TypeUrl, Map<string, string>>();
  readonly #snapshot: Snapshot;
  readonly #protocol: Protocol;
  readonly #refuses: (version: string) => boolean;
  /** What was asked for by type; `*` is everything. */
  readonly #wanted = new Map<TypeUrl, Set<string>>();
  /** The state-of-the-world protocol repeats the nonce of the last response in each request. */
  readonly #lastNonces = new Map<TypeUrl, string>();
  readonly #unsubscribe: () => void;
  #arrived: Response[] = [];
  #stream: StreamState;
  nowMs = 0;
  received = 0;

  constructor(snapshot: Snapshot, protocol: Protocol, refuses: (version: string) => boolean = () => false) {
    this.#snapshot = snapshot;
    this.#protocol = protocol;
    this.#refuses = refuses;
    this.#stream = new StreamState({ source: 'ads', view: snapshot });
    this.#unsubscribe = snapshot.subscribe((update) => {
      this.#stream.update(update);
      this.flush();
    });
  }

  close(): void {
    this.#unsubscribe();
  }

  wants(type: TypeUrl, name: string): boolean {
    const wanted = this.#wanted.get(type);
    return wanted !== undefined && (wanted.has('*') || wanted.has(name));
  }

  /** Asks for everything, by an empty request where it is the first. */
  subscribeAll(type: TypeUrl): void {
    const first = !this.#wanted.has(type) && this.#protocol === 'delta';
    this.#wanted.getOrInsertComputed(type, () => new Set<string>()).add('*');
    this.#request(type, { subscribe: first ? [] : ['*'] });
  }

  subscribe(type: TypeUrl, name: string): void {
    this.#wanted.getOrInsertComputed(type, () => new Set<string>()).add(name);
    this.#request(type, { subscribe: [name] });
  }

  /** Gives a name or `*` up, and drops what it had by that. */
  unsubscribe(type: TypeUrl, name: string): void {
    const wanted = this.#wanted.get(type);
    if (wanted === undefined || !wanted.delete(name)) return;
    const has = this.has.get(type);
    // The state of the world leaves the client what it still wants; in delta it may drop it, and is sent it again.
    if (this.#protocol === 'delta') has?.delete(name);
    for (const one of has?.keys() ?? []) if (!this.wants(type, one)) has?.delete(one);
    this.#request(type, { unsubscribe: [name] });
  }

  /** Takes the oldest response that has arrived, and answers it. Says whether there was one. */
  take(): boolean {
    const response = this.#arrived.shift();
    if (response === undefined) return false;
    const bad = response.resources.some(({ encoded }) => this.#refuses(encoded.version));
    if (!bad) this.#apply(response);
    this.#request(response.type, { nonce: response.nonce, ...(bad && { error: { code: 13, message: 'refused' } }) });
    return true;
  }

  /** Loses the stream with all that was on its way, and asks anew. */
  reconnect(): void {
    this.#stream = new StreamState({ source: 'ads', view: this.#snapshot });
    this.#arrived = [];
    this.#lastNonces.clear();
    for (const [type, wanted] of this.#wanted) {
      if (wanted.size === 0)
        this.#wanted.delete(type); // an empty first request would ask for everything
      else this.#request(type, { subscribe: [...wanted], initialVersions: this.has.get(type) ?? new Map() });
    }
  }

  flush(): void {
    for (let response = this.#stream.next(this.nowMs); response !== undefined; response = this.#stream.next(this.nowMs)) {
      this.received += 1;
      this.#arrived.push(response);
      const pending = this.#arrived.filter(({ type }) => type === response?.type);
      // Clusters of a client that holds its answers back overtake.
      const overtakes = response.type === typeUrls.cluster && this.#protocol === 'delta';
      if (pending.length > 1 && !overtakes) throw new Error('two responses of a type are on their way');
    }
  }

  /** Takes everything there is, and what comes when no step waits any more. */
  settle(): void {
    while (this.take());
    this.nowMs += 6_000;
    this.flush();
    while (this.take());
  }

  #apply({ type, resources, removed }: Response): void {
    const has = this.has.getOrInsertComputed(type, () => new Map<string, string>());
    const fullState: readonly TypeUrl[] = [typeUrls.cluster, typeUrls.listener, typeUrls.scopedRoute];
    if (this.#protocol === 'sotw' && (this.wants(type, '*') || fullState.includes(type))) has.clear();
    for (const { name, encoded } of resources) if (this.wants(type, name)) has.set(name, encoded.version);
    for (const name of removed) has.delete(name);
  }

  #request(type: TypeUrl, fields: Partial<Extract<XdsRequest, { protocol: 'delta' }>['request']>): Answer {
    const names = [...(this.#wanted.get(type) ?? [])];
    const error = fields.error && { error: fields.error };
    const answer = this.#stream.request(
      type,
      this.#protocol === 'delta'
        ? { protocol: 'delta', request: { subscribe: [], unsubscribe: [], initialVersions: new Map(), nonce: '', ...fields } }
        : { protocol: 'sotw', request: { names, nonce: fields.nonce ?? this.#lastNonces.get(type) ?? '', ...error } },
    );
    if (fields.nonce !== undefined) this.#lastNonces.set(type, fields.nonce);
    if (answer.kind === 'invalid') throw new Error(answer.message);
    this.flush();
    return answer;
  }
}

type Step =
  | { readonly kind: 'set'; readonly type: TypeUrl; readonly name: string; readonly value: number }
  | { readonly kind: 'remove' | 'subscribe' | 'unsubscribe'; readonly type: TypeUrl; readonly name: string }
  | { readonly kind: 'subscribeAll'; readonly type: TypeUrl }
  | { readonly kind: 'take' | 'reconnect' | 'wait' };

/** Few types, so that there are several resources of each; among them all that are treated in a way of their own. */
const types = [typeUrls.cluster, typeUrls.endpoint, typeUrls.listener, typeUrls.route] as const;
/** Without `size` fast-check keeps arrays to about ten. */
const manySteps = { maxLength: 120, size: 'max' } as const;
const type = fc.constantFrom(...types);
const name = fc.constantFrom(...resourceNames);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('set' as const), type, name, value: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), type, name }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('subscribe' as const), type, name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unsubscribe' as const), type, name: fc.constantFrom('*', ...resourceNames) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('subscribeAll' as const), type }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('take' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('reconnect' as const, 'wait' as const) }) },
);

function run(one: Step, snapshot: Snapshot, client: ModelClient): void {
  if (one.kind === 'set') snapshot.apply(changeOf(one.type, one.name, resource(one.name, `${one.name}${one.value}`)));
  else if (one.kind === 'remove') snapshot.apply(changeOf(one.type, one.name, undefined));
  else if (one.kind === 'subscribe') client.subscribe(one.type, one.name);
  else if (one.kind === 'unsubscribe') client.unsubscribe(one.type, one.name);
  else if (one.kind === 'subscribeAll') client.subscribeAll(one.type);
  else runClient(one.kind, client);
}

function runClient(kind: 'take' | 'reconnect' | 'wait', client: ModelClient): void {
  if (kind === 'take') client.take();
  else if (kind === 'reconnect') client.reconnect();
  else {
    client.nowMs += 3_000;
    client.flush();
  }
}

function changeOf(type: TypeUrl, name: string, value: Resource | undefined): SnapshotUpdate {
  return new Map([[type, new Map([[name, value]])]]);
}

/** What a client should have in the end: name to version, of the types that it asked for. */
function wantedState(snapshot: Snapshot, client: ModelClient): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    types.map((url) => {
      const all = [...snapshot.all(url).values()].filter((one) => client.wants(url, one.name));
      return [url, Object.fromEntries(all.map((one) => [one.name, one.encoded('ads').version]).sort())];
    }),
  );
}

function actualState(client: ModelClient): Readonly<Record<string, unknown>> {
  return Object.fromEntries(types.map((url) => [url, Object.fromEntries([...(client.has.get(url) ?? [])].sort())]));
}

describe('a client of random habits', () => {
  test('has the snapshot in the end, over delta', () => {
    fc.assert(
      fc.property(fc.array(step, manySteps), (steps) => {
        const snapshot = new Snapshot();
        const client = new ModelClient(snapshot, 'delta');
        for (const one of steps) run(one, snapshot, client);
        client.settle();
        expect(actualState(client)).toEqual(wantedState(snapshot, client));
        client.close();
      }),
      { numRuns: 600 },
    );
  });

  test('has the snapshot in the end, over the state of the world, but for removals that cannot be said', () => {
    fc.assert(
      fc.property(fc.array(step, manySteps), (steps) => {
        const snapshot = new Snapshot();
        const client = new ModelClient(snapshot, 'sotw');
        for (const one of steps) run(one, snapshot, client);
        client.settle();
        expect(actualState(client)).toMatchObject(wantedState(snapshot, client));
        for (const url of [typeUrls.cluster, typeUrls.listener]) {
          expect(actualState(client)[url]).toEqual(wantedState(snapshot, client)[url]);
        }
        client.close();
      }),
      { numRuns: 600 },
    );
  });

  test('gets every resource that it does not refuse, over delta', () => {
    const refuses = (version: string): boolean => version.endsWith('3');
    fc.assert(
      fc.property(fc.array(step, manySteps), (steps) => {
        const snapshot = new Snapshot();
        const client = new ModelClient(snapshot, 'delta', refuses);
        for (const one of steps) run(one, snapshot, client);
        client.settle();
        const good = (state: Readonly<Record<string, unknown>>) =>
          types.flatMap((url) =>
            Object.entries(state[url] as Record<string, string>).filter(
              ([one]) => !refuses(snapshot.get(url, one)?.encoded('ads').version ?? ''),
            ),
          );
        expect(good(actualState(client))).toEqual(good(wantedState(snapshot, client)));
        client.close();
      }),
      { numRuns: 600 },
    );
  });
});

describe('make before break', () => {
  const target = fc.record({ routes: fc.array(fc.nat(3), { minLength: 3, maxLength: 3 }), takes: fc.nat(4) });

  test.each(['delta', 'sotw'] as const)('over %s no route ever names a cluster that the client does not have', (protocol) => {
    fc.assert(
      fc.property(fc.array(target, { maxLength: 25 }), (targets) => {
        const snapshot = new Snapshot();
        const client = new ModelClient(snapshot, protocol);
        client.subscribeAll(typeUrls.cluster);
        client.subscribeAll(typeUrls.listener);
        for (const route of ['r0', 'r1', 'r2']) client.subscribe(typeUrls.route, route);
        client.settle();
        for (const { routes, takes } of targets) {
          snapshot.apply(consistent(snapshot, routes));
          for (let i = 0; i < takes; i += 1) {
            client.take();
            expectRoutesToHaveClusters(client);
          }
        }
        while (client.take()) expectRoutesToHaveClusters(client);
        expect(actualState(client)).toEqual(wantedState(snapshot, client));
        client.close();
      }),
      { numRuns: 600 },
    );
  });

  /** An update after which route i goes to cluster `routes[i]`, and no other cluster is there. */
  function consistent(snapshot: Snapshot, routes: readonly number[]): SnapshotUpdate {
    const clusters = new Map<string, Resource | undefined>();
    for (const gone of snapshot.all(typeUrls.cluster).keys()) clusters.set(gone, undefined);
    for (const one of routes) clusters.set(`c${one}`, resource(`c${one}`, `c${one}`));
    const changed = new Map(routes.map((one, i) => [`r${i}`, resource(`r${i}`, `c${one}`)]));
    return new Map([
      [typeUrls.cluster, clusters],
      [typeUrls.route, changed],
    ]);
  }

  function expectRoutesToHaveClusters(client: ModelClient): void {
    const clusters = client.has.get(typeUrls.cluster);
    for (const named of client.has.get(typeUrls.route)?.values() ?? []) expect(clusters?.has(named)).toBe(true);
  }
});

test('a slow client gets one response of a type for any number of changes', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.nat(9)), { minLength: 1, maxLength: 50 }), (changes) => {
      const snapshot = new Snapshot();
      const client = new ModelClient(snapshot, 'delta');
      client.subscribeAll(typeUrls.route);
      for (const [one, value] of changes) snapshot.apply(changeOf(typeUrls.route, one, resource(one, `${one}${value}`)));
      expect(client.received).toBe(1);
      client.settle();
      expect(client.received).toBe(2);
      expect(actualState(client)).toEqual(wantedState(snapshot, client));
      client.close();
    }),
  );
});
