import type { RouteMatch as DagMatch, HeaderMatch, PathMatch, QueryParameterMatch } from '../../dag/model/route.ts';
import { HeaderMatcher, QueryParameterMatcher, RouteMatch } from '../../envoy-api/envoy/config/route/v3/route_components.ts';
import { StringMatcher } from '../../envoy-api/envoy/type/matcher/v3/string.ts';

/** What a route matches (reference §8.5). */
export function routeMatch(match: DagMatch): RouteMatch {
  return RouteMatch.fromPartial({
    pathSpecifier: pathSpecifier(match.path),
    headers: match.headers.map(headerMatcher),
    queryParameters: match.queryParameters.map(queryParameterMatcher),
  });
}

function pathSpecifier(path: PathMatch): NonNullable<RouteMatch['pathSpecifier']> {
  switch (path.type) {
    case 'exact':
      return { $case: 'path', value: path.path };
    case 'regex':
      return { $case: 'safeRegex', value: { regex: path.regex.startsWith('^') ? path.regex : `^${path.regex}` } };
    case 'prefix':
      return path.by === 'string' ? { $case: 'prefix', value: path.prefix } : segmentPrefix(path.prefix);
  }
}

/** Envoy refuses a `path_separated_prefix` that ends in a slash; of `/` there is nothing left, and it matches everything. */
function segmentPrefix(prefix: string): NonNullable<RouteMatch['pathSpecifier']> {
  const bare = prefix.replace(/\/+$/, '');
  return bare === '' ? { $case: 'prefix', value: '/' } : { $case: 'pathSeparatedPrefix', value: bare };
}

/** A condition on a header. */
export function headerMatcher(match: HeaderMatch): HeaderMatcher {
  return HeaderMatcher.fromPartial({
    name: match.name,
    headerMatchSpecifier:
      match.type === 'present'
        ? { $case: 'presentMatch', value: true }
        : { $case: 'stringMatch', value: stringMatcher(match.type, match.value, match.ignoreCase) },
    invertMatch: match.invert,
    treatMissingHeaderAsEmpty: match.invert && match.treatMissingAsEmpty,
  });
}

function queryParameterMatcher(match: QueryParameterMatch): QueryParameterMatcher {
  return QueryParameterMatcher.fromPartial({
    name: match.name,
    queryParameterMatchSpecifier:
      match.type === 'present'
        ? { $case: 'presentMatch', value: true }
        : { $case: 'stringMatch', value: stringMatcher(match.type, match.value, match.ignoreCase) },
  });
}

type StringMatch = 'exact' | 'prefix' | 'suffix' | 'contains' | 'regex';

function stringMatcher(type: StringMatch, value: string, ignoreCase: boolean): StringMatcher {
  // ignore_case has no effect on a regular expression.
  if (type === 'regex') return StringMatcher.fromPartial({ matchPattern: { $case: 'safeRegex', value: { regex: value } } });
  return StringMatcher.fromPartial({ matchPattern: { $case: type, value }, ignoreCase });
}
