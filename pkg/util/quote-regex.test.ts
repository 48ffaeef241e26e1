import { expect, test } from '@jest/globals';
import { RE2JS } from 're2js';
import { quoteRegex } from './quote-regex.ts';

const texts = ['a.b', '(a|b)', 'x+', '[a]', '^a$', '\\', '{1}', '/a.b*(c)[d]{1}^$|\\+?', 'plain/path', ''];
test.each(texts)('%j is matched, and nothing else', (text) => {
  for (const matches of [
    (subject: string) => new RegExp(`^${quoteRegex(text)}$`).test(subject),
    (subject: string) => RE2JS.matches(quoteRegex(text), subject),
  ]) {
    expect(matches(text)).toBe(true);
    expect(matches(`${text}x`)).toBe(false);
  }
});
