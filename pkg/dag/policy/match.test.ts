import { describe, expect, test } from '@jest/globals';
import type { MatchCondition } from '../../apis/projectcontour/v1/httpproxy.ts';
import { headerMatch, mergeConditions, queryParameterMatch } from './match.ts';
import { headerConditionsError, includePathConditionsError, pathConditionsError, queryConditionsError } from './match-rules.ts';

describe('mergeConditions: paths', () => {
  const prefix = (text: string) => ({ type: 'prefix', prefix: text, by: 'string' });
  const cases: readonly { name: string; conditions: readonly MatchCondition[]; want: object }[] = [
    { name: 'nothing is the root', conditions: [], want: prefix('/') },
    { name: 'only a header is the root', conditions: [{ header: { name: 'x', present: true } }], want: prefix('/') },
    { name: 'prefixes are joined', conditions: [{ prefix: '/a' }, { prefix: '/b' }], want: prefix('/a/b') },
    { name: 'slashes are collapsed', conditions: [{ prefix: '/a//' }, { prefix: '//b/' }], want: prefix('/a/b/') },
    { name: 'the root includes the root', conditions: [{ prefix: '/' }, { prefix: '/' }], want: prefix('/') },
    { name: 'exact behind a prefix', conditions: [{ prefix: '/a/' }, { exact: '/b' }], want: { type: 'exact', path: '/a/b' } },
    {
      name: 'exact stays exact with a header behind it',
      conditions: [{ exact: '/b' }, { header: { name: 'x', present: true } }],
      want: { type: 'exact', path: '/b' },
    },
    { name: 'regex', conditions: [{ regex: '/v[0-9]+' }], want: { type: 'regex', regex: '/v[0-9]+' } },
    {
      name: 'regex behind a prefix',
      conditions: [{ prefix: '/base/' }, { regex: '/r[0-9]' }],
      want: { type: 'regex', regex: '/base/r[0-9]' },
    },
    {
      name: 'a prefix before a regex is literal',
      conditions: [{ prefix: '/v1.0' }, { regex: '/x' }],
      want: { type: 'regex', regex: '/v1\\.0/x' },
    },
    {
      name: 'alternatives do not escape the prefix',
      conditions: [{ prefix: '/team' }, { regex: '/a|/b' }],
      want: { type: 'regex', regex: '/team(?:/a|/b)' },
    },
    {
      name: 'alternatives without a prefix stay as they are',
      conditions: [{ prefix: '/' }, { regex: '/a|/b' }],
      want: { type: 'regex', regex: '/a|/b' },
    },
  ];
  test.each(cases)('$name', ({ conditions, want }) => expect(mergeConditions(conditions).path).toEqual(want));

  test('headers and parameters of all levels are gathered, in canonical order', () => {
    const merged = mergeConditions([
      { header: { name: 'X-B', exact: '1' } },
      { prefix: '/a' },
      { header: { name: 'x-a', present: true } },
      { queryParameter: { name: 'q', prefix: 'v' } },
    ]);
    expect(merged.headers.map(({ name }) => name)).toEqual(['x-a', 'x-b']);
    expect(merged.queryParameters).toEqual([{ name: 'q', type: 'prefix', value: 'v', ignoreCase: false }]);
  });
});

describe('headerMatch', () => {
  const plain = { name: 'x', value: '', invert: false, ignoreCase: false, treatMissingAsEmpty: false };
  const value = (operator: object) => ({ name: 'X', ignoreCase: true, treatMissingAsEmpty: true, ...operator });
  test.each([
    { operator: { present: true }, want: { ...plain, type: 'present' } },
    { operator: { notpresent: true }, want: { ...plain, type: 'present', invert: true } },
    { operator: { contains: 'v' }, want: { ...plain, type: 'contains', value: 'v', ignoreCase: true } },
    {
      operator: { notcontains: 'v' },
      want: { ...plain, type: 'contains', value: 'v', invert: true, ignoreCase: true, treatMissingAsEmpty: true },
    },
    { operator: { exact: 'v' }, want: { ...plain, type: 'exact', value: 'v', ignoreCase: true } },
    {
      operator: { notexact: 'v' },
      want: { ...plain, type: 'exact', value: 'v', invert: true, ignoreCase: true, treatMissingAsEmpty: true },
    },
    { operator: { regex: 'v' }, want: { ...plain, type: 'regex', value: 'v' } },
    { operator: { regex: 'v', exact: 'w' }, want: { ...plain, type: 'exact', value: 'w', ignoreCase: true } },
    { operator: { present: false, exact: '' }, want: undefined },
  ])('$operator', ({ operator, want }) => expect(headerMatch(value(operator))).toEqual(want));
});

describe('queryParameterMatch', () => {
  test.each([
    { operator: { exact: 'v' }, want: { type: 'exact', value: 'v', ignoreCase: true } },
    { operator: { suffix: 'v' }, want: { type: 'suffix', value: 'v', ignoreCase: true } },
    { operator: { contains: 'v' }, want: { type: 'contains', value: 'v', ignoreCase: true } },
    { operator: { regex: 'v' }, want: { type: 'regex', value: 'v', ignoreCase: false } },
    { operator: { present: true }, want: { type: 'present', value: '', ignoreCase: false } },
  ])('$operator', ({ operator, want }) => {
    expect(queryParameterMatch({ name: 'Q', ignoreCase: true, ...operator })).toEqual({ name: 'Q', ...want });
  });
});

describe('path rules', () => {
  test.each([
    { conditions: [{ prefix: 'api' }], want: 'must start with /' },
    { conditions: [{ exact: 'api' }], want: 'exact conditions must start with /' },
    { conditions: [{ regex: 'api' }], want: 'must start with /' },
    { conditions: [{ prefix: '/a' }, { prefix: '/b' }], want: 'more than one' },
    { conditions: [{ prefix: '/a', exact: '/b' }], want: 'more than one' },
    { conditions: [{ regex: '/a[' }], want: 'missing closing ]' },
    { conditions: [{ regex: '/(?=a)' }], want: 'invalid or unsupported' },
  ])('$conditions is refused', ({ conditions, want }) => expect(pathConditionsError(conditions)).toContain(want));

  test.each([[[]], [[{ prefix: '/a' }]], [[{ exact: '/a' }, { header: { name: 'x', present: true } }]], [[{ regex: '/a' }]]])(
    '%j is taken',
    (conditions) => expect(pathConditionsError(conditions)).toBeUndefined(),
  );

  test.each([{ exact: '/a' }, { regex: '/a' }])('%j is refused in an include', (condition) => {
    expect(includePathConditionsError([condition])).toContain('not allowed in includes');
  });
});

describe('header rules', () => {
  const conditions = (...headers: readonly object[]) => headers.map((header) => ({ header: { name: 'x-a', ...header } }));
  test.each([
    { headers: [{ present: true }, { name: 'X-A', notpresent: true }], want: 'contradictory' },
    { headers: [{ notexact: 'a' }, { exact: 'a' }], want: 'contradictory' },
    { headers: [{ contains: 'a' }, { notcontains: 'a' }], want: 'contradictory' },
    { headers: [{ exact: 'a' }, { name: 'X-A', exact: 'b' }], want: 'more than one exact' },
    { headers: [{ regex: '[abc' }], want: 'missing closing ]' },
    { headers: [{ name: 'x a', exact: 'a' }], want: 'is not a header name' },
  ])('$headers is refused', ({ headers, want }) => expect(headerConditionsError(conditions(...headers))).toContain(want));

  test.each([
    { headers: [{ exact: 'a' }, { name: 'x-b', exact: 'b' }] },
    { headers: [{ exact: 'a' }, { notexact: 'b' }] },
    { headers: [{ contains: 'a' }, { notcontains: 'b' }, { present: true }] },
    { headers: [{ name: ':method', exact: 'POST' }] },
    { headers: [{ present: false }] },
  ])('$headers is taken', ({ headers }) => expect(headerConditionsError(conditions(...headers))).toBeUndefined());
});

describe('query rules', () => {
  const conditions = (...parameters: readonly object[]) =>
    parameters.map((queryParameter) => ({ queryParameter: { name: 'q', ...queryParameter } }));
  test.each([
    { parameters: [{}], want: 'exactly one operator, it has 0' },
    { parameters: [{ exact: 'a', prefix: 'b' }], want: 'exactly one operator, it has 2' },
    { parameters: [{ exact: 'a' }, { name: 'Q', exact: 'b' }], want: 'more than one exact' },
    { parameters: [{ regex: '(' }], want: 'missing closing )' },
    { parameters: [{ name: 'é'.repeat(513), exact: 'a' }], want: 'too long' },
  ])('$parameters is refused', ({ parameters, want }) => expect(queryConditionsError(conditions(...parameters))).toContain(want));

  test('different names and operators are taken', () => {
    expect(queryConditionsError(conditions({ exact: 'a' }, { name: 'r', exact: 'a' }, { present: true }))).toBeUndefined();
  });
});
