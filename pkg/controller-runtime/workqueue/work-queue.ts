import { type RateLimit, TokenBucket } from '../client/token-bucket.ts';
import type { Clock } from '../clock/clock.ts';
import type { WorkQueueMetrics } from '../metrics/work-queue-metrics.ts';

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Delay after the first failure of a key; it doubles with each one more. Default: 5. */
  readonly baseDelayMs?: number;
  /** No delay is longer. Default: 1,000,000. */
  readonly maxDelayMs?: number;
  /** How fast keys that failed may come back, all together. Default: no limit. */
  readonly limit?: RateLimit;
  readonly metrics?: WorkQueueMetrics;
}

/** A key that will be added at its time. */
interface Delayed {
  readonly atMs: number;
  readonly cancel: AbortController;
}

/**
 * Keys to work on, in the order in which they came. A key that waits is not added twice; one that is added while it is
 * worked on waits until that work is done, so no key is ever worked on twice at a time.
 */
export class WorkQueue<K> {
  readonly #clock: Clock;
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #bucket: TokenBucket | undefined;
  readonly #metrics: WorkQueueMetrics | undefined;
  /** Keys that wait, in order. */
  readonly #waiting = new Set<K>();
  readonly #active = new Set<K>();
  /** Keys that were added while they were worked on. */
  readonly #again = new Set<K>();
  /** Keys that are added later, each once: at the earliest of its times. */
  readonly #delayed = new Map<K, Delayed>();
  readonly #failures = new Map<K, number>();
  /** Workers that wait for a key, first come first. */
  readonly #takers = new Set<() => void>();

  constructor({ clock, baseDelayMs = 5, maxDelayMs = 1_000_000, limit, metrics }: WorkQueueOptions) {
    this.#clock = clock;
    this.#baseDelayMs = baseDelayMs;
    this.#maxDelayMs = maxDelayMs;
    this.#bucket = limit === undefined ? undefined : new TokenBucket(limit, clock);
    this.#metrics = metrics;
  }

  /** Keys that wait. */
  get length(): number {
    return this.#waiting.size;
  }

  add(key: K): void {
    if (this.#active.has(key)) {
      if (!this.#again.has(key)) this.#metrics?.added(key);
      this.#again.add(key);
      return;
    }
    if (!this.#waiting.has(key)) this.#wait(key);
    const [taker] = this.#takers;
    taker?.();
  }

  /**
   * Adds a key after a delay, or earlier if another call asks for that; it is dropped if the signal aborts before.
   */
  addAfter(key: K, delayMs: number, signal?: AbortSignal): void {
    const atMs = this.#clock.monotonicMs() + delayMs;
    const known = this.#delayed.get(key);
    if (known !== undefined && !known.cancel.signal.aborted && known.atMs <= atMs) return;
    known?.cancel.abort();
    const delayed = { atMs, cancel: new AbortController() };
    this.#delayed.set(key, delayed);
    const drop = () => delayed.cancel.abort();
    if (signal?.aborted) drop();
    signal?.addEventListener('abort', drop, { once: true });
    void this.#clock.sleep(delayMs, delayed.cancel.signal).then(() => {
      signal?.removeEventListener('abort', drop);
      if (this.#delayed.get(key) === delayed) this.#delayed.delete(key);
      if (!delayed.cancel.signal.aborted) this.add(key);
    });
  }

  /**
   * Adds a key after a delay that doubles with each call since `forget`, and is longer where too many keys come back
   * at a time. Gives the delay in milliseconds.
   */
  addRateLimited(key: K, signal?: AbortSignal): number {
    const failures = this.#failures.get(key) ?? 0;
    // Beyond 40 doublings every cap is reached.
    this.#failures.set(key, Math.min(failures + 1, 40));
    const ownMs = Math.min(this.#maxDelayMs, this.#baseDelayMs * 2 ** failures);
    const delayMs = Math.max(ownMs, this.#bucket?.reserve() ?? 0);
    this.#metrics?.retried();
    this.addAfter(key, delayMs, signal);
    return delayMs;
  }

  /** The key went well: its next failure counts as the first. */
  forget(key: K): void {
    this.#failures.delete(key);
  }

  /** The next key, as soon as there is one; `undefined` when the signal aborts. `done` must follow. */
  async take(signal: AbortSignal): Promise<K | undefined> {
    while (!signal.aborted) {
      for (const key of this.#waiting) {
        this.#waiting.delete(key);
        this.#active.add(key);
        this.#metrics?.started(key);
        this.#metrics?.depth(this.#waiting.size);
        return key;
      }
      await this.#untilAdded(signal);
    }
    return undefined;
  }

  /** The work on a key has ended. */
  done(key: K): void {
    this.#active.delete(key);
    this.#metrics?.done(key);
    if (!this.#again.delete(key)) return;
    // It counted as added when it came; it waits in the queue only now.
    this.#waiting.add(key);
    this.#metrics?.depth(this.#waiting.size);
    const [taker] = this.#takers;
    taker?.();
  }

  /** Drops all keys that wait or will be added, and all failures. */
  clear(): void {
    this.#waiting.clear();
    this.#again.clear();
    this.#failures.clear();
    for (const { cancel } of this.#delayed.values()) cancel.abort();
    this.#delayed.clear();
    this.#metrics?.depth(0);
  }

  #wait(key: K): void {
    this.#waiting.add(key);
    this.#metrics?.added(key);
    this.#metrics?.depth(this.#waiting.size);
  }

  #untilAdded(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#takers.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#takers.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}
