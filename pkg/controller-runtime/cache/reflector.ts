import { type ApiError, isApiError } from '../client/errors.ts';
import { apiVersionOf, type KubeObject } from '../client/object.ts';
import type { RestClient } from '../client/rest-client.ts';
import { Backoff } from '../clock/backoff.ts';
import type { Clock } from '../clock/clock.ts';
import type { KindArrivals } from './kind-arrivals.ts';
import { endsInitialEvents, listPage, type Selection, type WatchLine, WatchLineError, watch } from './list-watch.ts';
import type { Replacement, Store } from './store.ts';

/** Why a reflector is not current. It goes on by itself. */
export type ReflectorProblem =
  /** The kind is not installed, or may not be read and is optional: it counts as empty until it is there. Told once. */
  | { readonly type: 'missing'; readonly selection: Selection; readonly error: Error }
  /** The kind is there after all. */
  | { readonly type: 'found'; readonly selection: Selection }
  /** The connection or the server failed; it is tried again after `delayMs`. */
  | { readonly type: 'retry'; readonly selection: Selection; readonly error: unknown; readonly delayMs: number }
  /** One object could not be taken over; the rest goes on. */
  | { readonly type: 'object'; readonly selection: Selection; readonly name: string; readonly error: unknown };

export interface ReflectorOptions<T extends KubeObject> {
  readonly rest: RestClient;
  readonly selection: Selection;
  readonly store: Store<T>;
  /** What is kept of an object: a copy that lacks what nobody reads, or the object itself. It must not be changed. */
  readonly transform?: (object: T) => T;
  /** True: no right to read the kind means that it counts as empty. Default: false. */
  readonly optional?: boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly arrivals: KindArrivals;
  readonly onProblem: (problem: ReflectorProblem) => void;
  /** Called once, when the store has everything for the first time. */
  readonly onSynced: () => void;
}

const pageLimit = 500;
/** A right that is missing may be granted; nothing tells of it. */
const forbiddenRetryMs = 30_000;
const idleTimeoutMs = 150_000;
/** A watch that ends sooner, with nothing told, was not worth its request: the next one waits. */
const shortWatchMs = 1_000;

/**
 * Keeps a store equal to what the API server has: a list (streamed where the server can, else page by page), then a
 * watch that goes on from the last version seen, whatever happens to its connection. If the server has forgotten that
 * version (410), the list is read again and compared, so that no deletion is missed.
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #backoff: Backoff;
  /** Where the next watch goes on; `undefined`: the list has to be read. */
  #resourceVersion: string | undefined;
  #streams = true;
  #paged = true;
  /** False for the first list: it may come from the server's cache, which is many times as fast for custom resources. */
  #consistent = false;
  #synced = false;
  #missing = false;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#backoff = new Backoff({ random: options.random });
  }

  /** Runs until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      let delayMs: number;
      try {
        delayMs = await this.#round(signal);
      } catch (error) {
        if (signal.aborted) return;
        delayMs = isApiError(error, 'NotFound') ? await this.#untilThere(error, signal) : this.#recover(error);
      }
      if (delayMs > 0) await clock.sleep(delayMs, signal);
    }
  }

  /** Lists if it has to and watches once; gives the delay before the next round. */
  async #round(signal: AbortSignal): Promise<number> {
    if (this.#resourceVersion === undefined && !this.#streams) await this.#list(signal);
    const startedMs = this.#options.clock.monotonicMs();
    const lines = await this.#watch(signal);
    const lastedMs = this.#options.clock.monotonicMs() - startedMs;
    return lines === 0 && lastedMs < shortWatchMs ? this.#backoff.next() : 0;
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { rest, selection, store } = this.#options;
    const replacement = store.replace();
    const limit = this.#paged ? pageLimit : 0;
    let continueToken = '';
    let resourceVersion: string;
    do {
      const page = await listPage(rest, selection, { limit, continueToken, consistent: this.#consistent, signal });
      for (const item of page.items) this.#take(item, replacement.apply);
      ({ continueToken, resourceVersion } = page);
      // Should the server forget the list between two pages, the next try reads it in one.
      this.#paged = false;
    } while (continueToken !== '');
    this.#paged = true;
    this.#finish(replacement, resourceVersion);
  }

  async #watch(signal: AbortSignal): Promise<number> {
    const { rest, selection, store, random } = this.#options;
    // A stream that began without a version tells the present objects first.
    let initial: Replacement<T> | undefined = this.#resourceVersion === undefined ? store.replace() : undefined;
    const options = {
      resourceVersion: this.#resourceVersion,
      timeoutSeconds: Math.round(300 * (1 + random())),
      idleTimeoutMs,
      signal,
    };
    let lines = 0;
    await watch(rest, selection, options, (line) => {
      lines++;
      if (initial === undefined) this.#follow(line);
      else if (this.#followInitial(line, initial)) initial = undefined;
    });
    return lines;
  }

  #follow(line: WatchLine): void {
    const { store } = this.#options;
    if (line.type === 'ERROR') return;
    this.#resourceVersion = line.object.metadata.resourceVersion ?? this.#resourceVersion;
    this.#backoff.reset();
    if (line.type === 'DELETED') store.delete(line.object);
    else if (line.type !== 'BOOKMARK') this.#take(line.object, (object) => store.apply(object));
  }

  /** Says whether the line was the last of the present objects. */
  #followInitial(line: WatchLine, initial: Replacement<T>): boolean {
    if (line.type === 'ERROR') return false;
    if (line.type === 'DELETED') initial.delete(line.object);
    else if (line.type !== 'BOOKMARK') this.#take(line.object, initial.apply);
    else if (endsInitialEvents(line.object)) {
      this.#finish(initial, line.object.metadata.resourceVersion);
      return true;
    }
    return false;
  }

  /** The store has everything as of a version. */
  #finish(replacement: Replacement<T>, resourceVersion: string | undefined): void {
    replacement.finish();
    this.#resourceVersion = resourceVersion;
    // From now on an older list would turn time back.
    this.#consistent = true;
    this.#backoff.reset();
    if (this.#missing) this.#options.onProblem({ type: 'found', selection: this.#options.selection });
    this.#missing = false;
    this.#markSynced();
  }

  #markSynced(): void {
    if (this.#synced) return;
    this.#synced = true;
    this.#options.onSynced();
  }

  #take(item: KubeObject, apply: (object: T) => void): void {
    const { selection, transform, onProblem } = this.#options;
    try {
      // Lists of built-in kinds say this once for all items.
      const object = (
        item.kind === undefined ? { apiVersion: apiVersionOf(selection.kind), kind: selection.kind.kind, ...(item as object) } : item
      ) as T;
      apply(transform === undefined ? object : transform(object));
    } catch (error) {
      onProblem({ type: 'object', selection, name: `${item.metadata?.namespace ?? ''}/${item.metadata?.name ?? ''}`, error });
    }
  }

  /** The kind is not installed. Gives the delay after it has come. */
  async #untilThere(error: ApiError, signal: AbortSignal): Promise<number> {
    const { selection, arrivals, onProblem, clock } = this.#options;
    // It may be announced a moment before it is served.
    if (this.#missing) await clock.sleep(this.#backoff.next(), signal);
    else {
      const reason = await arrivals.explain(selection.kind, error, signal);
      if (signal.aborted) return 0;
      onProblem({ type: 'missing', selection, error: reason });
      this.#countAsEmpty();
    }
    await arrivals.arrival(selection.kind, signal);
    return 0;
  }

  #countAsEmpty(): void {
    this.#resourceVersion = undefined;
    this.#options.store.replace().finish();
    this.#missing = true;
    this.#markSynced();
  }

  /** Decides how to go on after an error; gives the delay. */
  #recover(error: unknown): number {
    const { selection, optional, onProblem, random } = this.#options;
    if (isApiError(error, 'Gone', 'Expired')) {
      this.#resourceVersion = undefined;
      this.#consistent = true;
      return this.#backoff.next();
    }
    if (optional === true && isApiError(error, 'Forbidden')) {
      if (!this.#missing) onProblem({ type: 'missing', selection, error });
      this.#countAsEmpty();
      return forbiddenRetryMs * (0.75 + random() / 2);
    }
    if (this.#resourceVersion === undefined && this.#streams && refusesStreams(error)) {
      this.#streams = false;
      return 0;
    }
    // What the line said is lost; or the server's data are older than what we saw. Only a new list can tell.
    if (error instanceof WatchLineError || isApiError(error, 'Timeout')) this.#resourceVersion = undefined;
    const delayMs = this.#backoff.next();
    onProblem({ type: 'retry', selection, error, delayMs });
    return delayMs;
  }
}

/**
 * Old servers call the request invalid. New ones whose etcd is too old (before 3.5.13) end the stream with an internal
 * error after it began.
 */
function refusesStreams(error: unknown): boolean {
  return isApiError(error, 'Invalid', 'BadRequest', 'ServerError', 'Unknown');
}
