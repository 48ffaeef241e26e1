import type { Clock } from './clock.ts';

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  #nowMs = 0;
  /** The date at 0 ms; a test may set it to make the date jump while monotonic time does not. */
  epoch = new Date('2030-01-01T00:00:00Z');
  readonly #sleepers = new Set<Sleeper>();

  monotonicMs(): number {
    return this.#nowMs;
  }

  date(): Date {
    return new Date(this.epoch.getTime() + this.#nowMs);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) {
        resolve();
        return;
      }
      const wake = () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const sleeper = { atMs: this.#nowMs + delayMs, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  /** How long the sleepers still sleep, shortest first. */
  sleeping(): readonly number[] {
    return [...this.#sleepers].map(({ atMs }) => atMs - this.#nowMs).sort((a, b) => a - b);
  }

  /** Moves time on, wakes sleepers in their order, and lets what they wake run until it sleeps again. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settle();
    for (;;) {
      const due = [...this.#sleepers].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs);
      const next = due[0];
      if (next === undefined) break;
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.wake();
      await settle();
    }
    this.#nowMs = endMs;
  }
}

/** Lets everything that waits for no timer and no I/O run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
