import { compareStrings } from '../../util/compare.ts';
import type { HeaderMatch, PathMatch, QueryParameterMatch, Route, RouteMatch } from '../model/route.ts';

const pathRank = { exact: 0, regex: 1, prefix: 2 } as const;
const headerRank = { exact: 0, regex: 1, contains: 2, present: 3 } as const;
const queryRank = { exact: 0, regex: 1, prefix: 2, suffix: 3, contains: 4, present: 5 } as const;

/**
 * Orders the routes of one virtual host: Envoy takes the first that matches, so the more specific goes first.
 * Exact paths, then regexes, then prefixes, longer ones first; on one path the match with a method, with more headers,
 * with more query parameters; then the lower priority; then the matches themselves, so that the order never depends
 * on the order of insertion. It is 0 only for routes with equal matches and priorities.
 */
export function compareRoutes(a: Route, b: Route): number {
  return (
    comparePaths(a.match.path, b.match.path) ||
    compareSizes(a.match, b.match) ||
    a.priority - b.priority ||
    compareLists(a.match.headers, b.match.headers, compareHeaderMatches) ||
    compareLists(a.match.queryParameters, b.match.queryParameters, compareQueryParameterMatches)
  );
}

function comparePaths(a: PathMatch, b: PathMatch): number {
  if (a.type !== b.type) return pathRank[a.type] - pathRank[b.type];
  const [left, right] = [pathText(a), pathText(b)];
  // Length does not matter among exact paths: no two of them match one request.
  if (a.type !== 'exact' && left.length !== right.length) return right.length - left.length;
  return compareStrings(right, left) || bySegment(b) - bySegment(a);
}

function pathText(path: PathMatch): string {
  if (path.type === 'prefix') return path.prefix;
  return path.type === 'exact' ? path.path : path.regex;
}

function bySegment(path: PathMatch): number {
  return path.type === 'prefix' && path.by === 'segment' ? 1 : 0;
}

function compareSizes(a: RouteMatch, b: RouteMatch): number {
  const [methodsA, methodsB] = [methodCount(a), methodCount(b)];
  return (
    Math.min(methodsB, 1) - Math.min(methodsA, 1) ||
    b.headers.length - methodsB - (a.headers.length - methodsA) ||
    b.queryParameters.length - a.queryParameters.length
  );
}

function methodCount(match: RouteMatch): number {
  let count = 0;
  for (const header of match.headers) if (header.name === ':method') count++;
  return count;
}

function compareLists<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = compare(a[i] as T, b[i] as T);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** The canonical order of header conditions: name, kind, value, then the plain before the inverted and the lenient. */
export function compareHeaderMatches(a: HeaderMatch, b: HeaderMatch): number {
  return (
    compareStrings(a.name, b.name) ||
    headerRank[a.type] - headerRank[b.type] ||
    compareStrings(a.value, b.value) ||
    Number(a.invert) - Number(b.invert) ||
    Number(a.ignoreCase) - Number(b.ignoreCase) ||
    Number(a.treatMissingAsEmpty) - Number(b.treatMissingAsEmpty)
  );
}

/** The canonical order of query conditions: name, kind, value, then the case-sensitive first. */
export function compareQueryParameterMatches(a: QueryParameterMatch, b: QueryParameterMatch): number {
  return (
    compareStrings(a.name, b.name) ||
    queryRank[a.type] - queryRank[b.type] ||
    compareStrings(a.value, b.value) ||
    Number(a.ignoreCase) - Number(b.ignoreCase)
  );
}

/**
 * A match in canonical form: header names in lower case, conditions sorted, repeated conditions once.
 * Every front end makes its matches here, so that equal matches are equal values.
 */
export function routeMatch(
  path: PathMatch,
  headers: readonly HeaderMatch[] = [],
  queryParameters: readonly QueryParameterMatch[] = [],
): RouteMatch {
  return {
    path,
    headers: canonical(headers.map(lowerCaseName), compareHeaderMatches),
    queryParameters: canonical(queryParameters, compareQueryParameterMatches),
  };
}

function lowerCaseName(header: HeaderMatch): HeaderMatch {
  const name = header.name.toLowerCase();
  return name === header.name ? header : { ...header, name };
}

function canonical<T>(conditions: readonly T[], compare: (a: T, b: T) => number): readonly T[] {
  if (conditions.length < 2) return conditions;
  const sorted = [...conditions].sort(compare);
  return sorted.filter((condition, i) => i === 0 || compare(sorted[i - 1] as T, condition) !== 0);
}

/** A text that two canonical matches share exactly when they are equal: they would catch the same requests. */
export function matchKey(match: RouteMatch): string {
  const { path, headers, queryParameters } = match;
  return JSON.stringify([
    path.type,
    pathText(path),
    bySegment(path),
    headers.map((h) => [h.name, h.type, h.value, +h.invert, +h.ignoreCase, +h.treatMissingAsEmpty]),
    queryParameters.map((q) => [q.name, q.type, q.value, +q.ignoreCase]),
  ]);
}
