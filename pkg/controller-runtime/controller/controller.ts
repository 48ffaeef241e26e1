import { setMaxListeners } from 'node:events';
import type { Logger } from '../../util/logger.ts';
import type { ObjectName } from '../client/object.ts';
import type { RateLimit } from '../client/token-bucket.ts';
import { type Clock, systemClock } from '../clock/clock.ts';
import { type ControllerMetrics, controllerMetrics, type ReconcileResult } from '../metrics/controller-metrics.ts';
import { type MetricsProvider, noMetrics } from '../metrics/metrics.ts';
import { type WorkQueueMetrics, workQueueMetrics } from '../metrics/work-queue-metrics.ts';
import { type Reconciler, TerminalError } from '../reconcile/reconcile.ts';
import type { Source } from '../source/source.ts';
import { WorkQueue } from '../workqueue/work-queue.ts';

export interface ControllerOptions {
  /** For logs and metrics. */
  readonly name: string;
  readonly sources: readonly Source[];
  readonly reconciler: Reconciler;
  /** How many objects are worked on at a time. Default: 1. */
  readonly maxConcurrent?: number;
  readonly retries?: RetryOptions;
  /** Default: the system's. */
  readonly clock?: Clock;
  readonly log: Logger;
  /** Default: none. */
  readonly metrics?: MetricsProvider;
}

/** When objects come back whose reconciliation failed. Each waits for the longer of both: its own delay, or its turn. */
export interface RetryOptions {
  /** Delay after an object's first failure; it doubles with each one more. Default: 5. */
  readonly baseDelayMs?: number;
  /** No object's delay is longer. Default: 1,000,000. */
  readonly maxDelayMs?: number;
  /** Of all objects together. Default: 10 a second, 100 at once. */
  readonly limit?: RateLimit;
}

const defaultLimit: RateLimit = { qps: 10, burst: 100 };

/** Calls a reconciler for every object that its sources name, and again where it failed. */
export class Controller {
  readonly name: string;
  readonly #options: ControllerOptions & { readonly clock: Clock };
  readonly #metrics: ControllerMetrics;
  readonly #queueMetrics: WorkQueueMetrics;

  constructor(options: ControllerOptions) {
    const { name, maxConcurrent = 1, metrics = noMetrics, clock = systemClock } = options;
    this.name = name;
    this.#options = { clock: systemClock, ...options };
    this.#metrics = controllerMetrics(metrics, name, maxConcurrent);
    this.#queueMetrics = workQueueMetrics(metrics, name, clock);
  }

  /** Works until the signal aborts; the work at hand is finished. May run again afterwards. */
  async run(signal: AbortSignal): Promise<void> {
    const { sources, clock, retries, maxConcurrent = 1 } = this.#options;
    const queue = new WorkQueue<string>({ clock, limit: defaultLimit, ...retries, metrics: this.#queueMetrics });
    // Each name that comes back later listens.
    setMaxListeners(0, signal);
    await untilAborted(Promise.all(sources.map((source) => source.synced)), signal);
    const stops = sources.map((source) => source.start(({ namespace, name }) => queue.add(`${namespace}/${name}`)));
    await Promise.all(Array.from({ length: maxConcurrent }, () => this.#work(queue, signal)));
    for (const stop of stops) stop();
    queue.clear();
  }

  async #work(queue: WorkQueue<string>, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    for (let key = await queue.take(signal); key !== undefined; key = await queue.take(signal)) {
      const startedMs = clock.monotonicMs();
      this.#metrics.active(1);
      const result = await this.#reconcile(queue, key, signal);
      this.#metrics.active(-1);
      if (result !== undefined) this.#metrics.reconciled(result, clock.monotonicMs() - startedMs);
      queue.done(key);
    }
  }

  /** Never rejects: a fault of one object is its own. `undefined`: the work was cut off. */
  async #reconcile(queue: WorkQueue<string>, key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { reconciler, log } = this.#options;
    try {
      const { requeueAfterMs } = await reconciler(nameOfKey(key), signal);
      queue.forget(key);
      if (requeueAfterMs === undefined) return 'success';
      queue.addAfter(key, requeueAfterMs, signal);
      return 'requeue_after';
    } catch (error) {
      if (signal.aborted) return undefined;
      const terminal = error instanceof TerminalError;
      const retry = terminal ? {} : { retryInMs: queue.addRateLimited(key, signal) };
      if (terminal) queue.forget(key);
      log.error({ controller: this.name, object: key, error, ...retry }, 'reconciling failed');
      return terminal ? 'terminal' : isBug(error) ? 'panic' : 'error';
    }
  }
}

/** What Go calls a panic: nobody throws these on purpose. */
function isBug(error: unknown): boolean {
  return error instanceof TypeError || error instanceof ReferenceError;
}

function nameOfKey(key: string): ObjectName {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

function untilAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return Promise.race([promise, aborted]);
}
