import { beforeEach, describe, expect, test } from '@jest/globals';
import { FakeClock } from '../clock/fake-clock.ts';
import { WorkQueue } from './work-queue.ts';

describe('WorkQueue', () => {
  let clock: FakeClock;
  let queue: WorkQueue<string>;
  const { signal } = new AbortController();
  beforeEach(() => {
    clock = new FakeClock();
    queue = new WorkQueue({ clock, maxDelayMs: 40 });
  });

  test('a key that waits is not added twice, and order is kept', async () => {
    for (const key of ['a', 'b', 'a']) queue.add(key);
    expect([await queue.take(signal), await queue.take(signal), queue.length]).toEqual(['a', 'b', 0]);
  });

  test('a key that is added while it is worked on comes again when that is done', async () => {
    queue.add('a');
    await queue.take(signal);
    queue.add('a');
    queue.add('a');
    expect(queue.length).toBe(0);
    queue.done('a');
    expect(queue.length).toBe(1);
  });

  test('each of several waiting workers gets a key', async () => {
    const workers = Promise.all([queue.take(signal), queue.take(signal)]);
    queue.add('a');
    queue.add('b');
    expect((await workers).toSorted()).toEqual(['a', 'b']);
  });

  test('failures of a key delay it twice as long each time, up to the limit, until it goes well', () => {
    const delays = Array.from({ length: 5 }, () => queue.addRateLimited('a'));
    queue.forget('a');
    expect([...delays, queue.addRateLimited('a'), queue.addRateLimited('b')]).toEqual([5, 10, 20, 40, 40, 5, 5]);
  });

  test('a delayed key comes when its time has come', async () => {
    queue.addAfter('a', 1_000);
    await clock.advance(999);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
  });

  test('waiting ends with the signal', async () => {
    const stop = new AbortController();
    const taken = queue.take(stop.signal);
    stop.abort();
    expect(await taken).toBeUndefined();
  });

  test('a key that is to come twice later comes once, at the earlier time', async () => {
    queue.addAfter('a', 100);
    queue.addAfter('a', 10_000);
    queue.addAfter('b', 10_000);
    queue.addAfter('b', 50);
    expect(clock.sleeping()).toEqual([50, 100]);
    await clock.advance(100);
    expect([await queue.take(signal), await queue.take(signal)]).toEqual(['b', 'a']);
    expect(clock.sleeping()).toEqual([]);
  });

  test('a key that was dropped with its signal may come later again', async () => {
    const stop = new AbortController();
    queue.addAfter('a', 10, stop.signal);
    stop.abort();
    queue.addAfter('a', 20);
    await clock.advance(20);
    expect(queue.length).toBe(1);
  });

  test('keys that fail all at once come back one after the other', () => {
    const limited = new WorkQueue<number>({ clock, baseDelayMs: 5, limit: { qps: 10, burst: 2 } });
    expect([1, 2, 3, 4].map((key) => limited.addRateLimited(key))).toEqual([5, 5, 100, 200]);
  });

  test('nothing comes after the queue was cleared', async () => {
    queue.add('a');
    queue.addAfter('b', 10);
    queue.clear();
    await clock.advance(20);
    expect(queue.length).toBe(0);
  });
});
