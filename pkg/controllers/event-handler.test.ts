import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Subject } from 'rxjs';
import { FakeClock } from '../controller-runtime/clock/fake-clock.ts';
import type { Change } from '../kubernetes-cache/changes.ts';
import { silentLogger } from '../util/logger.ts';
import { EventHandler, type HoldOff } from './event-handler.ts';

const change = (name: string): Change => ({ op: 'add', touched: [`Service/demo/${name}`] });
/** Lets the handler run until it waits again. */
const settle = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
};

let changes: Subject<Change>;
let clock: FakeClock;
let built: string[];
let stop: AbortController;
let running: Promise<void>;
let allFail: boolean;

async function start(holdOff: HoldOff, synced: Promise<void> = Promise.resolve()): Promise<EventHandler<string>> {
  const handler = new EventHandler<string>({
    changes,
    buildAll: () => {
      if (allFail) throw new Error('a bug in everything');
      return 'all';
    },
    build: (batch) => {
      const names = batch.flatMap(({ touched }) => touched.map((key) => key.split('/')[2]));
      if (names.includes('bug')) throw new Error('a bug');
      return names.join();
    },
    observers: [
      () => {
        throw new Error('an observer with a bug');
      },
      (result) => built.push(result),
    ],
    synced,
    holdOff,
    clock,
    log: silentLogger,
  });
  running = handler.run(stop.signal);
  await settle();
  return handler;
}

beforeEach(() => {
  [changes, clock, built, stop, allFail] = [new Subject(), new FakeClock(), [], new AbortController(), false];
});

afterEach(async () => {
  stop.abort();
  await running;
});

describe('without a hold-off', () => {
  test('nothing is built before everything is synced; then all is, once', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handler = await start({ delayMs: 0, maxDelayMs: 0 }, promise);
    changes.next(change('early'));
    await settle();
    expect(built).toEqual([]);
    resolve();
    await handler.ready;
    expect(built).toEqual(['all']);
  });

  test('a lone change goes at once, and changes of one turn are one batch', async () => {
    await start({ delayMs: 0, maxDelayMs: 0 });
    changes.next(change('a'));
    await settle();
    changes.next(change('b'));
    changes.next(change('c'));
    await settle();
    expect(built).toEqual(['all', 'a', 'b,c']);
    expect(clock.monotonicMs()).toBe(0);
  });

  test('where a build throws, everything is built: its batch is not lost', async () => {
    await start({ delayMs: 0, maxDelayMs: 0 });
    changes.next(change('bug'));
    await settle();
    expect(built).toEqual(['all', 'all']);
    changes.next(change('a'));
    await settle();
    expect(built).toEqual(['all', 'all', 'a']);
  });

  test('where that throws as well, it is tried again with the next batch', async () => {
    await start({ delayMs: 0, maxDelayMs: 0 });
    allFail = true;
    changes.next(change('bug'));
    await settle();
    expect(built).toEqual(['all']);
    allFail = false;
    changes.next(change('a'));
    await settle();
    changes.next(change('b'));
    await settle();
    expect(built).toEqual(['all', 'all', 'b']);
  });
});

describe('with a hold-off', () => {
  const advance = async (ms: number): Promise<void> => {
    await clock.advance(ms);
    await settle();
  };

  test('a batch goes when no change came for the delay', async () => {
    await start({ delayMs: 100, maxDelayMs: 500 });
    changes.next(change('a'));
    await advance(99);
    changes.next(change('b'));
    await advance(99);
    expect(built).toEqual(['all']);
    await advance(1);
    expect(built).toEqual(['all', 'a,b']);
  });

  test('a steady stream cannot hold a build off for longer than the maximum', async () => {
    await start({ delayMs: 100, maxDelayMs: 250 });
    for (const name of ['a', 'b', 'c', 'd']) {
      changes.next(change(name));
      await advance(80);
    }
    expect(built[1]).toBe('a,b,c,d');
  });
});
