import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { sha1, sha256 } from './sha.ts';

const texts = ['', 'abc', 'a'.repeat(55), 'a'.repeat(56), 'b'.repeat(63), 'c'.repeat(64), 'd'.repeat(1000), 'ü€😀'];

describe('sha', () => {
  test.each(texts)('sha1 and sha256 of %j are as the platform says', (text) => {
    expect(sha1(text)).toBe(createHash('sha1').update(text).digest('hex'));
    expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
  });
});
