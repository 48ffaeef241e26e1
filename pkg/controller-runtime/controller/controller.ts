import type { Logger } from '../../util/logger.ts';
import type { ObjectName } from '../client/object.ts';
import type { Clock } from '../clock/clock.ts';
import { type Reconciler, TerminalError } from '../reconcile/reconcile.ts';
import type { Source } from '../source/source.ts';
import { WorkQueue } from '../workqueue/work-queue.ts';

export interface ControllerOptions {
  /** For logs. */
  readonly name: string;
  readonly sources: readonly Source[];
  readonly reconciler: Reconciler;
  /** How many objects are worked on at a time. Default: 1. */
  readonly maxConcurrent?: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Calls a reconciler for every object that its sources name, and again where it failed. */
export class Controller {
  readonly name: string;
  readonly #options: ControllerOptions;

  constructor(options: ControllerOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** Works until the signal aborts; the work at hand is finished. May run again afterwards. */
  async run(signal: AbortSignal): Promise<void> {
    const { sources, clock, maxConcurrent = 1 } = this.#options;
    const queue = new WorkQueue<string>({ clock });
    await untilAborted(Promise.all(sources.map((source) => source.synced)), signal);
    const stops = sources.map((source) => source.start(({ namespace, name }) => queue.add(`${namespace}/${name}`)));
    await Promise.all(Array.from({ length: maxConcurrent }, () => this.#work(queue, signal)));
    for (const stop of stops) stop();
  }

  async #work(queue: WorkQueue<string>, signal: AbortSignal): Promise<void> {
    for (let key = await queue.take(signal); key !== undefined; key = await queue.take(signal)) {
      await this.#reconcile(queue, key, signal);
      queue.done(key);
    }
  }

  async #reconcile(queue: WorkQueue<string>, key: string, signal: AbortSignal): Promise<void> {
    const { reconciler, log } = this.#options;
    try {
      const { requeueAfterMs } = await reconciler(nameOfKey(key), signal);
      queue.forget(key);
      if (requeueAfterMs !== undefined) queue.addAfter(key, requeueAfterMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      const retry = error instanceof TerminalError ? {} : { retryInMs: queue.addRateLimited(key, signal) };
      log.error({ controller: this.name, object: key, error, ...retry }, 'reconciling failed');
    }
  }
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
