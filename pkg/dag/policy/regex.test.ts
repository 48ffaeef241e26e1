import { describe, expect, test } from '@jest/globals';
import { regexError } from './regex.ts';

describe('regexError', () => {
  test.each(['/a.*', '[[:alpha:]]+', '(?P<n>x)', '(?i)x', '\\pN', 'a{1000}'])('%s is taken', (pattern) => {
    expect(regexError(pattern)).toBeUndefined();
  });

  test.each(['a(?=b)', '(?<!a)b', '\\1', 'a{1001}', '[a-', '(', 'a**', '\\C'])('%s is refused, the second time too', (pattern) => {
    expect(regexError(pattern)).toMatch(/error parsing regexp/);
    expect(regexError(pattern)).toMatch(/error parsing regexp/);
  });
});
