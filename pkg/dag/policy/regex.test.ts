import { describe, expect, test } from '@jest/globals';
import { quoteRegex, regexError } from './regex.ts';

describe('regexError', () => {
  test.each(['/a.*', '[[:alpha:]]+', '(?P<n>x)', '(?i)x', '\\pN', 'a{1000}'])('%s is taken', (pattern) => {
    expect(regexError(pattern)).toBeUndefined();
  });

  test.each(['a(?=b)', '(?<!a)b', '\\1', 'a{1001}', '[a-', '(', 'a**', '\\C'])('%s is refused, the second time too', (pattern) => {
    expect(regexError(pattern)).toMatch(/error parsing regexp/);
    expect(regexError(pattern)).toMatch(/error parsing regexp/);
  });
});

test.each(['a.b', '(a|b)', 'x+', '[a]', '^a$', '\\', '{1}', 'plain/path'])('quoteRegex of %s matches it and nothing else', (text) => {
  const quoted = new RegExp(`^${quoteRegex(text)}$`);
  expect(quoted.test(text)).toBe(true);
  expect(quoted.test(`${text}x`)).toBe(false);
  expect(regexError(quoteRegex(text))).toBeUndefined();
});
