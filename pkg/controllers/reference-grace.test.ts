import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ObjectKey } from '../apis/meta.ts';
import { FakeClock, settle } from '../controller-runtime/clock/fake-clock.ts';
import { emptyContribution } from '../dag/contribution.ts';
import type { Hold } from '../dag/reference-grace.ts';
import { ReferenceGrace } from './reference-grace.ts';

const holdOf = (root: ObjectKey): Hold => ({
  root,
  shown: emptyContribution,
  reads: { keys: new Set(), missed: new Set() },
  awaited: new Set(),
});

let clock: FakeClock;
let holds: Map<ObjectKey, Hold>;
let over: (readonly ObjectKey[])[];
let grace: ReferenceGrace;

/** A build after which roots wait that did not before. */
function hold(...roots: readonly ObjectKey[]): void {
  const held = roots.map(holdOf);
  for (const one of held) holds.set(one.root, one);
  grace.observe({ held });
}

beforeEach(() => {
  clock = new FakeClock();
  [holds, over] = [new Map(), []];
  grace = new ReferenceGrace({
    cache: {
      graceOver: (roots) => {
        over.push(roots);
        for (const root of roots) holds.delete(root);
      },
    },
    holds: () => holds,
    graceMs: 250,
    clock,
  });
});

describe('the reference grace', () => {
  test('ends each wait when it took so long, those of one build together', async () => {
    const stop = new AbortController();
    const run = grace.run(stop.signal);
    hold('HTTPProxy/demo/a', 'HTTPProxy/demo/b');
    await clock.advance(100);
    hold('HTTPProxy/demo/c');
    await clock.advance(149);
    expect(over).toEqual([]);
    await clock.advance(1);
    expect(over).toEqual([['HTTPProxy/demo/a', 'HTTPProxy/demo/b']]);
    await clock.advance(100);
    expect(over.slice(1)).toEqual([['HTTPProxy/demo/c']]);
    stop.abort();
    await run;
  });

  test('leaves a wait alone that began after the one that it had seen', async () => {
    const stop = new AbortController();
    const run = grace.run(stop.signal);
    hold('HTTPProxy/demo/a');
    await clock.advance(200);
    holds.delete('HTTPProxy/demo/a');
    hold('HTTPProxy/demo/a');
    await clock.advance(200);
    expect(over).toEqual([]);
    await clock.advance(50);
    expect(over).toEqual([['HTTPProxy/demo/a']]);
    stop.abort();
    await run;
  });

  test('stops while nothing waits', async () => {
    const stop = new AbortController();
    const run = grace.run(stop.signal);
    await settle();
    stop.abort();
    await run;
  });
});
