import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../pkg/controller-runtime/clock/clock.ts';
import type { TestEnvironment } from '../../pkg/controller-runtime/envtest/environment.ts';
import { LeaderElector } from '../../pkg/controller-runtime/leaderelection/leader-elector.ts';
import { type Lease, LeaseLock } from '../../pkg/controller-runtime/leaderelection/lease.ts';
import { Manager } from '../../pkg/controller-runtime/manager/manager.ts';
import { silentLogger } from '../../pkg/util/logger.ts';
import { startApiServer } from '../lib/api-server.ts';
import { eventually } from '../lib/eventually.ts';
import { type FaultProxy, startFaultProxy } from '../lib/fault-proxy.ts';
import { plainClient } from '../lib/kubernetes.ts';

let environment: TestEnvironment;
let count = 0;
let name: string;

beforeAll(async () => {
  environment = await startApiServer();
}, 150_000);

afterAll(() => environment.stop());

beforeEach(() => {
  name = `lease-${count++}`;
});

interface Replica extends AsyncDisposable {
  readonly proxy: FaultProxy;
  readonly leading: () => boolean;
  readonly serving: () => boolean;
}

/** A process of its own as far as the Lease goes: a manager with something that serves and something that writes. */
async function replica(identity: string): Promise<Replica> {
  const proxy = await startFaultProxy(environment);
  const lock = new LeaseLock(plainClient(proxy.url), 'default', name);
  const elector = new LeaderElector({
    lock,
    identity,
    leaseDurationMs: 2_000,
    renewDeadlineMs: 1_000,
    retryPeriodMs: 100,
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
  });
  const manager = new Manager({ log: silentLogger, clock: systemClock, elector });
  const running = { leader: 0, other: 0 };
  for (const group of ['leader', 'other'] as const) {
    const run = async (signal: AbortSignal): Promise<void> => {
      running[group]++;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      running[group]--;
    };
    manager.add(group, { name: group, run });
  }
  const stop = new AbortController();
  const run = manager.run(stop.signal);
  return {
    proxy,
    leading: () => running.leader === 1,
    serving: () => running.other === 1,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await run;
      await proxy[Symbol.asyncDispose]();
    },
  };
}

const lease = () =>
  environment.request({ method: 'GET', path: `/apis/coordination.k8s.io/v1/namespaces/default/leases/${name}` }) as Promise<Lease>;

describe('two replicas', () => {
  test('a leader that stops hands over at once', async () => {
    const first = await replica('first');
    await eventually('the first leader', first.leading);
    await using second = await replica('second');
    await eventually('the follower', second.serving);
    expect(second.leading()).toBe(false);
    await first[Symbol.asyncDispose]();
    expect((await lease()).spec?.holderIdentity).not.toBe('first');
    await eventually('the next leader', second.leading);
    expect((await lease()).spec).toMatchObject({ holderIdentity: 'second', leaseTransitions: 1 });
  }, 30_000);

  test('a leader that is cut off writes no more before the next one begins, and goes on serving', async () => {
    await using first = await replica('first');
    await eventually('the first leader', first.leading);
    await using second = await replica('second');
    const both: boolean[] = [];
    const watch = setInterval(() => both.push(first.leading() && second.leading()), 5);
    first.proxy.rule = () => ({ type: 'cut' });
    await eventually('the next leader', second.leading, 10_000);
    clearInterval(watch);
    expect(both).not.toContain(true);
    expect([first.leading(), first.serving()]).toEqual([false, true]);
    first.proxy.rule = undefined;
    expect((await lease()).spec?.holderIdentity).toBe('second');
  }, 30_000);

  test('who may not write Leases does not lead', async () => {
    await using only = await replica('only');
    only.proxy.rule = ({ method }) => (method === 'POST' ? { type: 'answer', status: 403, body: { reason: 'Forbidden' } } : undefined);
    await eventually('tries', () => only.proxy.requests.length > 3);
    expect([only.leading(), only.serving()]).toEqual([false, true]);
  });
});
