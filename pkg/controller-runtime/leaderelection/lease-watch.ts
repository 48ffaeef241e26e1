import type { Logger } from '../../util/logger.ts';
import { isApiError } from '../client/errors.ts';
import type { Clock } from '../clock/clock.ts';
import type { Lease, LeaseLock } from './lease.ts';

export interface LeaseWatchDeps {
  readonly lock: LeaseLock;
  readonly clock: Clock;
  readonly log: Logger;
  /** Pause before a watch that ended is begun again. */
  readonly pauseMs: number;
  /** Told of each version of the Lease as it comes. */
  readonly tell: (lease: Lease) => void;
}

/** Watches a Lease for the moment in which nobody holds it, until a signal aborts. Where that is not allowed, it only sleeps. */
export class LeaseWatch {
  readonly #deps: LeaseWatchDeps;
  /** Whether the Lease became free since the last pause. */
  #free = false;
  #wake: (() => void) | undefined;

  constructor(deps: LeaseWatchDeps, signal: AbortSignal) {
    this.#deps = deps;
    void this.#run(signal);
  }

  /** Sleeps until the delay is over or the Lease becomes free; not at all if it became free since the last pause. */
  async pause(delayMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#free) {
      const early = new AbortController();
      this.#wake = () => early.abort();
      signal.addEventListener('abort', this.#wake, { once: true });
      if (signal.aborted) early.abort();
      await this.#deps.clock.sleep(delayMs, early.signal);
      signal.removeEventListener('abort', this.#wake);
      this.#wake = undefined;
    }
    this.#free = false;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { lock, clock, log, pauseMs } = this.#deps;
    while (!signal.aborted) {
      try {
        await lock.watch((lease) => this.#see(lease), signal);
      } catch (error) {
        if (signal.aborted) return;
        const fields = { lease: `${lock.namespace}/${lock.name}`, error };
        if (isApiError(error, 'Forbidden')) {
          log.info(fields, 'may not watch the lease; it is asked for from time to time instead');
          return;
        }
        log.debug(fields, 'the watch of the lease was cut');
      }
      await clock.sleep(pauseMs, signal);
    }
  }

  #see(lease: Lease | undefined): void {
    if (lease !== undefined) this.#deps.tell(lease);
    if ((lease?.spec?.holderIdentity ?? '') !== '') return;
    this.#free = true;
    this.#wake?.();
  }
}
