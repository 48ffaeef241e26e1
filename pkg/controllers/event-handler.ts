import { type Observable, Subscription } from 'rxjs';
import type { Clock } from '../controller-runtime/clock/clock.ts';
import type { Runnable } from '../controller-runtime/manager/manager.ts';
import type { Change } from '../kubernetes-cache/changes.ts';
import type { Logger } from '../util/logger.ts';

/** How long changes are held back so that more of them make one build; both in milliseconds, 0 or more. */
export interface HoldOff {
  /** A build waits this long after the last change. 0: a build follows a change at once. */
  readonly delayMs: number;
  /** No change waits longer than this, whatever follows it. */
  readonly maxDelayMs: number;
}

export interface EventHandlerDeps<R> {
  readonly changes: Observable<Change>;
  /** Builds everything that is there: when all kinds are known, and after a build that threw. */
  readonly buildAll: () => R;
  /** Builds what a batch touches. What it throws is a bug; everything is built again then, so that no change is lost. */
  readonly build: (batch: readonly Change[]) => R;
  /** Get each result, in order. One that throws is logged and does not keep the result from the others. */
  readonly observers: readonly ((result: R) => void)[];
  /** Resolves when the first list of every kind is in the cache: before, nothing is built. */
  readonly synced: Promise<void>;
  readonly holdOff: HoldOff;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Gathers changes into batches and has each built. Without a hold-off the first change goes at once, and what arrives
 * while the process is busy with it is the next batch: a lone change never waits, a storm costs few builds.
 */
export class EventHandler<R> implements Runnable {
  readonly name = 'event-handler';
  readonly ready: Promise<void>;
  readonly #deps: EventHandlerDeps<R>;
  readonly #becomeReady: () => void;
  #pending: Change[] = [];
  /** When the oldest pending change came, on the monotonic clock. */
  #oldestMs = 0;
  #wake: (() => void) | undefined;
  /** The last build threw, so a batch alone would not catch up. */
  #behind = false;

  constructor(deps: EventHandlerDeps<R>) {
    this.#deps = deps;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    this.#becomeReady = resolve;
  }

  /** Builds once everything is synced, then batch by batch until the signal aborts. `ready` tells of the first build. */
  async run(signal: AbortSignal): Promise<void> {
    const { synced, buildAll, changes } = this.#deps;
    await Promise.race([synced, aborted(signal)]);
    if (signal.aborted) return;
    signal.addEventListener('abort', () => this.#wake?.(), { once: true });
    const subscription = new Subscription();
    subscription.add(changes.subscribe((change) => this.#add(change)));
    try {
      this.#build(buildAll);
      this.#becomeReady();
      while (!signal.aborted) await this.#next(signal);
    } finally {
      subscription.unsubscribe();
    }
  }

  #add(change: Change): void {
    if (this.#pending.length === 0) this.#oldestMs = this.#deps.clock.monotonicMs();
    this.#pending.push(change);
    this.#wake?.();
  }

  /** Waits for a change, holds it back as configured, and has the batch built. */
  async #next(signal: AbortSignal): Promise<void> {
    if (this.#pending.length === 0) await this.#change();
    await this.#holdOff(signal);
    // Lets the events that already wait in the sockets join the batch.
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (signal.aborted || this.#pending.length === 0) return;
    const batch = this.#pending;
    this.#pending = [];
    const { build, buildAll } = this.#deps;
    if (!this.#behind) this.#build(() => build(batch));
    if (this.#behind) this.#build(buildAll);
  }

  async #holdOff(signal: AbortSignal): Promise<void> {
    const { delayMs, maxDelayMs } = this.#deps.holdOff;
    let count = -1;
    while (delayMs > 0 && count !== this.#pending.length && !signal.aborted) {
      count = this.#pending.length;
      const left = this.#oldestMs + maxDelayMs - this.#deps.clock.monotonicMs();
      if (left <= 0) return;
      const woken = new AbortController();
      void this.#change().then(() => woken.abort());
      await this.#deps.clock.sleep(Math.min(delayMs, left), AbortSignal.any([woken.signal, signal]));
    }
  }

  /** Resolves at the next change, or when the handler is to stop. No AbortController: making one abort costs more than a build. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** A bug in one build or observer must not end the process that serves everything else. */
  #build(build: () => R): void {
    const { log, observers } = this.#deps;
    let result: R;
    try {
      result = build();
      this.#behind = false;
    } catch (error) {
      log.error({ error }, 'the build failed: what is served stays as it was, and everything is built again');
      this.#behind = true;
      return;
    }
    for (const observe of observers) {
      try {
        observe(result);
      } catch (error) {
        log.error({ error }, 'an observer of the build failed');
      }
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
