import { describe, expect, test } from '@jest/globals';
import { regexError } from './regex.ts';

describe('regexError', () => {
  const good = ['/a.*', '[[:alpha:]]+', '(?P<n>x)', '(?i)x', '\\pN', 'a{1000}', '\\x{FF}', '\\\\x{100}', '\\Q\\x{100}\\E', 'é', '[α-ω]'];
  test.each(good)('%s is taken', (pattern) => {
    expect(regexError(pattern)).toBeUndefined();
  });

  test.each(['a(?=b)', '(?<!a)b', '\\1', 'a{1001}', '[a-', '(', ')', 'a**', '\\C'])('%s is refused, the second time too', (pattern) => {
    expect(regexError(pattern)).toMatch(/error parsing regexp/);
    expect(regexError(pattern)).toMatch(/error parsing regexp/);
  });

  test('nothing at all is refused', () => {
    expect(regexError('')).toBe('it is empty');
  });

  test.each(['\\x{100}', '[\\x{0041}-\\x{17F}]', '\\Qa\\E\\x{10FFFF}'])('%s is refused: Envoy matches bytes', (pattern) => {
    expect(regexError(pattern)).toContain('is above \\x{FF}');
  });

  const many = Array.from({ length: 5000 }, (_, i) => `/some/path/${i}`).join('|');
  test.each(['a{1000}', `(${many})`, '([a-z0-9]{1,63}\\.){1,15}', '(\\pL{10}){100}', '[{9999}]+', '\\Q{9999}{9999}\\E'])(
    'the size of %.30s is no fault',
    (pattern) => {
      expect(regexError(pattern)).toBeUndefined();
    },
  );

  test.each(['\\pL{1000}'.repeat(80), '(a|bb){500}'.repeat(330), '((a|b){30}c{30}){33}'.repeat(100), '.{1000}'.repeat(100_000)])(
    '%.30s… is refused as too large',
    (pattern) => {
      expect(regexError(pattern)).toContain('too large');
    },
  );
});
