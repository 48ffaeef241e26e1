import type { HTTPHeaderMatch } from '../../../apis/gateway/common.ts';
import type { GRPCMethodMatch, GRPCRouteMatch } from '../../../apis/gateway/grpc-route.ts';
import type { HTTPPathMatch, HTTPQueryParamMatch, HTTPRouteMatch } from '../../../apis/gateway/http-route.ts';
import type { Outcome } from '../../../util/outcome.ts';
import { fail, ok } from '../../../util/outcome.ts';
import { quoteRegex } from '../../../util/quote-regex.ts';
import type { HeaderMatch, PathMatch, QueryParameterMatch, RouteMatch } from '../../model/route.ts';
import { regexError } from '../../policy/regex.ts';
import { routeMatch } from '../../policy/route-order.ts';

/**
 * A match of an HTTPRoute; all of its parts must hold. The problem is a condition and its reason. `path` is the field.
 * @see Gateway API, `HTTPRouteMatch`
 */
export function httpMatch(match: HTTPRouteMatch, path: string): Outcome<RouteMatch> {
  const pathMatch = httpPath(match.path ?? {}, `${path}.path`);
  if (!pathMatch.ok) return pathMatch;
  const headers = headerMatches(match.headers ?? [], `${path}.headers`);
  if (!headers.ok) return headers;
  const queryParameters = queryMatches(match.queryParams ?? [], `${path}.queryParams`);
  if (!queryParameters.ok) return queryParameters;
  const method = match.method === undefined ? [] : [exactHeader(':method', match.method)];
  return ok(routeMatch(pathMatch.value, [...headers.value, ...method], queryParameters.value));
}

/** A match of a GRPCRoute: a method is a path. @see Gateway API, `GRPCRouteMatch` */
export function grpcMatch(match: GRPCRouteMatch, path: string): Outcome<RouteMatch> {
  const pathMatch = grpcPath(match.method, `${path}.method`);
  if (!pathMatch.ok) return pathMatch;
  const headers = headerMatches(match.headers ?? [], `${path}.headers`);
  return headers.ok ? ok(routeMatch(pathMatch.value, headers.value)) : headers;
}

const anyPath: PathMatch = { type: 'prefix', prefix: '/', by: 'string' };

function httpPath({ type = 'PathPrefix', value = '/' }: HTTPPathMatch, path: string): Outcome<PathMatch> {
  if (type === 'RegularExpression') {
    const error = regexError(value);
    return error === undefined ? ok({ type: 'regex', regex: value }) : invalidPath(`${path}: invalid regular expression: ${error}`);
  }
  if (!value.startsWith('/')) return invalidPath(`${path}: match value must start with '/'`);
  if (value.includes('//')) return invalidPath(`${path}: match value must not contain consecutive '/' characters`);
  if (/[?#]/.test(value)) return invalidPath(`${path}: match value must not contain '?' or '#'`);
  if (type === 'Exact') return ok({ type: 'exact', path: value });
  if (type !== 'PathPrefix') return unsupported(`${path}.type: "${String(type)}" is not supported`);
  const prefix = value.replace(/\/$/, '');
  return ok(prefix === '' ? anyPath : { type: 'prefix', prefix, by: 'segment' });
}

function grpcPath(method: GRPCMethodMatch | undefined, path: string): Outcome<PathMatch> {
  if (method === undefined) return ok(anyPath);
  const { type = 'Exact', service = '', method: name = '' } = method;
  if (type !== 'Exact') return unsupported(`${path}.type: only Exact is supported`);
  if (service === '' && name === '') return fail('Accepted', 'InvalidMethodMatch', `${path}: a service or a method must be specified`);
  if (service === '') return ok({ type: 'regex', regex: `/[^/]+/${quoteRegex(name)}` });
  if (name === '') return ok({ type: 'prefix', prefix: `/${service}`, by: 'segment' });
  return ok({ type: 'exact', path: `/${service}/${name}` });
}

function headerMatches(matches: readonly HTTPHeaderMatch[], path: string): Outcome<readonly HeaderMatch[]> {
  const byName = new Map<string, HeaderMatch>();
  for (const [i, { type = 'Exact', name, value }] of matches.entries()) {
    const key = name.toLowerCase();
    if (byName.has(key)) continue; // The API: only the first entry of a name counts.
    const problem = valueProblem(type, value);
    if (problem !== undefined) return unsupported(`${path}[${i}]: ${problem}`);
    byName.set(key, type === 'Exact' ? exactHeader(key, value) : { ...exactHeader(key, value), type: 'regex' });
  }
  return ok([...byName.values()]);
}

function exactHeader(name: string, value: string): HeaderMatch {
  return { name, type: 'exact', value, invert: false, ignoreCase: false, treatMissingAsEmpty: false };
}

function queryMatches(matches: readonly HTTPQueryParamMatch[], path: string): Outcome<readonly QueryParameterMatch[]> {
  const byName = new Map<string, QueryParameterMatch>();
  for (const [i, { type = 'Exact', name, value }] of matches.entries()) {
    if (byName.has(name)) continue;
    const problem = valueProblem(type, value);
    if (problem !== undefined) return unsupported(`${path}[${i}]: ${problem}`);
    byName.set(name, { name, type: type === 'Exact' ? 'exact' : 'regex', value, ignoreCase: false });
  }
  return ok([...byName.values()]);
}

function valueProblem(type: string, value: string): string | undefined {
  if (type === 'Exact') return undefined;
  if (type !== 'RegularExpression') return `match type "${type}" is not supported`;
  const error = regexError(value);
  return error === undefined ? undefined : `invalid regular expression: ${error}`;
}

function invalidPath(message: string): Outcome<never> {
  return fail('ValidMatches', 'InvalidPathMatch', message);
}

function unsupported(message: string): Outcome<never> {
  return fail('Accepted', 'UnsupportedValue', message);
}
