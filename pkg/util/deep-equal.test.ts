import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { deepEqual, shareUnchanged } from './deep-equal.ts';

const json = fc.object({ maxDepth: 3, withBigInt: false, withDate: false, withNullPrototype: false });
const copy = <T>(value: T): T => structuredClone(value);

describe('deepEqual', () => {
  const equal: readonly [string, unknown, unknown][] = [
    ['an undefined field and an absent one', { a: 1, b: undefined }, { a: 1 }],
    ['bytes', new Uint8Array([1, 2]), new Uint8Array([1, 2])],
    ['nested arrays', [{ a: [1] }], [{ a: [1] }]],
  ];
  test.each(equal)('%s are equal', (_, a, b) => {
    expect(deepEqual(a, b)).toBe(true);
    expect(deepEqual(b, a)).toBe(true);
  });

  const unequal: readonly [string, unknown, unknown][] = [
    ['an array and an object', [], {}],
    ['null and an object', null, {}],
    ['a longer array', [1], [1, 2]],
    ['a further field', { a: 1 }, { a: 1, b: 2 }],
    ['a field named as an inherited one', {}, { constructor: Object }],
    ['other bytes', new Uint8Array([1]), new Uint8Array([2])],
  ];
  test.each(unequal)('%s differ', (_, a, b) => {
    expect(deepEqual(a, b)).toBe(false);
    expect(deepEqual(b, a)).toBe(false);
  });

  test('a copy is equal', () => {
    fc.assert(fc.property(json, (value) => deepEqual(value, copy(value))));
  });
});

describe('shareUnchanged', () => {
  test('gives the previous value where all is equal', () => {
    fc.assert(fc.property(json, (value) => shareUnchanged(value, copy(value)) === value));
  });

  test('gives a value that equals the next one', () => {
    fc.assert(fc.property(json, json, (previous, next) => deepEqual(shareUnchanged<object>(previous, next), next)));
  });

  test('keeps a field named __proto__', () => {
    const next = JSON.parse('{"__proto__": {"a": 1}, "b": 2}') as object;
    expect(Object.keys(shareUnchanged<object>({}, next))).toEqual(['__proto__', 'b']);
  });

  test('keeps the identity of the parts that did not change', () => {
    const previous = { routes: [{ a: 1 }, { b: 2 }], name: 'x' };
    const shared = shareUnchanged(previous, { routes: [{ a: 1 }, { b: 3 }], name: 'x' });
    expect(shared.routes[0]).toBe(previous.routes[0]);
    expect(shared.routes[1]).toEqual({ b: 3 });
  });
});
