import { expect, test } from '@jest/globals';
import { fnv1a } from './fnv1a.ts';

test.each([
  { text: '', want: 0x811c9dc5 },
  { text: 'a', want: 0xe40c292c },
  { text: 'foobar', want: 0xbf9cf968 },
])('fnv1a gives the published value of $text', ({ text, want }) => {
  expect(fnv1a(text)).toBe(want);
});
