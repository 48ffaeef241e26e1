import type { Clock } from '../clock/clock.ts';

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Delay after the first failure of a key; it doubles with each one more. Default: 5. */
  readonly baseDelayMs?: number;
  /** No delay is longer. Default: 1,000,000. */
  readonly maxDelayMs?: number;
}

/**
 * Keys to work on, in the order in which they came. A key that waits is not added twice; one that is added while it is
 * worked on waits until that work is done, so no key is ever worked on twice at a time.
 */
export class WorkQueue<K> {
  readonly #clock: Clock;
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;
  /** Keys that wait, in order. */
  readonly #waiting = new Set<K>();
  readonly #active = new Set<K>();
  /** Keys that were added while they were worked on. */
  readonly #again = new Set<K>();
  readonly #failures = new Map<K, number>();
  /** Workers that wait for a key, first come first. */
  readonly #takers = new Set<() => void>();

  constructor({ clock, baseDelayMs = 5, maxDelayMs = 1_000_000 }: WorkQueueOptions) {
    this.#clock = clock;
    this.#baseDelayMs = baseDelayMs;
    this.#maxDelayMs = maxDelayMs;
  }

  /** Keys that wait. */
  get length(): number {
    return this.#waiting.size;
  }

  add(key: K): void {
    if (this.#active.has(key)) {
      this.#again.add(key);
      return;
    }
    this.#waiting.add(key);
    const [taker] = this.#takers;
    taker?.();
  }

  /** Adds a key after a delay; it is dropped if the signal aborts before. */
  addAfter(key: K, delayMs: number, signal?: AbortSignal): void {
    void this.#clock.sleep(delayMs, signal).then(() => {
      if (signal?.aborted !== true) this.add(key);
    });
  }

  /** Adds a key after a delay that doubles with each call since `forget`. Gives the delay in milliseconds. */
  addRateLimited(key: K, signal?: AbortSignal): number {
    const failures = this.#failures.get(key) ?? 0;
    // Beyond 40 doublings every cap is reached.
    this.#failures.set(key, Math.min(failures + 1, 40));
    const delayMs = Math.min(this.#maxDelayMs, this.#baseDelayMs * 2 ** failures);
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
        return key;
      }
      await this.#untilAdded(signal);
    }
    return undefined;
  }

  /** The work on a key has ended. */
  done(key: K): void {
    this.#active.delete(key);
    if (this.#again.delete(key)) this.add(key);
  }

  /** Drops all keys that wait, and all failures. */
  clear(): void {
    this.#waiting.clear();
    this.#again.clear();
    this.#failures.clear();
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
