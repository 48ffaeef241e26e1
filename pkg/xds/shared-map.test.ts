import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SharedBases, SharedMap } from './shared-map.ts';

const filled = (bases: SharedBases<number>, size: number, change = 0): SharedMap<number> => {
  const map = new SharedMap(bases);
  map.change(Array.from({ length: size }, (_, i) => [`n${i}`, i < change ? -1 : i]));
  return map;
};

describe('SharedMap', () => {
  test('is a map, whatever is done to it and to others of its kind', () => {
    const step = fc.record({ map: fc.nat(2), name: fc.nat(150), value: fc.option(fc.nat(2), { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 1_500, size: 'max' }), (steps) => {
        const bases = new SharedBases<number>();
        const pairs = [0, 1, 2].map(() => ({ shared: new SharedMap(bases), plain: new Map<string, number>() }));
        for (const { map, name, value } of steps) {
          const { shared, plain } = pairs[map]!;
          const key = `n${name}`;
          if (value === undefined) expect(shared.delete(key)).toBe(plain.delete(key));
          else {
            shared.change([[key, value]]);
            plain.set(key, value);
          }
          expect([shared.size, shared.get(key), shared.has(key)]).toEqual([plain.size, plain.get(key), plain.has(key)]);
        }
        for (const { shared, plain } of pairs) expect([...shared].sort()).toEqual([...plain].sort());
      }),
      { numRuns: 60 },
    );
  });

  test('those that are alike keep few entries each', () => {
    const bases = new SharedBases<number>();
    const maps = Array.from({ length: 10 }, (_, i) => filled(bases, 1_000, i));
    for (const map of maps) expect(map.differences).toBeLessThan(100);
    expect([...bases].length).toBeLessThanOrEqual(4);
    expect(maps.map((map) => map.get('n5'))).toEqual([5, 5, 5, 5, 5, 5, -1, -1, -1, -1]);
  });

  test('those that get the same at once have the same base, and nothing of their own', () => {
    const bases = new SharedBases<number>();
    const maps = Array.from({ length: 10 }, () => filled(bases, 1_000));
    expect([...bases].length).toBe(1);
    expect(maps.map((map) => map.differences)).toEqual(maps.map(() => 0));
  });

  test('stay alike when all of them change one by one', () => {
    const bases = new SharedBases<number>();
    const maps = Array.from({ length: 10 }, () => filled(bases, 1_000));
    for (let i = 0; i < 1_000; i += 1) for (const map of maps) map.change([[`n${i}`, -i - 1]]);
    for (const map of maps) expect(map.differences).toBeLessThan(100);
    const kept = maps.map((map) => [...map].every(([name, value]) => value === -Number(name.slice(1)) - 1));
    expect(kept).toEqual(maps.map(() => true));
  });
});
