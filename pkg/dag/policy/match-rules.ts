import type { HeaderMatchCondition, MatchCondition, QueryParameterMatchCondition } from '../../apis/projectcontour/v1/httpproxy.ts';
import { isHeaderName } from './headers.ts';
import { headerOperator, queryOperatorsOf } from './match.ts';
import { regexError } from './regex.ts';

/** What is wrong with the paths of one list of conditions: more than one, not starting with `/`, a bad regex. */
export function pathConditionsError(conditions: readonly MatchCondition[]): string | undefined {
  const paths = conditions.flatMap(({ prefix, exact, regex }) =>
    [prefix, exact, regex].filter((path) => path !== undefined && path !== ''),
  );
  if (paths.length > 1) return 'more than one prefix, exact or regex condition is not allowed in a condition block';
  for (const { prefix, exact, regex } of conditions) {
    for (const [kind, path] of Object.entries({ prefix, exact, regex })) {
      if (path && !path.startsWith('/')) return `${kind} conditions must start with /, ${JSON.stringify(path)} does not`;
    }
    const error = regex ? regexError(regex) : undefined;
    if (error !== undefined) return `regex ${JSON.stringify(regex)} is invalid: ${error}`;
  }
  return undefined;
}

/** As `pathConditionsError`; and an include may only have a prefix. */
export function includePathConditionsError(conditions: readonly MatchCondition[]): string | undefined {
  if (conditions.some(({ exact }) => exact)) return 'exact conditions are not allowed in includes';
  if (conditions.some(({ regex }) => regex)) return 'regex conditions are not allowed in includes';
  return pathConditionsError(conditions);
}

/**
 * What is wrong with the header conditions of a chain, inherited ones included: conditions that can never hold
 * together, two exact ones on a header, a bad regex, a name that is none.
 */
export function headerConditionsError(conditions: readonly MatchCondition[]): string | undefined {
  const seen = new Set<string>();
  for (const { header } of conditions) {
    const operator = header && headerOperator(header);
    if (header === undefined || operator === undefined) continue;
    const error = headerConditionError(header, operator, seen);
    if (error !== undefined) return error;
    seen.add(signature(header, operator));
  }
  return undefined;
}

type Operator = NonNullable<ReturnType<typeof headerOperator>>;

const opposites: Readonly<Record<string, Operator>> = {
  present: 'notpresent',
  notpresent: 'present',
  exact: 'notexact',
  notexact: 'exact',
  contains: 'notcontains',
  notcontains: 'contains',
};

function headerConditionError(header: HeaderMatchCondition, operator: Operator, seen: ReadonlySet<string>): string | undefined {
  const name = JSON.stringify(header.name);
  if (!isHeaderName(header.name.replace(/^:/, ''))) return `${name} is not a header name`;
  const opposite = opposites[operator];
  if (opposite !== undefined && seen.has(signature(header, opposite, header[operator]))) {
    return `cannot specify contradictory ${operator} and ${opposite} conditions for header ${name}`;
  }
  if (operator === 'exact' && [...seen].some((other) => other.startsWith(`${header.name.toLowerCase()} exact `))) {
    return `cannot specify more than one exact condition for header ${name}`;
  }
  const error = operator === 'regex' ? regexError(header.regex ?? '') : undefined;
  return error === undefined ? undefined : `regex ${JSON.stringify(header.regex)} for header ${name} is invalid: ${error}`;
}

function signature(header: HeaderMatchCondition, operator: Operator, value = header[operator]): string {
  return `${header.name.toLowerCase()} ${operator} ${String(value)}`;
}

/** Envoy refuses longer names. */
const queryNameLimitBytes = 1024;

/** What is wrong with the query conditions of a chain, inherited ones included. */
export function queryConditionsError(conditions: readonly MatchCondition[]): string | undefined {
  const exact = new Set<string>();
  for (const { queryParameter } of conditions) {
    const error = queryParameter && queryConditionError(queryParameter, exact);
    if (error !== undefined) return error;
  }
  return undefined;
}

/** `exact` gathers the names that have an exact condition. */
function queryConditionError(condition: QueryParameterMatchCondition, exact: Set<string>): string | undefined {
  // Envoy refuses the whole table of routes for it.
  if (condition.name === '') return 'a query parameter condition must have a name';
  const name = JSON.stringify(condition.name);
  const operators = queryOperatorsOf(condition);
  if (operators.length !== 1) return `query parameter ${name} must have exactly one operator, it has ${operators.length}`;
  if (new TextEncoder().encode(condition.name).length > queryNameLimitBytes) return `query parameter ${name} has too long a name`;
  if (operators[0] === 'exact') {
    const key = condition.name.toLowerCase();
    if (exact.has(key)) return `cannot specify more than one exact condition for query parameter ${name}`;
    exact.add(key);
  }
  const error = operators[0] === 'regex' ? regexError(condition.regex ?? '') : undefined;
  return error === undefined ? undefined : `regex ${JSON.stringify(condition.regex)} for query parameter ${name} is invalid: ${error}`;
}
