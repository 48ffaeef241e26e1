import { setMaxListeners } from 'node:events';
import type { KubeObject, ResourceKind } from '../client/object.ts';
import type { RestClient } from '../client/rest-client.ts';
import { type Clock, systemClock } from '../clock/clock.ts';
import { Informer, type InformerOptions } from './informer.ts';
import { KindArrivals } from './kind-arrivals.ts';
import type { ReflectorProblem } from './reflector.ts';

export interface CacheOptions {
  readonly rest: RestClient;
  readonly clock?: Clock;
  /** For jitter. Default: `Math.random`. */
  readonly random?: () => number;
  /** What informers watch unless they are told otherwise. Default: all namespaces. */
  readonly namespaces?: readonly string[];
  /** Told of everything that keeps an informer from being current. */
  readonly onProblem: (problem: ReflectorProblem) => void;
}

/** One shared informer a kind. Kinds may be added while it runs. */
export class Cache {
  readonly #surroundings: Required<Omit<CacheOptions, 'namespaces'>> & { readonly arrivals: KindArrivals };
  readonly #namespaces: readonly string[];
  readonly #informers = new Map<string, Informer>();
  #running: { readonly signal: AbortSignal; readonly runs: Promise<void>[] } | undefined;

  constructor(options: CacheOptions) {
    const { rest, onProblem, clock = systemClock, random = Math.random, namespaces = [] } = options;
    this.#namespaces = namespaces;
    this.#surroundings = { rest, clock, random, onProblem, arrivals: new KindArrivals({ rest, clock, random }) };
  }

  /** The informer of a kind. The options count when it is asked for first. */
  informer<T extends KubeObject>(kind: ResourceKind, options: InformerOptions<T> = {}): Informer<T> {
    const key = `${kind.group}/${kind.version}/${kind.kind}`;
    const known = this.#informers.get(key);
    if (known !== undefined) return known as unknown as Informer<T>;
    const informer = new Informer<T>(kind, { namespaces: this.#namespaces, ...options }, this.#surroundings);
    this.#informers.set(key, informer as unknown as Informer);
    this.#running?.runs.push(informer.run(this.#running.signal));
    return informer;
  }

  /** Whether `run` has been called: until then nothing is listed. */
  get running(): boolean {
    return this.#running !== undefined;
  }

  /** All informers, in the order in which they were asked for. */
  informers(): readonly Informer[] {
    return [...this.#informers.values()];
  }

  /** Kinds whose objects have not all been told yet. */
  unsynced(): readonly ResourceKind[] {
    return this.informers()
      .filter((informer) => !informer.hasSynced())
      .map(({ kind }) => kind);
  }

  /** Resolves when every informer that was asked for until now has synced. */
  async synced(): Promise<void> {
    await Promise.all(this.informers().map((informer) => informer.synced));
  }

  /** Runs all informers until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    setMaxListeners(0, signal);
    const runs = this.informers().map((informer) => informer.run(signal));
    this.#running = { signal, runs };
    if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.all(runs);
  }
}
