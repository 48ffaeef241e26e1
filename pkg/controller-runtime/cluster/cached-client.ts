import type { Cache } from '../cache/cache.ts';
import type { Informer } from '../cache/informer.ts';
import type { ApplyOptions, CallOptions, Client, DeleteOptions, PatchOptions, UpdateOptions, WriteOptions } from '../client/client.ts';
import { parseLabelSelector } from '../client/label-selector.ts';
import type { KubeObject, ObjectName, ResourceKind } from '../client/object.ts';
import { type Clock, systemClock } from '../clock/clock.ts';

export interface CachedListOptions extends CallOptions {
  /** `''` or absent: all namespaces. */
  readonly namespace?: string;
  /** As `kubectl -l` has it. */
  readonly labelSelector?: string;
  /** Only objects that have a value in an index of the kind's informer. */
  readonly index?: { readonly name: string; readonly value: string };
}

export interface CachedClientDeps {
  readonly cache: Cache;
  /** Writes, and reads for those who must know the newest version. */
  readonly live: Client;
  readonly clock?: Clock;
  /** How long a read waits for the first list of a kind. Default: 30,000. */
  readonly syncTimeoutMs?: number;
}

/** A kind cannot be read from the cache yet: it is tried again and again; `cause` says what hinders it. */
export class NotSyncedError extends Error {
  override readonly name = 'NotSyncedError';
}

/**
 * Reads from the cache and writes to the server: what was just written comes to the cache a moment later. A kind that
 * is read for the first time gets an informer, and the read waits for its list. Objects of the cache are shared:
 * nobody may change them.
 */
export class CachedClient {
  /** Reads and writes at the server. */
  readonly live: Client;
  readonly #cache: Cache;
  readonly #clock: Clock;
  readonly #syncTimeoutMs: number;

  constructor({ cache, live, clock = systemClock, syncTimeoutMs = 30_000 }: CachedClientDeps) {
    this.live = live;
    this.#cache = cache;
    this.#clock = clock;
    this.#syncTimeoutMs = syncTimeoutMs;
  }

  /**
   * The object, or `undefined` if there is none.
   * @throws {NotSyncedError} if the kind cannot be read; {RangeError} if its namespace is not watched
   */
  async get<T extends KubeObject>(kind: ResourceKind, { namespace, name }: ObjectName, options: CallOptions = {}): Promise<T | undefined> {
    const informer = await this.#synced<T>(kind, options.signal);
    if (kind.namespaced) checkCovered(informer, namespace);
    return informer.get(kind.namespaced ? namespace : '', name);
  }

  /**
   * All objects that are asked for, in no particular order. With an index, only those are looked at that it names.
   * @throws {NotSyncedError} if the kind cannot be read; {RangeError} if the namespace is not watched, there is no such
   * index, or the selector is none
   */
  async list<T extends KubeObject>(kind: ResourceKind, options: CachedListOptions = {}): Promise<readonly T[]> {
    const { namespace = '', labelSelector = '', index, signal } = options;
    const matches = parseLabelSelector(labelSelector);
    const informer = await this.#synced<T>(kind, signal);
    if (namespace !== '') checkCovered(informer, namespace);
    const objects = index === undefined ? [...informer.list()] : informer.byIndex(index.name, index.value);
    if (namespace === '' && labelSelector === '') return objects;
    return objects.filter(({ metadata }) => (namespace === '' || metadata.namespace === namespace) && matches(metadata.labels));
  }

  /** @see Client.create */
  create<T extends KubeObject>(kind: ResourceKind, object: T, options?: WriteOptions): Promise<T> {
    return this.live.create(kind, object, options);
  }

  /** @see Client.update */
  update<T extends KubeObject>(kind: ResourceKind, object: T, options?: UpdateOptions): Promise<T> {
    return this.live.update(kind, object, options);
  }

  /** @see Client.patch */
  patch<T extends KubeObject>(kind: ResourceKind, name: ObjectName, patch: unknown, options?: PatchOptions): Promise<T> {
    return this.live.patch<T>(kind, name, patch, options);
  }

  /** @see Client.apply */
  apply<T extends KubeObject>(kind: ResourceKind, object: T, options: ApplyOptions): Promise<T> {
    return this.live.apply(kind, object, options);
  }

  /** @see Client.delete */
  delete(kind: ResourceKind, name: ObjectName, options?: DeleteOptions): Promise<void> {
    return this.live.delete(kind, name, options);
  }

  /** @see Client.updateStatus */
  updateStatus<T extends KubeObject>(kind: ResourceKind, object: T, options?: WriteOptions): Promise<T> {
    return this.live.updateStatus(kind, object, options);
  }

  /** @see Client.patchStatus */
  patchStatus<T extends KubeObject>(
    kind: ResourceKind,
    name: ObjectName,
    status: Readonly<Record<string, unknown>>,
    options?: WriteOptions,
  ): Promise<T> {
    return this.live.patchStatus<T>(kind, name, status, options);
  }

  async #synced<T extends KubeObject>(kind: ResourceKind, signal: AbortSignal | undefined): Promise<Informer<T>> {
    const informer = this.#cache.informer<T>(kind);
    if (informer.hasSynced()) return informer;
    if (!this.#cache.running) throw new NotSyncedError(`${kind.kind} cannot be read from the cache before the cache runs`);
    const enough = new AbortController();
    const stop = () => enough.abort();
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    await Promise.race([informer.synced, this.#clock.sleep(this.#syncTimeoutMs, enough.signal)]);
    stop();
    signal?.removeEventListener('abort', stop);
    signal?.throwIfAborted();
    if (informer.hasSynced()) return informer;
    const message = `${kind.kind} could not be read from the API server within ${this.#syncTimeoutMs} ms`;
    throw new NotSyncedError(message, { cause: informer.failure });
  }
}

function checkCovered(informer: Pick<Informer, 'covers' | 'kind'>, namespace: string): void {
  if (!informer.covers(namespace)) throw new RangeError(`${informer.kind.kind}: namespace "${namespace}" is not watched`);
}
