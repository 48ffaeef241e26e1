/** How delays grow. */
export interface BackoffOptions {
  /** The first delay. Default: 200. */
  readonly baseMs?: number;
  /** No delay is longer. Default: 10,000. */
  readonly maxMs?: number;
  /** Gives numbers from 0 up to 1; each delay is scaled by a factor from 0.5 up to 1. Default: `Math.random`. */
  readonly random?: () => number;
}

/** Delays between attempts: each is twice the one before, jittered so that many clients do not come back at once. */
export class Backoff {
  readonly #baseMs: number;
  readonly #maxMs: number;
  readonly #random: () => number;
  #attempts = 0;

  constructor({ baseMs = 200, maxMs = 10_000, random = Math.random }: BackoffOptions = {}) {
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
    this.#random = random;
  }

  /** The delay before the next attempt, in milliseconds. */
  next(): number {
    const fullMs = Math.min(this.#maxMs, this.#baseMs * 2 ** this.#attempts);
    // Beyond 30 doublings every cap is reached, and the power would overflow one day.
    this.#attempts = Math.min(this.#attempts + 1, 30);
    return fullMs * (0.5 + this.#random() / 2);
  }

  /** An attempt went well. */
  reset(): void {
    this.#attempts = 0;
  }
}
