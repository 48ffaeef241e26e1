import type { KubeObject, ObjectKey, ObjectRef } from '../apis/meta.ts';
import { keyOf, keyOfRef, parseObjectKey } from '../apis/meta.ts';
import type { Client } from '../controller-runtime/client/client.ts';
import { ApiError, isApiError, UnreachableError } from '../controller-runtime/client/errors.ts';
import type { ResourceKind } from '../controller-runtime/client/object.ts';
import type { Clock } from '../controller-runtime/clock/clock.ts';
import type { WatchEvent } from '../controller-runtime/event/event.ts';
import type { Runnable } from '../controller-runtime/manager/manager.ts';
import type { WorkQueueMetrics } from '../controller-runtime/metrics/work-queue-metrics.ts';
import { WorkQueue } from '../controller-runtime/workqueue/work-queue.ts';
import type { WantedStatus } from '../status/wanted.ts';
import type { Logger } from '../util/logger.ts';
import { leftStatus } from './left-status.ts';
import { addressedKinds, addressFields, type LoadBalancerAddress } from './load-balancer-status.ts';
import { type Owner, statusPatch, withdrawalPatch } from './status-merge.ts';

/** How a status write ended. `noop`: the object says already what it should. */
export type StatusWriteResult = 'success' | 'noop' | 'failed' | 'conflict';

/** Told of what the handler does. */
export interface StatusWriteObserver {
  /** Of every write, and of every look that needed none. */
  wrote(kind: string, result: StatusWriteResult, tookMs: number): void;
  /** Of every write that did not go through, with the reason of the `ApiError`, or `Unreachable`. */
  refused(kind: string, reason: string): void;
  /** Of every success: how long after a build wanted it, or after this process became the leader. */
  arrived(lagMs: number): void;
}

export interface StatusUpdateHandlerOptions {
  readonly client: Pick<Client, 'patch'>;
  /** Who writes, in `managedFields`: all replicas that share a Lease, and nobody else. */
  readonly fieldManager: string;
  /** Where the API server keeps a kind; `undefined` if it does not. */
  readonly resourceOf: (kind: string) => ResourceKind | undefined;
  /** The newest version of an object that we know. */
  readonly live: (object: ObjectRef) => KubeObject | undefined;
  /** Which entries of `parents` and `ancestors` are ours. */
  readonly owner: Owner;
  readonly clock: Clock;
  readonly log: Logger;
  /** How many writes may be on their way. Default: 16. */
  readonly concurrency?: number;
  readonly queueMetrics?: WorkQueueMetrics;
  readonly observer?: StatusWriteObserver;
}

/** An object that left our class, and how it was then. */
interface Withdrawal {
  readonly last: WantedStatus;
  readonly left: KubeObject;
  /** It left while nobody watched: that its status is ours is known from its managers alone. */
  readonly found?: true;
}

/** What an object needs. */
interface Write {
  readonly resource: ResourceKind;
  readonly object: ObjectRef;
  /** Absent: all is right already. */
  readonly patch?: Readonly<Record<string, unknown>>;
  /** Present: it takes away what we wrote. */
  readonly withdrawal?: Withdrawal;
}

/** A write that is not allowed is tried again so often: somebody may grant the right. */
const forbiddenRetryMs = 60_000;
/** Longest pause before we write again over a status that somebody else keeps changing. */
const maxDisputeMs = 300_000;
/** Looks that need no write are done without a pause for no longer than this: a new leader makes thousands of them. */
const sliceMs = 5;

/**
 * Writes the statuses that builds want, on the leader only. Per object the newest wanted status wins and one write is
 * on its way at a time; it is compared with the object first, so nothing is written that is there already. A new
 * leader goes through everything that is wanted. Of an object that is no longer ours what we wrote is taken away, once.
 */
export class StatusUpdateHandler implements Runnable {
  readonly name = 'status update handler';
  readonly #options: StatusUpdateHandlerOptions;
  readonly #queue: WorkQueue<ObjectKey>;
  readonly #wanted = new Map<ObjectKey, WantedStatus>();
  readonly #withdrawn = new Map<ObjectKey, Withdrawal>();
  /** Since when an object waits for a write, on the monotonic clock. */
  readonly #sinceMs = new Map<ObjectKey, number>();
  /** How often an object was written since its wanted status changed. */
  readonly #writes = new Map<ObjectKey, number>();
  readonly #forbidden = new Set<string>();
  #addresses: readonly LoadBalancerAddress[] = [];
  #term: AbortSignal | undefined;
  #sliceEndMs = 0;

  constructor(options: StatusUpdateHandlerOptions) {
    this.#options = options;
    const { clock, queueMetrics: metrics } = options;
    this.#queue = new WorkQueue({ clock, baseDelayMs: 20, maxDelayMs: 30_000, ...(metrics !== undefined && { metrics }) });
  }

  /** Takes the statuses that came out of a build. */
  want(statuses: readonly WantedStatus[]): void {
    for (const wanted of statuses) {
      const key = keyOfRef(wanted.object);
      this.#wanted.set(key, wanted);
      this.#withdrawn.delete(key);
      this.#writes.delete(key);
      this.#enqueue(key);
    }
  }

  /** Takes the last statuses of objects for which none is wanted any more. Those that are gone need nothing. */
  withdraw(statuses: readonly WantedStatus[]): void {
    for (const last of statuses) {
      const key = keyOfRef(last.object);
      this.#forget(key);
      const left = this.#options.live(last.object);
      if (left === undefined) continue;
      this.#withdrawn.set(key, { last, left });
      this.#enqueue(key);
    }
  }

  /**
   * Takes an object of another class as it is now. What we left there is taken away, also where it left our class while no replica ran:
   * see `leftStatus`.
   */
  foreign(object: KubeObject): void {
    const key = keyOf(object);
    const last = leftStatus(object, this.#options.fieldManager);
    if (last !== undefined) {
      this.#withdrawn.set(key, { last, left: object, found: true });
      this.#enqueue(key);
    } else if (this.#withdrawn.get(key)?.found === true) this.#withdrawn.delete(key);
  }

  /** Takes the addresses at which traffic arrives; every object that shows them is looked at. */
  publishAddresses(addresses: readonly LoadBalancerAddress[]): void {
    this.#addresses = addresses;
    for (const [key, { object }] of this.#wanted) if (addressedKinds.has(object.kind)) this.#enqueue(key);
  }

  /** Takes what the API server says of an object: it may be gone, or its status may no longer be what it should. */
  observe(event: WatchEvent): void {
    const key = keyOf(event.object);
    if (!this.#wanted.has(key) && !this.#withdrawn.has(key)) return;
    if (event.type === 'delete') {
      // What is wanted stays until a build says otherwise: an object that is made anew at once is the same to the build.
      for (const map of [this.#withdrawn, this.#writes, this.#sinceMs]) map.delete(key);
      return;
    }
    const writes = this.#writes.get(key) ?? 0;
    // Our own write comes back as an event too, and needs no more than a look. Whoever else changes the status again
    // and again gets an answer more and more seldom.
    if (writes <= 1) this.#enqueue(key);
    else if (this.#term !== undefined) this.#queue.addAfter(key, Math.min(1000 * 2 ** (writes - 2), maxDisputeMs), this.#term);
  }

  /** Writes until the signal aborts. Writes that are on their way then are cut off. */
  async run(signal: AbortSignal): Promise<void> {
    this.#term = signal;
    for (const keys of [this.#wanted.keys(), this.#withdrawn.keys()]) for (const key of keys) this.#enqueue(key);
    const { concurrency = 16 } = this.#options;
    await Promise.all(Array.from({ length: concurrency }, () => this.#work(signal)));
    this.#term = undefined;
    this.#queue.clear();
    this.#sinceMs.clear();
  }

  /** Only the leader has work to do; whoever becomes it goes through everything. */
  #enqueue(key: ObjectKey): void {
    if (this.#term === undefined) return;
    if (!this.#sinceMs.has(key)) this.#sinceMs.set(key, this.#options.clock.monotonicMs());
    this.#queue.add(key);
  }

  #forget(key: ObjectKey): void {
    for (const map of [this.#wanted, this.#withdrawn, this.#writes, this.#sinceMs]) map.delete(key);
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let key = await this.#queue.take(signal); key !== undefined; key = await this.#queue.take(signal)) {
      await this.#yield();
      await this.#handle(key, signal);
      this.#queue.done(key);
    }
  }

  /** Lets others have their turn, if it is time. All workers together have one slice. */
  async #yield(): Promise<void> {
    if (performance.now() < this.#sliceEndMs) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#sliceEndMs = performance.now() + sliceMs;
  }

  async #handle(key: ObjectKey, signal: AbortSignal): Promise<void> {
    const { clock, observer } = this.#options;
    const startedMs = clock.monotonicMs();
    const write = this.#writeOf(key);
    if (write === undefined) return;
    const result = write.patch === undefined ? 'noop' : await this.#send(key, write, signal);
    if (result === undefined) return;
    if (result === 'success' || result === 'noop') this.#settle(key, write, result);
    observer?.wrote(write.object.kind, result, clock.monotonicMs() - startedMs);
  }

  /** What an object needs now; `undefined` where there is nothing to look at. */
  #writeOf(key: ObjectKey): Write | undefined {
    const { resourceOf, live, clock, owner } = this.#options;
    const withdrawal = this.#withdrawn.get(key);
    const wanted = withdrawal?.last ?? this.#wanted.get(key);
    if (wanted === undefined) return undefined;
    const object = live(wanted.object);
    const resource = resourceOf(wanted.object.kind);
    if (object === undefined || resource === undefined) return undefined;
    // A build of this version is on its way, and will want something of its own. An older generation is a new object's.
    if (withdrawal === undefined && (object.metadata.generation ?? 0) !== wanted.generation) return undefined;

    const fields = { ...wanted.status, ...addressFields(wanted.object.kind, this.#addresses) };
    const status =
      withdrawal === undefined
        ? statusPatch(object, fields, { ...owner, now: clock.date() })
        : withdrawalPatch(object, withdrawal.left, fields, owner);
    // Lists are patched as a whole, so what others wrote into them meanwhile must be a conflict.
    const patch = { metadata: { resourceVersion: object.metadata.resourceVersion }, status };
    return { resource, object: wanted.object, ...(status !== undefined && { patch }), ...(withdrawal !== undefined && { withdrawal }) };
  }

  /** `undefined`: the term ended. */
  async #send(key: ObjectKey, { resource, object, patch }: Write, signal: AbortSignal): Promise<StatusWriteResult | undefined> {
    const { namespace, name } = object;
    try {
      await this.#options.client.patch(resource, { namespace, name }, patch, {
        subresource: 'status',
        fieldManager: this.#options.fieldManager,
        signal,
      });
      return 'success';
    } catch (error) {
      if (signal.aborted) return undefined;
      this.#options.observer?.refused(object.kind, reasonOf(error));
      return this.#failed(key, object, error, signal);
    }
  }

  /** The object has the status that it should have. */
  #settle(key: ObjectKey, { withdrawal }: Write, result: 'success' | 'noop'): void {
    this.#queue.forget(key);
    // It may have left our class just while we wrote.
    if (this.#withdrawn.get(key) === withdrawal) this.#withdrawn.delete(key);
    const sinceMs = this.#sinceMs.get(key);
    this.#sinceMs.delete(key);
    if (result === 'noop') return;
    if (sinceMs !== undefined) this.#options.observer?.arrived(this.#options.clock.monotonicMs() - sinceMs);
    if (this.#wanted.has(key)) this.#writes.set(key, (this.#writes.get(key) ?? 0) + 1);
    this.#forbidden.delete(parseObjectKey(key).kind);
  }

  #failed(key: ObjectKey, object: ObjectRef, error: unknown, signal: AbortSignal): StatusWriteResult {
    const { log } = this.#options;
    if (isApiError(error, 'Conflict')) {
      this.#queue.addRateLimited(key, signal);
      return 'conflict';
    }
    // It went while we wrote; the watch will tell.
    if (isApiError(error, 'NotFound')) return 'failed';
    if (isApiError(error, 'Invalid', 'BadRequest')) {
      const fieldsRefused = error.causes.map(({ field, message }) => `${field ?? ''}: ${message ?? ''}`);
      log.error({ ...object, fields: fieldsRefused, error }, 'the API server refuses the status; it is not tried again until it changes');
      return 'failed';
    }
    if (isApiError(error, 'Forbidden')) {
      // One line a kind: it is the same for all its objects.
      if (!this.#forbidden.has(object.kind)) log.error({ ...object, error }, 'may not write status');
      this.#forbidden.add(object.kind);
      this.#queue.addAfter(key, forbiddenRetryMs, signal);
      return 'failed';
    }
    const retryInMs = this.#queue.addRateLimited(key, signal);
    // That the server is away is said once for everybody.
    if (!(error instanceof UnreachableError)) log.warn({ ...object, error, retryInMs }, 'writing the status failed');
    return 'failed';
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ApiError) return error.reason;
  return error instanceof UnreachableError ? 'Unreachable' : 'Unknown';
}
