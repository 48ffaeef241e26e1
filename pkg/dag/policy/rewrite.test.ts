import { expect, test } from '@jest/globals';
import { type PrefixReplacement, prefixReplacement } from './rewrite.ts';
import { routeMatch } from './route-order.ts';

const prefix = routeMatch({ type: 'prefix', prefix: '/a/b', by: 'string' });
const exact = routeMatch({ type: 'exact', path: '/a/b' });
const any = { replacement: '/any' };

test.each([
  { name: 'nothing asked for', entries: [], match: exact, want: undefined },
  { name: 'the entry of the prefix', entries: [any, { prefix: '/a/b', replacement: '/x' }], match: prefix, want: '/x' },
  { name: 'the entry without a prefix', entries: [{ prefix: '/a', replacement: '/x' }, any], match: prefix, want: '/any' },
  { name: 'no entry that fits', entries: [{ prefix: '/a', replacement: '/x' }], match: prefix, want: undefined },
])('$name', ({ entries, match, want }) => expect(prefixReplacement(entries, match)).toEqual({ ok: true, value: want }));

const refusals: readonly { entries: readonly PrefixReplacement[]; match: typeof prefix; want: string }[] = [
  { entries: [any], match: exact, want: 'MustHavePrefix' },
  { entries: [any, any], match: prefix, want: 'AmbiguousReplacement' },
  {
    entries: [
      { prefix: '/z', replacement: '/x' },
      { prefix: '/z', replacement: '/y' },
    ],
    match: prefix,
    want: 'DuplicateReplacement',
  },
  { entries: [{ replacement: '/a\u0000' }], match: prefix, want: 'InvalidReplacement' },
  { entries: [{ replacement: '/a\r\nb' }], match: prefix, want: 'InvalidReplacement' },
];
test.each(refusals)('$want', ({ entries, match, want }) => {
  expect(prefixReplacement(entries, match)).toMatchObject({ ok: false, problem: { type: 'PrefixReplaceError', reason: want } });
});
