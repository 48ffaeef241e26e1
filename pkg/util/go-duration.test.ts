import { describe, expect, test } from '@jest/globals';
import { parseGoDuration, parseTimeout } from './go-duration.ts';

describe('parseGoDuration', () => {
  const cases: readonly { text: string; ms: number }[] = [
    { text: '0', ms: 0 },
    { text: '-0', ms: -0 },
    { text: '250ms', ms: 250 },
    { text: '1m30s', ms: 90_000 },
    { text: '1h2m3.5s', ms: 3_723_500 },
    { text: '500us', ms: 0.5 },
    { text: '500µs', ms: 0.5 },
    { text: '100ns', ms: 0.0001 },
    { text: '.5s', ms: 500 },
    { text: '1.s', ms: 1_000 },
    { text: '-1.5h', ms: -5_400_000 },
    { text: '+2s', ms: 2_000 },
  ];
  test.each(cases)('$text', ({ text, ms }) => {
    expect(parseGoDuration(text)).toBeCloseTo(ms, 9);
  });

  test.each(['', '90', 's', '1d', '1m 30s', 'soon', '1.2.3s', '--1s', ' 1s', '1s\n', '.s', '9999999h'])('%j is refused', (text) => {
    expect(() => parseGoDuration(text)).toThrow(RangeError);
  });
});

describe('parseTimeout', () => {
  const cases: readonly { name: string; text: string; want: number | 'disabled' | undefined }[] = [
    { name: 'empty is the default', text: '', want: undefined },
    { name: 'zero is the default', text: '0', want: undefined },
    { name: 'zero with a unit is the default', text: '0s', want: undefined },
    { name: 'infinity disables', text: 'infinity', want: 'disabled' },
    { name: 'infinite disables', text: 'infinite', want: 'disabled' },
    { name: 'a duration is in milliseconds', text: '1m', want: 60_000 },
  ];
  test.each(cases)('$name', ({ text, want }) => {
    expect(parseTimeout(text)).toBe(want);
  });

  test.each(['-1s', '90', 'Infinity', 'never'])('%j is refused', (text) => {
    expect(() => parseTimeout(text)).toThrow(RangeError);
  });
});
