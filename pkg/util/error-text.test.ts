import { expect, test } from '@jest/globals';
import { errorMessage, errorText } from './error-text.ts';

const cases: readonly { readonly name: string; readonly error: unknown; readonly want: string | RegExp }[] = [
  { name: 'a message', error: new Error('a'), want: 'a' },
  { name: 'its causes', error: new Error('a', { cause: new Error('b', { cause: 'c' }) }), want: 'a: b: c' },
  { name: 'no cause twice', error: new Error('a: b', { cause: new Error('b') }), want: 'a: b' },
  { name: 'what is no error', error: 'text', want: 'text' },
];
test.each(cases)('$name', ({ error, want }) => {
  expect(errorText(error)).toBe(want);
});

test('a bug shows where', () => {
  expect(errorText(new TypeError('x is not a function'))).toContain('error-text.test.ts');
});

test('errorMessage leaves causes and stacks out', () => {
  expect(errorMessage(new TypeError('a', { cause: new Error('b') }))).toBe('a');
  expect(errorMessage('text')).toBe('text');
});
