import type { KubeObject, ObjectKey, ObjectRef } from '../apis/meta.ts';
import { keyOf, objectKey } from '../apis/meta.ts';
import type { Client } from '../controller-runtime/client/client.ts';
import { isApiError, UnreachableError } from '../controller-runtime/client/errors.ts';
import type { ResourceKind } from '../controller-runtime/client/object.ts';
import type { Clock } from '../controller-runtime/clock/clock.ts';
import type { WatchEvent } from '../controller-runtime/event/event.ts';
import type { Runnable } from '../controller-runtime/manager/manager.ts';
import { WorkQueue } from '../controller-runtime/workqueue/work-queue.ts';
import type { WantedStatus } from '../status/wanted.ts';
import type { Logger } from '../util/logger.ts';
import { addressedKinds, addressFields, type LoadBalancerAddress } from './load-balancer-status.ts';
import { statusPatch } from './status-merge.ts';

/** How a status write ended. `noop`: the object says already what it should. */
export type StatusWriteResult = 'success' | 'noop' | 'failed' | 'conflict';

export interface StatusUpdateHandlerOptions {
  readonly client: Pick<Client, 'patch'>;
  /** Where the API server keeps a kind; `undefined` if it does not. */
  readonly resourceOf: (kind: string) => ResourceKind | undefined;
  /** The newest version of an object that we know. */
  readonly live: (object: ObjectRef) => KubeObject | undefined;
  /** Whose entries of `parents` and `ancestors` are ours. */
  readonly controllerName: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** How many writes may be on their way. Default: 8. */
  readonly concurrency?: number;
  /** Told of every write, and of every look that needed none. */
  readonly onWrite?: (kind: string, result: StatusWriteResult, tookMs: number) => void;
}

/** A write that is not allowed is tried again so often: somebody may grant the right. */
const forbiddenRetryMs = 60_000;
/** Longest pause before we write again over a status that somebody else keeps changing. */
const maxDisputeMs = 300_000;

/**
 * Writes the statuses that builds want, on the leader only. Per object the newest wanted status wins and one write is
 * on its way at a time; it is compared with the object first, so nothing is written that is there already. A new
 * leader goes through everything that is wanted.
 */
export class StatusUpdateHandler implements Runnable {
  readonly name = 'status update handler';
  readonly #options: StatusUpdateHandlerOptions;
  readonly #queue: WorkQueue<ObjectKey>;
  readonly #wanted = new Map<ObjectKey, WantedStatus>();
  /** How often an object was written since its wanted status changed. */
  readonly #writes = new Map<ObjectKey, number>();
  readonly #forbidden = new Set<string>();
  #addresses: readonly LoadBalancerAddress[] = [];
  #term: AbortSignal | undefined;

  constructor(options: StatusUpdateHandlerOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({ clock: options.clock, baseDelayMs: 20, maxDelayMs: 30_000 });
  }

  /** Takes the statuses that came out of a build. */
  want(statuses: readonly WantedStatus[]): void {
    for (const wanted of statuses) {
      const key = objectKey(wanted.object.kind, wanted.object.namespace, wanted.object.name);
      this.#wanted.set(key, wanted);
      this.#writes.delete(key);
      this.#enqueue(key);
    }
  }

  /** Takes the addresses at which traffic arrives; every object that shows them is looked at. */
  publishAddresses(addresses: readonly LoadBalancerAddress[]): void {
    this.#addresses = addresses;
    for (const [key, { object }] of this.#wanted) if (addressedKinds.has(object.kind)) this.#enqueue(key);
  }

  /** Takes what the API server says of an object: it may be gone, or its status may no longer be what it should. */
  observe(event: WatchEvent): void {
    const key = keyOf(event.object);
    if (!this.#wanted.has(key)) return;
    if (event.type === 'delete') {
      this.#wanted.delete(key);
      this.#writes.delete(key);
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
    for (const key of this.#wanted.keys()) this.#queue.add(key);
    const { concurrency = 8 } = this.#options;
    await Promise.all(Array.from({ length: concurrency }, () => this.#work(signal)));
    this.#term = undefined;
    this.#queue.clear();
  }

  /** Only the leader has work to do; whoever becomes it goes through everything. */
  #enqueue(key: ObjectKey): void {
    if (this.#term !== undefined) this.#queue.add(key);
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let key = await this.#queue.take(signal); key !== undefined; key = await this.#queue.take(signal)) {
      await this.#write(key, signal);
      this.#queue.done(key);
    }
  }

  async #write(key: ObjectKey, signal: AbortSignal): Promise<void> {
    const { client, resourceOf, live, clock, controllerName, onWrite } = this.#options;
    const wanted = this.#wanted.get(key);
    const object = wanted === undefined ? undefined : live(wanted.object);
    const resource = wanted === undefined ? undefined : resourceOf(wanted.object.kind);
    if (wanted === undefined || object === undefined || resource === undefined) return;
    // A build of the newer version is on its way, and will want something of its own.
    if ((object.metadata.generation ?? 0) > wanted.generation) return;

    const startedMs = clock.monotonicMs();
    const { kind, namespace, name } = wanted.object;
    const fields = { ...wanted.status, ...addressFields(kind, this.#addresses) };
    const status = statusPatch(object, fields, { controllerName, now: clock.date() });
    let result: StatusWriteResult = 'noop';
    if (status !== undefined) {
      // Lists are patched as a whole, so what others wrote into them meanwhile must be a conflict.
      const patch = { metadata: { resourceVersion: object.metadata.resourceVersion }, status };
      try {
        await client.patch(resource, { namespace, name }, patch, { subresource: 'status', signal });
        result = 'success';
        this.#writes.set(key, (this.#writes.get(key) ?? 0) + 1);
        this.#forbidden.delete(kind);
      } catch (error) {
        if (signal.aborted) return;
        result = this.#failed(key, wanted.object, error, signal);
      }
    }
    if (result === 'success' || result === 'noop') this.#queue.forget(key);
    onWrite?.(kind, result, clock.monotonicMs() - startedMs);
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
