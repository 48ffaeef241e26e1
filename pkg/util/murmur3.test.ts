import { describe, expect, test } from '@jest/globals';
import { murmur3 } from './murmur3.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('murmur3', () => {
  test.each([
    { text: '', want: '00000000000000000000000000000000' },
    { text: 'The quick brown fox jumps over the lazy dog', want: '2f1583c3ecee2c675d7bf66ce5e91d2c' },
  ])('gives the published value of $text', ({ text, want }) => {
    expect(murmur3(bytes(text))).toBe(want);
  });

  test('a zero at the end counts', () => {
    expect(murmur3(new Uint8Array([1, 0]))).not.toBe(murmur3(new Uint8Array([1])));
  });
});
