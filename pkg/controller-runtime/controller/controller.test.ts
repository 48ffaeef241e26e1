import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { silentLogger } from '../../util/logger.ts';
import type { ObjectName } from '../client/object.ts';
import { FakeClock, settle } from '../clock/fake-clock.ts';
import { type MetricsProvider, noMetrics } from '../metrics/metrics.ts';
import { done, type Reconciler, TerminalError } from '../reconcile/reconcile.ts';
import type { Source } from '../source/source.ts';
import { Controller } from './controller.ts';

let clock: FakeClock;
let stop: AbortController;
let run: Promise<void>;
let enqueue: (name: ObjectName) => void;
let becomeSynced: () => void;
let results: unknown[];

/** Keeps what is counted by result. */
const metrics: MetricsProvider = {
  ...noMetrics,
  counter: (options) => ({
    inc: (labels, by = 1) => by > 0 && options.name === 'controller_runtime_reconcile_total' && results.push(labels),
  }),
};

beforeEach(() => {
  [clock, stop, results] = [new FakeClock(), new AbortController(), []];
});

afterEach(async () => {
  stop.abort();
  await run;
});

async function start(reconciler: Reconciler, maxConcurrent = 1): Promise<void> {
  const source: Source = {
    synced: new Promise((resolve) => {
      becomeSynced = resolve;
    }),
    start: (give) => {
      enqueue = give;
      return () => undefined;
    },
  };
  run = new Controller({ name: 'test', sources: [source], reconciler, maxConcurrent, clock, log: silentLogger, metrics }).run(stop.signal);
  becomeSynced();
  await settle();
}

const name = (text: string): ObjectName => ({ namespace: 'ns', name: text });

describe('a controller', () => {
  test('calls the reconciler with the name of each object, and with one that comes again once', async () => {
    const called: ObjectName[] = [];
    await start(async (object) => {
      called.push(object);
      return done;
    });
    for (const each of ['a', 'b', 'b']) enqueue(name(each));
    await settle();
    expect(called).toEqual([name('a'), name('b')]);
  });

  test('tries again what failed, later each time, and does not hold up the others', async () => {
    const called: string[] = [];
    await start(async (object) => {
      called.push(`${object.name} ${clock.monotonicMs()}`);
      if (object.name === 'bad') throw new Error('not yet');
      return done;
    });
    enqueue(name('bad'));
    enqueue(name('good'));
    await clock.advance(20);
    expect(called).toEqual(['bad 0', 'good 0', 'bad 5', 'bad 15']);
  });

  test('does not try again what cannot be mended', async () => {
    let calls = 0;
    await start(async () => {
      calls++;
      throw new TerminalError('never');
    });
    enqueue(name('a'));
    await clock.advance(60_000);
    expect(calls).toBe(1);
  });

  test('comes back when it was asked to', async () => {
    const called: number[] = [];
    await start(async () => {
      called.push(clock.monotonicMs());
      return called.length < 3 ? { requeueAfterMs: 1_000 } : done;
    });
    enqueue(name('a'));
    await clock.advance(10_000);
    expect(called).toEqual([0, 1_000, 2_000]);
  });

  test('works on as many objects at a time as allowed, never twice on one', async () => {
    const active = new Set<string>();
    const seen: string[][] = [];
    await start(async (object) => {
      active.add(object.name);
      seen.push([...active]);
      await clock.sleep(100);
      active.delete(object.name);
      return done;
    }, 2);
    for (const each of ['a', 'b', 'c']) enqueue(name(each));
    await settle();
    enqueue(name('a'));
    await clock.advance(1_000);
    expect(seen).toEqual([['a'], ['a', 'b'], expect.any(Array), expect.any(Array)]);
    expect(seen.every((names) => names.length <= 2)).toBe(true);
  });

  test('a bug in the work on one object is its own', async () => {
    const called: string[] = [];
    await start((object) => {
      called.push(object.name);
      if (object.name === 'bad') return (undefined as unknown as { run: Reconciler }).run(object, stop.signal);
      return Promise.resolve(done);
    });
    for (const each of ['bad', 'good']) enqueue(name(each));
    await clock.advance(5);
    expect(called).toEqual(['bad', 'good', 'bad']);
    expect(results).toEqual([
      { controller: 'test', result: 'error' },
      { controller: 'test', result: 'success' },
      { controller: 'test', result: 'error' },
    ]);
  });
});
