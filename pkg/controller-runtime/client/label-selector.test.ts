import { expect, test } from '@jest/globals';
import { parseLabelSelector } from './label-selector.ts';

const labels = { app: 'web', 'example.com/tier': 'front', empty: '' };

test.each([
  { selector: '', want: true },
  { selector: 'app=web', want: true },
  { selector: 'app == web', want: true },
  { selector: 'app=api', want: false },
  { selector: 'app!=api', want: true },
  { selector: 'app!=web', want: false },
  { selector: 'missing!=web', want: true },
  { selector: 'app in (api, web)', want: true },
  { selector: 'app in (api)', want: false },
  { selector: 'missing in (a)', want: false },
  { selector: 'missing in ()', want: false },
  { selector: 'app notin (api)', want: true },
  { selector: 'app notin (web)', want: false },
  { selector: 'missing notin (web)', want: true },
  { selector: 'example.com/tier', want: true },
  { selector: 'missing', want: false },
  { selector: '!missing', want: true },
  { selector: '!app', want: false },
  { selector: 'toString', want: false },
  { selector: 'empty=', want: true },
  { selector: 'app in (api, web),example.com/tier=front,!missing', want: true },
  { selector: 'app in (api, web),example.com/tier=back', want: false },
])('"$selector" gives $want', ({ selector, want }) => {
  expect(parseLabelSelector(selector)(labels)).toBe(want);
});

test('an object without labels matches what asks for none', () => {
  expect(['', '!a', 'a'].map((selector) => parseLabelSelector(selector)(undefined))).toEqual([true, true, false]);
});

test.each(['a=b=c', 'a in b', ',', 'a,,b', 'a > 1', '(a)'])('"%s" is refused', (selector) => {
  expect(() => parseLabelSelector(selector)).toThrow('is no term of a label selector');
});
