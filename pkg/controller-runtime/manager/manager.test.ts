import { describe, expect, test } from '@jest/globals';
import { silentLogger } from '../../util/logger.ts';
import { FakeClock, settle } from '../clock/fake-clock.ts';
import type { LeaderElector } from '../leaderelection/leader-elector.ts';
import { Manager, type Runnable, type RunnableGroup } from './manager.ts';

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

function setUp(clock = new FakeClock(), elector?: LeaderElector) {
  const manager = new Manager({ log: silentLogger, clock, stopTimeoutMs: 1_000, ...(elector !== undefined && { elector }) });
  const told: string[] = [];
  const add = (group: RunnableGroup, name: string, more: Partial<Runnable> = {}) =>
    manager.add(group, {
      name,
      run: async (signal) => {
        told.push(`${name} starts`);
        await untilAborted(signal);
        told.push(`${name} stops`);
      },
      ...more,
    });
  return { manager, told, add, stop: new AbortController(), clock };
}

describe('Manager', () => {
  test('starts in the order of the groups, each when the one before is ready, and stops in reverse', async () => {
    const { manager, told, add, stop } = setUp();
    let synced = (): void => undefined;
    add('leader', 'writer');
    add('other', 'reader');
    add('cache', 'cache', { ready: new Promise((resolve) => (synced = resolve)) });
    add('http', 'probes');
    const run = manager.run(stop.signal);
    await settle();
    expect(told).toEqual(['probes starts', 'cache starts']);
    synced();
    await settle();
    expect(told.slice(2)).toEqual(['reader starts', 'writer starts']);
    stop.abort();
    await run;
    expect(told.slice(4)).toEqual(['writer stops', 'reader stops', 'cache stops', 'probes stops']);
  });

  test('a runnable that fails stops all others, and its error is thrown', async () => {
    const { manager, told, add, stop } = setUp();
    add('other', 'reader');
    add('other', 'broken', { run: () => Promise.reject(new Error('port in use')) });
    await expect(manager.run(stop.signal)).rejects.toThrow('port in use');
    expect(told).toEqual(['reader starts', 'reader stops']);
  });

  test('a runnable that does not stop is named when the time is over', async () => {
    const { manager, add, stop, clock } = setUp();
    add('other', 'stubborn', { run: () => new Promise(() => undefined) });
    const run = manager.run(stop.signal);
    const failed = expect(run).rejects.toThrow('group other did not stop within 1000 ms');
    await settle();
    stop.abort();
    await clock.advance(1_000);
    await failed;
  });

  test('stops while a cache still syncs', async () => {
    const { manager, told, add, stop } = setUp();
    add('cache', 'cache', { ready: new Promise(() => undefined) });
    add('other', 'reader');
    const run = manager.run(stop.signal);
    await settle();
    stop.abort();
    await run;
    expect(told).toEqual(['cache starts', 'cache stops']);
  });

  test('what is added while it runs starts at once in a group that runs, and with its group in one that does not', async () => {
    const { manager, told, add, stop } = setUp();
    let synced = (): void => undefined;
    add('cache', 'cache', { ready: new Promise((resolve) => (synced = resolve)) });
    const run = manager.run(stop.signal);
    await settle();
    add('http', 'late probes');
    add('other', 'late reader');
    expect(told).toEqual(['cache starts', 'late probes starts']);
    synced();
    await settle();
    expect(told.slice(2)).toEqual(['late reader starts']);
    stop.abort();
    await run;
    add('http', 'too late');
    expect(told.slice(3)).toEqual(['late reader stops', 'cache stops', 'late probes stops']);
  });

  test('what is added late and fails stops all others', async () => {
    const { manager, told, add, stop } = setUp();
    add('other', 'reader');
    const run = manager.run(stop.signal);
    await settle();
    add('other', 'broken', { run: () => Promise.reject(new Error('port in use')) });
    await expect(run).rejects.toThrow('port in use');
    expect(told).toEqual(['reader starts', 'reader stops']);
  });
});

describe('Manager with an elector', () => {
  test('what is added to the leader runs in this term and in those that follow', async () => {
    let lead: (signal: AbortSignal) => Promise<void> = () => Promise.resolve();
    const elector = {
      leading: true,
      run: async (signal: AbortSignal, work: typeof lead) => {
        lead = work;
        await untilAborted(signal);
      },
    };
    const { told, add, stop, manager } = setUp(new FakeClock(), elector as unknown as LeaderElector);
    const term = (): { end: () => Promise<void> } => {
      const abort = new AbortController();
      const work = lead(abort.signal);
      return {
        end: async () => {
          abort.abort();
          await work;
        },
      };
    };
    const run = manager.run(stop.signal);
    await settle();
    const first = term();
    add('leader', 'late writer');
    expect(told).toEqual(['late writer starts']);
    await first.end();
    add('leader', 'later writer');
    expect(told.slice(1)).toEqual(['late writer stops']);
    const second = term();
    expect(told.slice(2)).toEqual(['late writer starts', 'later writer starts']);
    await second.end();
    stop.abort();
    await run;
  });
});
