import { beforeEach, describe, expect, test } from '@jest/globals';
import { silentLogger } from '../../util/logger.ts';
import { ApiError, UnreachableError } from '../client/errors.ts';
import { FakeClock, settle } from '../clock/fake-clock.ts';
import { LeaderElector } from './leader-elector.ts';
import type { Lease, LeaseLock, LeaseSpec } from './lease.ts';

/** One Lease in memory, with the API server's rule that a write must know the newest version. */
class MemoryLease {
  lease: Lease | undefined;
  version = 0;
  watchable = false;
  watches = 0;
  readonly #watchers = new Set<(lease: Lease) => void>();

  lock(reachable: () => boolean): Pick<LeaseLock, keyof LeaseLock> {
    const check = () => {
      if (!reachable()) throw new UnreachableError('https://test', new Error('cut'));
    };
    return {
      namespace: 'ns',
      name: 'leader',
      get: async () => {
        check();
        return this.lease;
      },
      watch: async (tell, signal) => {
        check();
        this.watches++;
        if (!this.watchable) throw new ApiError({ verb: 'watch', resource: 'leases', group: 'coordination.k8s.io' }, 403, {});
        this.#watchers.add(tell);
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        this.#watchers.delete(tell);
      },
      create: async (spec) => {
        check();
        return this.#write(spec);
      },
      update: async (lease, spec) => {
        check();
        if (lease.metadata.resourceVersion !== this.lease?.metadata.resourceVersion) {
          throw new ApiError({ verb: 'update', resource: 'leases', group: 'coordination.k8s.io' }, 409, {});
        }
        return this.#write(spec);
      },
    };
  }

  #write(spec: LeaseSpec): Lease {
    this.version++;
    const metadata = { name: 'leader', namespace: 'ns', resourceVersion: String(this.version) };
    this.lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
    for (const tell of this.#watchers) tell(this.lease);
    return this.lease;
  }
}

class Candidate {
  readonly elector: LeaderElector;
  readonly stop = new AbortController();
  readonly run: Promise<void>;
  reachable = true;
  terms = 0;
  leading = false;
  readonly told: boolean[] = [];

  constructor(identity: string, memory: MemoryLease, clock: FakeClock) {
    const lock = memory.lock(() => this.reachable) as LeaseLock;
    this.elector = new LeaderElector({
      lock,
      identity,
      clock,
      random: () => 0,
      log: silentLogger,
      metrics: (leading) => this.told.push(leading),
    });
    this.run = this.elector.run(this.stop.signal, async (signal) => {
      this.terms++;
      this.leading = true;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      this.leading = false;
    });
  }
}

describe('leader election', () => {
  let memory: MemoryLease;
  let clock: FakeClock;
  beforeEach(() => {
    memory = new MemoryLease();
    clock = new FakeClock();
  });

  test('the first candidate leads, the second waits as long as it renews', async () => {
    const first = new Candidate('first', memory, clock);
    await settle();
    const second = new Candidate('second', memory, clock);
    await clock.advance(120_000);
    expect([first.leading, second.leading]).toEqual([true, false]);
    expect(memory.lease?.spec).toMatchObject({ holderIdentity: 'first', leaseDurationSeconds: 15, leaseTransitions: 0 });
  });

  test('a leader that stops releases the lease, and the next one leads at its next try', async () => {
    const first = new Candidate('first', memory, clock);
    await settle();
    const second = new Candidate('second', memory, clock);
    await clock.advance(5_000);
    first.stop.abort();
    await first.run;
    expect(memory.lease?.spec?.holderIdentity).toBe('');
    await clock.advance(2_000);
    expect(second.leading).toBe(true);
    expect(memory.lease?.spec?.leaseTransitions).toBe(1);
  });

  test('a candidate that may watch the lease takes it as soon as it is given up', async () => {
    memory.watchable = true;
    const first = new Candidate('first', memory, clock);
    await settle();
    const second = new Candidate('second', memory, clock);
    await clock.advance(5_000);
    first.stop.abort();
    await first.run;
    await settle();
    expect(second.leading).toBe(true);
    expect([first.told, second.told]).toEqual([[true, false], [true]]);
  });

  test('a leader that is killed is followed as soon as its lease runs out', async () => {
    memory.watchable = true;
    const first = new Candidate('first', memory, clock);
    await settle();
    // The candidate's own tries fall between the renewals.
    await clock.advance(1_300);
    const second = new Candidate('second', memory, clock);
    await clock.advance(4_700);
    const renewed = memory.version;
    first.reachable = false;
    await clock.advance(14_999);
    expect([memory.version, second.leading]).toEqual([renewed, false]);
    await clock.advance(1);
    expect(second.leading).toBe(true);
  });

  test('a candidate that may not watch the lease asks once whether it may', async () => {
    const first = new Candidate('first', memory, clock);
    await settle();
    const second = new Candidate('second', memory, clock);
    const before = memory.watches;
    await clock.advance(60_000);
    expect([memory.watches - before, second.leading, first.leading]).toEqual([0, false, true]);
  });

  test('a watch that is cut is begun again', async () => {
    memory.watchable = true;
    const first = new Candidate('first', memory, clock);
    await settle();
    const second = new Candidate('second', memory, clock);
    second.reachable = false;
    await clock.advance(4_000);
    second.reachable = true;
    await clock.advance(4_000);
    first.stop.abort();
    await first.run;
    await settle();
    expect(second.leading).toBe(true);
  });

  test('a leader that is cut off stops leading before another one begins', async () => {
    const first = new Candidate('first', memory, clock);
    await settle();
    const second = new Candidate('second', memory, clock);
    await clock.advance(4_000);
    first.reachable = false;
    await clock.advance(10_000);
    expect([first.leading, second.leading]).toEqual([false, false]);
    await clock.advance(10_000);
    expect([first.leading, second.leading]).toEqual([false, true]);
    first.reachable = true;
    await clock.advance(60_000);
    expect([first.leading, second.leading]).toEqual([false, true]);
  });

  test('a lease whose times lie in the past is respected for its whole duration after it was seen', async () => {
    await memory
      .lock(() => true)
      .create({ holderIdentity: 'gone', leaseDurationSeconds: 15, renewTime: '2001-01-01T00:00:00.000000Z' }, new AbortController().signal);
    const candidate = new Candidate('second', memory, clock);
    await clock.advance(14_000);
    expect(candidate.leading).toBe(false);
    await clock.advance(3_000);
    expect(candidate.leading).toBe(true);
  });

  test('a date that jumps ends no term', async () => {
    const first = new Candidate('first', memory, clock);
    await settle();
    const second = new Candidate('second', memory, clock);
    await clock.advance(3_000);
    clock.epoch = new Date('2040-01-01T00:00:00Z');
    await clock.advance(30_000);
    clock.epoch = new Date('2020-01-01T00:00:00Z');
    await clock.advance(30_000);
    expect([first.terms, first.leading, second.terms]).toEqual([1, true, 0]);
  });

  test('a leader whose lease was taken stops at its next renewal', async () => {
    const first = new Candidate('first', memory, clock);
    await settle();
    const thief = memory.lock(() => true);
    await thief.update(memory.lease as Lease, { holderIdentity: 'thief', leaseDurationSeconds: 15 }, first.stop.signal);
    await clock.advance(2_000);
    expect(first.leading).toBe(false);
  });

  test('a leader that was cut off for a moment goes on in the same term', async () => {
    const first = new Candidate('first', memory, clock);
    await settle();
    first.reachable = false;
    await clock.advance(7_000);
    first.reachable = true;
    await clock.advance(30_000);
    expect([first.terms, first.leading]).toEqual([1, true]);
  });
});
