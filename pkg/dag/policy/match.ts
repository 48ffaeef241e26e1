import type { HeaderMatchCondition, MatchCondition, QueryParameterMatchCondition } from '../../apis/projectcontour/v1/httpproxy.ts';
import { quoteRegex } from '../../util/quote-regex.ts';
import type { HeaderMatch, PathMatch, QueryParameterMatch, RouteMatch } from '../model/route.ts';
import { routeMatch } from './route-order.ts';

const absent = undefined;

/** The match of a chain of conditions, from the outermost include to the route: all of them must hold. */
export function mergeConditions(conditions: readonly MatchCondition[], more: readonly HeaderMatch[] = []): RouteMatch {
  const headers = conditions.flatMap(({ header }) => (header && headerMatch(header)) ?? []);
  const queryParameters = conditions.flatMap(({ queryParameter }) => (queryParameter && queryParameterMatch(queryParameter)) ?? []);
  return routeMatch(mergePaths(conditions), [...headers, ...more], queryParameters);
}

/**
 * Joins the paths of a chain. Only the last may be exact or a regex, and it decides of what kind the whole is;
 * repeated slashes become one; no path at all is the prefix `/`.
 */
function mergePaths(conditions: readonly MatchCondition[]): PathMatch {
  let prefix = '';
  for (const { prefix: more, exact, regex } of conditions) {
    if (regex) return { type: 'regex', regex: joinRegex(prefix, regex) };
    if (exact) return { type: 'exact', path: collapseSlashes(prefix + exact) };
    prefix += more ?? '';
  }
  return { type: 'prefix', prefix: collapseSlashes(prefix) || '/', by: 'string' };
}

function collapseSlashes(path: string): string {
  return path.replace(/\/{2,}/g, '/');
}

/** A regex behind a prefix. Alternatives are kept together: `/a|/b` behind `/x` must not match `/b` itself. */
function joinRegex(prefix: string, regex: string): string {
  const front = quoteRegex(collapseSlashes(prefix).replace(/\/$/, ''));
  const back = collapseSlashes(regex);
  return front !== '' && back.includes('|') ? `${front}(?:${back})` : front + back;
}

/**
 * A header condition of an HTTPProxy. Of several operators the first counts, in the order of `headerOperators`;
 * with none the condition says nothing.
 */
export function headerMatch(condition: HeaderMatchCondition): HeaderMatch | undefined {
  const operator = headerOperator(condition);
  if (operator === undefined) return absent;
  const { type, invert } = headerOperators[operator];
  const text = type === 'exact' || type === 'contains';
  const value = condition[operator];
  return {
    name: condition.name.toLowerCase(),
    type,
    value: typeof value === 'string' ? value : '',
    invert,
    ignoreCase: text && condition.ignoreCase === true,
    treatMissingAsEmpty: text && invert && condition.treatMissingAsEmpty === true,
  };
}

const headerOperators = {
  present: { type: 'present', invert: false },
  notpresent: { type: 'present', invert: true },
  contains: { type: 'contains', invert: false },
  notcontains: { type: 'contains', invert: true },
  exact: { type: 'exact', invert: false },
  notexact: { type: 'exact', invert: true },
  regex: { type: 'regex', invert: false },
} as const;

type HeaderOperator = keyof typeof headerOperators;

/** The operator of a header condition that counts. An empty text or `false` is no operator. */
export function headerOperator(condition: HeaderMatchCondition): HeaderOperator | undefined {
  return (Object.keys(headerOperators) as HeaderOperator[]).find((operator) => Boolean(condition[operator]));
}

const queryOperators = ['exact', 'prefix', 'suffix', 'regex', 'contains', 'present'] as const;

/** All operators of a query condition; a valid one has exactly one. */
export function queryOperatorsOf(condition: QueryParameterMatchCondition): readonly (typeof queryOperators)[number][] {
  return queryOperators.filter((operator) => Boolean(condition[operator]));
}

/** A query condition of an HTTPProxy that `queryConditionsError` passed. */
export function queryParameterMatch(condition: QueryParameterMatchCondition): QueryParameterMatch | undefined {
  const [type] = queryOperatorsOf(condition);
  if (type === undefined) return absent;
  const value = condition[type];
  const ignorable = type !== 'regex' && type !== 'present';
  return {
    name: condition.name,
    type,
    value: typeof value === 'string' ? value : '',
    ignoreCase: ignorable && condition.ignoreCase === true,
  };
}
