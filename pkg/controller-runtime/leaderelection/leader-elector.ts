import type { Logger } from '../../util/logger.ts';
import { isApiError } from '../client/errors.ts';
import { type Clock, systemClock } from '../clock/clock.ts';
import type { LeaderElectionMetrics } from '../metrics/leader-election-metrics.ts';
import { type Lease, type LeaseLock, type LeaseSpec, microTime } from './lease.ts';
import { LeaseWatch } from './lease-watch.ts';

export interface LeaderElectorOptions {
  readonly lock: LeaseLock;
  /** Who we are; unique among the candidates. */
  readonly identity: string;
  /** How long others wait after the last renewal that they saw. Default: 15,000. */
  readonly leaseDurationMs?: number;
  /** How long the leader tries to renew before it gives up. Less than the lease duration. Default: 10,000. */
  readonly renewDeadlineMs?: number;
  /** Pause between tries. Default: 2,000. */
  readonly retryPeriodMs?: number;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** For jitter. Default: `Math.random`. */
  readonly random?: () => number;
  readonly log: Logger;
  readonly metrics?: LeaderElectionMetrics;
}

/**
 * Leads when it holds the Lease, and only then. Whether another's lease has run out is judged by how long we have seen
 * it unchanged on our own monotonic clock; the times in the Lease are for people, so clocks may differ.
 *
 * A candidate watches the Lease, so it takes one that is given up at once. It asks as well, every retry period: a watch
 * may be forbidden, or hang. Who may `get`, `create` and `update` Leases can lead; `watch` makes the handover fast.
 */
export class LeaderElector {
  readonly #options: LeaderElectorOptions & Required<Pick<LeaderElectorOptions, 'clock' | 'random'>>;
  readonly #leaseDurationMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryPeriodMs: number;
  /** The Lease as we saw it last, and when we saw it change. */
  #seen: { readonly lease: Lease; readonly atMs: number } | undefined;
  #leading = false;

  constructor(options: LeaderElectorOptions) {
    this.#options = { clock: systemClock, random: Math.random, ...options };
    this.#leaseDurationMs = options.leaseDurationMs ?? 15_000;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryPeriodMs = options.retryPeriodMs ?? 2_000;
  }

  get leading(): boolean {
    return this.#leading;
  }

  /**
   * Runs until the signal aborts: each time that it wins, it calls `lead`, whose signal aborts when the Lease is lost
   * or the process stops, and waits for it to end. A Lease that is still ours at the end is released.
   */
  async run(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { log, identity, lock } = this.#options;
    const fields = { lease: `${lock.namespace}/${lock.name}`, identity };
    while (!signal.aborted) {
      if (!(await this.#acquire(signal))) return;
      log.info(fields, 'became the leader');
      const term = new AbortController();
      this.#setLeading(true);
      const work = lead(term.signal);
      // A fault is thrown when the term is over.
      work.catch(() => undefined);
      await this.#renew(signal);
      this.#setLeading(false);
      term.abort();
      await work;
      if (!signal.aborted) log.warn(fields, 'is no longer the leader');
    }
    await this.#release();
  }

  #setLeading(leading: boolean): void {
    this.#leading = leading;
    this.#options.metrics?.(leading);
  }

  /** Tries until it holds the Lease; false if the signal aborted before. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, lock, log, random } = this.#options;
    const ended = new AbortController();
    const stop = () => ended.abort();
    signal.addEventListener('abort', stop, { once: true });
    const tell = (lease: Lease) => this.#see(lease);
    const watch = new LeaseWatch({ lock, clock, log, pauseMs: this.#retryPeriodMs, tell }, ended.signal);
    try {
      while (!signal.aborted) {
        if (await this.#tryOnce(signal)) return true;
        // Jitter, so that candidates do not collide for ever.
        const retryMs = this.#retryPeriodMs * (1 + 0.2 * random());
        const leftMs = this.#leftMs();
        // A Lease that runs out sooner is tried for as soon as it has.
        await watch.pause(leftMs > 0 ? Math.min(leftMs, retryMs) : retryMs, signal);
      }
      return false;
    } finally {
      stop();
      signal.removeEventListener('abort', stop);
    }
  }

  /** Renews until the signal aborts or the deadline passes without success. */
  async #renew(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    let renewedMs = clock.monotonicMs();
    while (!signal.aborted) {
      await clock.sleep(this.#retryPeriodMs, signal);
      if (signal.aborted) return;
      // Counted from before the request: others may have seen it as early as that.
      const startedMs = clock.monotonicMs();
      const leftMs = renewedMs + this.#renewDeadlineMs - startedMs;
      if (leftMs <= 0) return;
      if (await this.#within(leftMs, signal)) renewedMs = startedMs;
      else if (this.#holder() !== this.#options.identity) return;
    }
  }

  /** One try that is given up after so long. */
  async #within(limitMs: number, signal: AbortSignal): Promise<boolean> {
    const attempt = new AbortController();
    const limit = new AbortController();
    const abort = () => attempt.abort();
    signal.addEventListener('abort', abort, { once: true });
    void this.#options.clock.sleep(limitMs, limit.signal).then(() => {
      if (!limit.signal.aborted) attempt.abort();
    });
    try {
      return await this.#tryOnce(attempt.signal);
    } finally {
      limit.abort();
      signal.removeEventListener('abort', abort);
    }
  }

  /** Takes or renews the Lease if it is ours or nobody's. False: it is another's, or the server did not let us. */
  async #tryOnce(signal: AbortSignal): Promise<boolean> {
    const { lock, log, identity } = this.#options;
    try {
      const lease = await this.#current(signal);
      if (lease === undefined) {
        this.#see(await lock.create(this.#spec(undefined), signal));
        return true;
      }
      const holder = lease.spec?.holderIdentity ?? '';
      if (holder !== '' && holder !== identity && !this.#expired()) return false;
      this.#see(await lock.update(lease, this.#spec(lease), signal));
      return true;
    } catch (error) {
      // What we saw is out of date, or the answer was lost: look again.
      if (this.#seen !== undefined && isApiError(error, 'Conflict', 'NotFound')) await this.#look(signal);
      if (!signal.aborted && !isApiError(error, 'Conflict', 'AlreadyExists')) {
        log.warn({ lease: `${lock.namespace}/${lock.name}`, error }, 'could not take or renew the lease');
      }
      return false;
    }
  }

  /** The leader trusts what it wrote last; everybody else asks. */
  async #current(signal: AbortSignal): Promise<Lease | undefined> {
    if (this.#leading && this.#seen !== undefined) return this.#seen.lease;
    const lease = await this.#options.lock.get(signal);
    if (lease !== undefined) this.#see(lease);
    return lease;
  }

  async #look(signal: AbortSignal): Promise<void> {
    try {
      const lease = await this.#options.lock.get(signal);
      if (lease === undefined) this.#seen = undefined;
      else this.#see(lease);
    } catch {
      // The next try tells.
    }
  }

  #see(lease: Lease): void {
    if (this.#seen?.lease.metadata.resourceVersion === lease.metadata.resourceVersion) return;
    const before = this.#holder();
    this.#seen = { lease, atMs: this.#options.clock.monotonicMs() };
    const { log, lock, identity } = this.#options;
    const holder = this.#holder();
    if (holder === before || holder === identity || holder === '') return;
    log.info({ lease: `${lock.namespace}/${lock.name}`, identity, holder }, 'another holds the lease');
  }

  #holder(): string {
    return this.#seen?.lease.spec?.holderIdentity ?? '';
  }

  #expired(): boolean {
    return this.#seen !== undefined && this.#leftMs() <= 0;
  }

  /** Milliseconds until the Lease that was seen last runs out; 0 or less: it has. The holder's own duration counts, not ours. */
  #leftMs(): number {
    if (this.#seen === undefined) return 0;
    const seconds = this.#seen.lease.spec?.leaseDurationSeconds;
    const durationMs = seconds === undefined ? this.#leaseDurationMs : seconds * 1000;
    return this.#seen.atMs + durationMs - this.#options.clock.monotonicMs();
  }

  #spec(lease: Lease | undefined): LeaseSpec {
    const { clock, identity } = this.#options;
    const now = microTime(clock.date());
    const before = lease?.spec;
    const same = before?.holderIdentity === identity;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#leaseDurationMs / 1000),
      acquireTime: same ? (before.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: lease === undefined ? 0 : (before?.leaseTransitions ?? 0) + (same ? 0 : 1),
    };
  }

  /** Gives the Lease up, so that the next leader need not wait. */
  async #release(): Promise<void> {
    const { lock, log, identity, clock } = this.#options;
    if (this.#seen === undefined || this.#holder() !== identity) return;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), 5_000);
    try {
      const now = microTime(clock.date());
      const { leaseTransitions = 0 } = this.#seen.lease.spec ?? {};
      const spec = { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now, leaseTransitions };
      await lock.update(this.#seen.lease, spec, limit.signal);
    } catch (error) {
      log.warn({ lease: `${lock.namespace}/${lock.name}`, error }, 'could not release the lease; others wait until it runs out');
    } finally {
      clearTimeout(timer);
    }
  }
}
