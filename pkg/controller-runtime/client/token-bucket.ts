import type { Clock } from '../clock/clock.ts';

/** How fast a client may ask. */
export interface RateLimit {
  /** Requests per second in the long run. Greater than 0. */
  readonly qps: number;
  /** Requests that may go at once after a pause. At least 1. */
  readonly burst: number;
}

/** Lets `burst` requests through at once and `qps` a second in the long run; the rest waits in order. */
export class TokenBucket {
  readonly #limit: RateLimit;
  readonly #clock: Clock;
  /** Negative: that many callers wait. */
  #tokens: number;
  #updatedMs: number;

  constructor(limit: RateLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
    this.#tokens = limit.burst;
    this.#updatedMs = clock.monotonicMs();
  }

  /** Resolves when the caller may go. */
  async take(signal?: AbortSignal): Promise<void> {
    const delayMs = this.reserve();
    if (delayMs > 0) await this.#clock.sleep(delayMs, signal);
  }

  /** Takes the caller's turn and says how long it has to wait for it, in milliseconds. */
  reserve(): number {
    const nowMs = this.#clock.monotonicMs();
    const gained = ((nowMs - this.#updatedMs) / 1000) * this.#limit.qps;
    this.#tokens = Math.min(this.#limit.burst, this.#tokens + gained) - 1;
    this.#updatedMs = nowMs;
    return this.#tokens < 0 ? (-this.#tokens / this.#limit.qps) * 1000 : 0;
  }
}
