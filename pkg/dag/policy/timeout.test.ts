import { describe, expect, test } from '@jest/globals';
import { parseTimeout } from './timeout.ts';

describe('parseTimeout', () => {
  test.each([
    { name: 'empty is the default', text: '', want: undefined },
    { name: 'zero is the default', text: '0s', want: undefined },
    { name: 'a bare zero is the default', text: '0', want: undefined },
    { name: 'infinity disables', text: 'infinity', want: 'disabled' },
    { name: 'infinite disables', text: 'infinite', want: 'disabled' },
    { name: 'units add up', text: '1m30s', want: 90_000 },
    { name: 'a fraction of a second', text: '1m0.5s', want: 60_500 },
    { name: 'a fraction of a millisecond is kept', text: '500us', want: 0.5 },
  ] as const)('$name', ({ text, want }) => expect(parseTimeout(text)).toBe(want));

  test.each(['90', '-1s', 'monday', '1m 30s', '10 parsecs', '99999999999h', 'Infinity'])('%j is refused', (text) => {
    expect(() => parseTimeout(text)).toThrow(`unable to parse timeout string "${text}"`);
  });
});
