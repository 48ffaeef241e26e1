import { servedVersions } from '../client/discovery.ts';
import { isApiError } from '../client/errors.ts';
import { apiVersionOf, type KubeObject, type ResourceKind } from '../client/object.ts';
import type { RestClient } from '../client/rest-client.ts';
import { Backoff } from '../clock/backoff.ts';
import type { Clock } from '../clock/clock.ts';
import { watch } from './list-watch.ts';

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
 * CustomResourceDefinition where that is allowed (`get`, `list` and `watch` may be narrowed by `resourceNames`), and by
 * asking for the group version every few seconds, as everybody may. Costs nothing while nothing is missing.
 */
export class KindArrivals {
  readonly #options: KindArrivalsOptions;
  readonly #lists = new Map<string, { readonly atMs: number; readonly plurals: Promise<ReadonlySet<string>> }>();

  constructor(options: KindArrivalsOptions) {
    this.#options = options;
  }

  /** Why a kind is not there: not installed, or in other versions only. */
  async explain(kind: ResourceKind, cause: Error, signal: AbortSignal): Promise<Error> {
    // The core group is always there.
    if (kind.group === '') return cause;
    const name = `${kind.kind} (${kind.plural}.${kind.group})`;
    try {
      const versions = (await servedVersions(this.#options.rest, kind.group, signal)).get(kind.plural) ?? [];
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
    const found = new AbortController();
    const end = AbortSignal.any([signal, found.signal]);
    const state = { watching: false };
    await Promise.all([this.#watch(kind, state, found, end), this.#poll(kind, state, found, end)]);
  }

  async #poll(kind: ResourceKind, state: { watching: boolean }, found: AbortController, end: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    for (let polls = 1; !end.aborted; polls++) {
      await clock.sleep(pollMs * (0.75 + random() / 2), end);
      if (end.aborted || (state.watching && polls % pollsSkippedBesideWatch !== 0)) continue;
      if (await this.#isServed(kind, end)) found.abort();
    }
  }

  async #isServed(kind: ResourceKind, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    const path = `${kind.group === '' ? '/api' : '/apis'}/${apiVersionOf(kind)}`;
    let list = this.#lists.get(path);
    if (list === undefined || clock.monotonicMs() - list.atMs > freshMs) {
      list = { atMs: clock.monotonicMs(), plurals: this.#plurals(path, signal) };
      this.#lists.set(path, list);
    }
    return (await list.plurals).has(kind.plural);
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

  async #watch(kind: ResourceKind, state: { watching: boolean }, found: AbortController, end: AbortSignal): Promise<void> {
    const { rest, clock, random } = this.#options;
    const backoff = new Backoff({ random, maxMs: 30_000 });
    const selection = { kind: definitionKind, namespace: '', fieldSelector: `metadata.name=${kind.plural}.${kind.group}` };
    // Version 0: what is there is told first, by servers of any age.
    const options = { resourceVersion: '0', timeoutSeconds: Math.round(300 * (1 + random())), idleTimeoutMs, signal: end };
    while (!end.aborted) {
      try {
        state.watching = true;
        await watch(rest, selection, options, (line) => {
          backoff.reset();
          if ((line.type === 'ADDED' || line.type === 'MODIFIED') && serves(line.object, kind)) found.abort();
        });
      } catch (error) {
        if (isApiError(error, 'Forbidden', 'NotFound')) {
          state.watching = false;
          return;
        }
      }
      state.watching = false;
      if (!end.aborted) await clock.sleep(backoff.next(), end);
    }
  }
}

function serves(definition: CustomResourceDefinition, { version }: ResourceKind): boolean {
  const established = definition.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True');
  return established === true && definition.spec?.versions?.some(({ name, served }) => name === version && served) === true;
}
