import { servedVersions } from '../client/discovery.ts';
import { isApiError } from '../client/errors.ts';
import { apiVersionOf, collectionPath, type KubeObject, type ResourceKind } from '../client/object.ts';
import type { RestClient } from '../client/rest-client.ts';
import { Backoff } from '../clock/backoff.ts';
import type { Clock } from '../clock/clock.ts';
import { listPage, watch } from './list-watch.ts';

/** `apiextensions.k8s.io/v1` CustomResourceDefinition as far as it is read. */
interface CustomResourceDefinition extends KubeObject {
  readonly spec?: { readonly versions?: readonly { readonly name: string; readonly served: boolean }[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const definitionKind: ResourceKind = {
  kind: 'CustomResourceDefinition',
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

export interface KindArrivalsOptions {
  readonly rest: RestClient;
  readonly clock: Clock;
  readonly random: () => number;
}

/** How often the server is asked while something is missing. */
const pollMs = 3_000;
/** A kind need not come from a CustomResourceDefinition, so even beside a watch every so many polls are done. */
const pollsSkippedBesideWatch = 10;
/** Many kinds of one group version ask at the same time; they share an answer that is not older. */
const freshMs = 1_000;
const idleTimeoutMs = 150_000;

/**
 * Finds out when kinds that the API server lacks are there after all: by a watch on the kind's own
 * CustomResourceDefinition where that is allowed (`list` and `watch`, which may be narrowed by `resourceNames`), and by
 * asking for the group version every few seconds, as everybody may. Costs nothing while nothing is missing.
 */
export class KindArrivals {
  readonly #options: KindArrivalsOptions;
  /** Answers of the server, by path or group. */
  readonly #answers = new Map<string, { readonly atMs: number; readonly answer: Promise<unknown> }>();
  /** Kinds that are waited for, by path: a reflector a namespace may wait for the same. */
  readonly #expected = new Map<string, { waiters: number; readonly stop: AbortController; readonly arrival: Promise<void> }>();

  constructor(options: KindArrivalsOptions) {
    this.#options = options;
  }

  /** Why a kind is not there: not installed, or in other versions only. */
  async explain(kind: ResourceKind, cause: Error, signal: AbortSignal): Promise<Error> {
    // The core group is always there.
    if (kind.group === '') return cause;
    const name = `${kind.kind} (${kind.plural}.${kind.group})`;
    try {
      const served = await this.#fresh(kind.group, () => servedVersions(this.#options.rest, kind.group, signal));
      const versions = served.get(kind.plural) ?? [];
      // Installed just now, or it is something else that is not found.
      if (versions.includes(kind.version)) return cause;
      if (versions.length === 0) return new Error(`${name} is not installed`, { cause });
      return new Error(`${name} is served in version ${versions.join(', ')}, and ${kind.version} is needed`, { cause });
    } catch {
      return cause;
    }
  }

  /** Resolves when the API server has the kind, or the signal aborts. Never rejects. */
  async arrival(kind: ResourceKind, signal: AbortSignal): Promise<void> {
    const key = collectionPath(kind);
    const expected = this.#expected.get(key) ?? this.#expect(kind, key);
    expected.waiters++;
    const { promise: aborted, resolve: abort } = Promise.withResolvers<void>();
    signal.addEventListener('abort', abort as () => void, { once: true });
    if (signal.aborted) abort();
    await Promise.race([expected.arrival, aborted]);
    signal.removeEventListener('abort', abort as () => void);
    expected.waiters--;
    if (expected.waiters > 0) return;
    expected.stop.abort();
    if (this.#expected.get(key) === expected) this.#expected.delete(key);
  }

  #expect(kind: ResourceKind, key: string) {
    const stop = new AbortController();
    const { promise: found, resolve: find } = Promise.withResolvers<void>();
    const search: Search = {
      kind,
      state: { watching: false },
      find: () => {
        find();
        stop.abort();
      },
      signal: stop.signal,
    };
    void this.#watch(search);
    void this.#poll(search);
    const expected = { waiters: 0, stop, arrival: found };
    this.#expected.set(key, expected);
    return expected;
  }

  async #poll({ kind, state, find, signal }: Search): Promise<void> {
    const { clock, random } = this.#options;
    for (let polls = 1; !signal.aborted; polls++) {
      await clock.sleep(pollMs * (0.75 + random() / 2), signal);
      if (signal.aborted || (state.watching && polls % pollsSkippedBesideWatch !== 0)) continue;
      const path = `${kind.group === '' ? '/api' : '/apis'}/${apiVersionOf(kind)}`;
      const plurals = await this.#fresh(path, () => this.#plurals(path, signal));
      if (plurals.has(kind.plural)) find();
    }
  }

  /** An answer that is young enough, or else a new one. */
  #fresh<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const nowMs = this.#options.clock.monotonicMs();
    const known = this.#answers.get(key);
    if (known !== undefined && nowMs - known.atMs <= freshMs) return known.answer as Promise<T>;
    const answer = ask();
    this.#answers.set(key, { atMs: nowMs, answer });
    return answer;
  }

  async #plurals(path: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
    try {
      const request = { method: 'GET', verb: 'get', resource: path, group: '', path, signal } as const;
      const list = (await this.#options.rest.json(request)) as { readonly resources?: readonly { readonly name: string }[] };
      return new Set(list.resources?.map(({ name }) => name));
    } catch {
      // Not there, or the server is away: either way the next poll asks again.
      return new Set();
    }
  }

  async #watch({ kind, state, find, signal }: Search): Promise<void> {
    const { rest, clock, random } = this.#options;
    const backoff = new Backoff({ random, maxMs: 30_000 });
    const selection = { kind: definitionKind, namespace: '', fieldSelector: `metadata.name=${kind.plural}.${kind.group}` };
    const page = { limit: 0, continueToken: '', consistent: false, signal };
    const options = { timeoutSeconds: Math.round(300 * (1 + random())), idleTimeoutMs, signal };
    while (!signal.aborted && kind.group !== '') {
      try {
        // A watch that tells what is there first is refused by servers whose etcd is older than 3.5.13.
        const { items, resourceVersion } = await listPage(rest, selection, page);
        if (items.some((item) => serves(item, kind))) find();
        state.watching = !signal.aborted;
        await watch(rest, selection, { ...options, resourceVersion }, (line) => {
          backoff.reset();
          if ((line.type === 'ADDED' || line.type === 'MODIFIED') && serves(line.object, kind)) find();
        });
      } catch (error) {
        if (isApiError(error, 'Forbidden', 'NotFound')) {
          state.watching = false;
          return;
        }
      }
      state.watching = false;
      await clock.sleep(backoff.next(), signal);
    }
  }
}

/** The search for one kind. */
interface Search {
  readonly kind: ResourceKind;
  readonly state: { watching: boolean };
  readonly find: () => void;
  readonly signal: AbortSignal;
}

function serves(definition: CustomResourceDefinition, { version }: ResourceKind): boolean {
  const established = definition.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True');
  return established === true && definition.spec?.versions?.some(({ name, served }) => name === version && served) === true;
}
