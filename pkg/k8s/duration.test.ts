import { describe, expect, test } from '@jest/globals';
import { parseGoDuration } from './duration.ts';

describe('parseGoDuration', () => {
  test.each([
    ['0', 0],
    ['-0', 0],
    ['1h', 3_600_000],
    ['1h2m3.5s', 3_723_500],
    ['250ms', 250],
    ['1us', 0.001],
    ['1µs', 0.001],
    ['1μs', 0.001],
    ['7ns', 0.000007],
    ['.5s', 500],
    ['1.s', 1000],
    ['-2s', -2000],
    ['+2s', 2000],
    ['0.1s0.2s', 300],
    ['2562047h', 2562047 * 3_600_000],
  ])('%s is %d ms', (text, want) => expect(parseGoDuration(text)).toBe(want));

  test.each([
    ['', 'time: invalid duration ""'],
    ['-', 'time: invalid duration "-"'],
    ['s', 'time: invalid duration "s"'],
    ['.s', 'time: invalid duration ".s"'],
    ['1s ', 'time: unknown unit "s " in duration "1s "'],
    ['90', 'time: missing unit in duration "90"'],
    ['1s5', 'time: missing unit in duration "1s5"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['1toString', 'time: unknown unit "toString" in duration "1toString"'],
    ['2562048h', 'time: invalid duration "2562048h"'],
  ])('%j is refused', (text, want) => expect(() => parseGoDuration(text)).toThrow(new RangeError(want)));
});
