import { describe, expect, test } from '@jest/globals';
import type { HeaderMatch, PathMatch, QueryParameterMatch, Route } from '../model/route.ts';
import { compareRoutes, matchKey, routeMatch } from './route-order.ts';

const prefix = (text: string, by: 'string' | 'segment' = 'string'): PathMatch => ({ type: 'prefix', prefix: text, by });
const exact = (path: string): PathMatch => ({ type: 'exact', path });
const regex = (text: string): PathMatch => ({ type: 'regex', regex: text });
const header = (name: string, changes: Partial<HeaderMatch> = {}): HeaderMatch => ({
  name,
  type: 'exact',
  value: '1',
  invert: false,
  ignoreCase: false,
  treatMissingAsEmpty: false,
  ...changes,
});
const query = (name: string, changes: Partial<QueryParameterMatch> = {}): QueryParameterMatch => ({
  name,
  type: 'exact',
  value: '1',
  ignoreCase: false,
  ...changes,
});
const route = (path: PathMatch, headers: HeaderMatch[] = [], queries: QueryParameterMatch[] = [], priority = 0): Route => ({
  match: routeMatch(path, headers, queries),
  action: { type: 'direct-response', status: 200 },
  httpsRedirect: false,
  priority,
  origin: { kind: 'HTTPProxy', namespace: 'ns', name: 'app', path: '' },
});

/** From the first to be tried to the last: every route goes before all that follow. */
const inOrder: readonly { name: string; route: Route }[] = [
  { name: 'an exact path', route: route(exact('/b')) },
  { name: 'a lesser exact path, though longer', route: route(exact('/a/long')) },
  { name: 'the longest regex', route: route(regex('/[a-z]+/long')) },
  { name: 'a shorter regex', route: route(regex('/foo.*')) },
  { name: 'a regex of equal length, lesser', route: route(regex('/bar.*')) },
  { name: 'the longest prefix', route: route(prefix('/foo/bar')) },
  { name: 'a prefix by segment', route: route(prefix('/foo', 'segment')) },
  { name: 'with a method', route: route(prefix('/foo'), [header(':method')]) },
  { name: 'with two headers', route: route(prefix('/foo'), [header('x-a'), header('x-b')]) },
  { name: 'with one header and two parameters', route: route(prefix('/foo'), [header('x-a')], [query('a'), query('b')]) },
  { name: 'with one header, one parameter', route: route(prefix('/foo'), [header('x-a')], [query('a')]) },
  { name: 'lower priority first', route: route(prefix('/foo'), [header('x-a')]) },
  { name: 'higher priority', route: route(prefix('/foo'), [header('x-a')], [], 1) },
  { name: 'a parameter of a lesser name', route: route(prefix('/foo'), [], [query('a')]) },
  { name: 'a parameter of a greater name', route: route(prefix('/foo'), [], [query('b')]) },
  { name: 'no conditions', route: route(prefix('/foo')) },
  { name: 'a prefix of equal length, lesser', route: route(prefix('/bar')) },
  { name: 'the root', route: route(prefix('/')) },
];

describe('compareRoutes', () => {
  test.each(inOrder.map(({ name }, i) => ({ name, i })))('$name goes before all that follow', ({ i }) => {
    const before = inOrder[i]?.route as Route;
    for (const { route: after } of inOrder.slice(i + 1)) {
      expect(compareRoutes(before, after)).toBeLessThan(0);
      expect(compareRoutes(after, before)).toBeGreaterThan(0);
    }
  });

  test('sorting does not depend on the order at first', () => {
    const shuffled = [...inOrder].sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(shuffled.sort((a, b) => compareRoutes(a.route, b.route)).map(({ name }) => name)).toEqual(inOrder.map(({ name }) => name));
  });

  test('an early difference decides: the order is lexicographic', () => {
    const a = route(prefix('/'), [header('x-a', { value: '1' }), header('x-b', { value: '9' })]);
    const b = route(prefix('/'), [header('x-a', { value: '2' }), header('x-b', { value: '0' })]);
    expect(compareRoutes(a, b)).toBeLessThan(0);
    expect(compareRoutes(b, a)).toBeGreaterThan(0);
  });

  test('equal matches of equal priority are equal', () => {
    expect(compareRoutes(route(prefix('/'), [header('x-a')]), route(prefix('/'), [header('x-a')]))).toBe(0);
  });
});

describe('header order', () => {
  const ordered = [
    header('x-a', { type: 'exact', value: 'a' }),
    header('x-a', { type: 'exact', value: 'b' }),
    header('x-a', { type: 'exact', value: 'b', invert: true }),
    header('x-a', { type: 'exact', value: 'b', invert: true, treatMissingAsEmpty: true }),
    header('x-a', { type: 'regex' }),
    header('x-a', { type: 'contains' }),
    header('x-a', { type: 'present', value: '' }),
    header('x-b'),
  ];

  test('is name, kind, value, plain first', () => {
    expect(routeMatch(prefix('/'), [...ordered].reverse()).headers).toEqual(ordered);
  });
});

describe('matchKey', () => {
  test.each([
    {
      name: 'order of conditions',
      a: routeMatch(prefix('/'), [header('x-a'), header('x-b')]),
      b: routeMatch(prefix('/'), [header('x-b'), header('x-a')]),
    },
    { name: 'case of a header', a: routeMatch(prefix('/'), [header('X-A')]), b: routeMatch(prefix('/'), [header('x-a')]) },
    { name: 'repetition', a: routeMatch(prefix('/'), [header('x-a'), header('x-a')]), b: routeMatch(prefix('/'), [header('x-a')]) },
    {
      name: 'order of parameters',
      a: routeMatch(prefix('/'), [], [query('a'), query('b')]),
      b: routeMatch(prefix('/'), [], [query('b'), query('a')]),
    },
  ])('$name makes no difference', ({ a, b }) => expect(matchKey(a)).toBe(matchKey(b)));

  const distinct = [
    routeMatch(prefix('/a')),
    routeMatch(prefix('/a', 'segment')),
    routeMatch(exact('/a')),
    routeMatch(regex('/a')),
    routeMatch(prefix('/a'), [header('x')]),
    routeMatch(prefix('/a'), [header('x', { ignoreCase: true })]),
    routeMatch(prefix('/a'), [header('x', { invert: true })]),
    routeMatch(prefix('/a'), [header('x', { invert: true, treatMissingAsEmpty: true })]),
    routeMatch(prefix('/a'), [header('x', { value: '1,x' })]),
    routeMatch(prefix('/a'), [header('x'), header('y')]),
    routeMatch(prefix('/a'), [], [query('x')]),
    routeMatch(prefix('/a'), [], [query('X')]),
    routeMatch(prefix('/a'), [], [query('x', { ignoreCase: true })]),
  ];
  test('unlike matches have unlike keys', () => {
    expect(new Set(distinct.map(matchKey)).size).toBe(distinct.length);
  });
});
