import type { HTTPRequestMirrorFilter } from '../../../apis/gateway/common.ts';
import type { HTTPRequestRedirectFilter, HTTPRouteFilter, HTTPURLRewriteFilter } from '../../../apis/gateway/http-route.ts';
import type { HeadersPolicy } from '../../model/headers.ts';
import { type Finding, fault } from './findings.ts';
import { type Direction, headerModifier } from './header-modifier.ts';

/** What the filters of a rule or a backend ask for: of each type the first, but all mirrors. */
export interface RuleFilters {
  readonly requestHeaders?: HeadersPolicy;
  readonly responseHeaders?: HeadersPolicy;
  readonly redirect?: HTTPRequestRedirectFilter;
  readonly rewrite?: HTTPURLRewriteFilter;
  readonly mirrors: readonly { readonly filter: HTTPRequestMirrorFilter; readonly path: string }[];
  /** Filters that cannot be done. A request must not go on as if they were not there. */
  readonly findings: readonly Finding[];
}

type FilterType = HTTPRouteFilter['type'];

/** The filters that each place takes. */
export const httpRuleFilters: readonly FilterType[] = [
  'RequestHeaderModifier',
  'ResponseHeaderModifier',
  'RequestRedirect',
  'URLRewrite',
  'RequestMirror',
];
export const grpcRuleFilters: readonly FilterType[] = ['RequestHeaderModifier', 'ResponseHeaderModifier', 'RequestMirror'];
export const backendFilters: readonly FilterType[] = ['RequestHeaderModifier', 'ResponseHeaderModifier'];

/** Reads filters. `path` is the field of the list. */
export function ruleFilters(filters: readonly HTTPRouteFilter[], supported: readonly FilterType[], path: string): RuleFilters {
  const firstOf = (type: FilterType): { filter: HTTPRouteFilter; path: string } | undefined => {
    const index = supported.includes(type) ? filters.findIndex((filter) => filter.type === type) : -1;
    return index < 0 ? undefined : { filter: filters[index]!, path: `${path}[${index}]` };
  };
  const findings = filters.flatMap(({ type }, i) =>
    supported.includes(type) ? [] : [fault('Accepted', 'UnsupportedValue', `${path}[${i}].type: filter "${type}" is not supported here`)],
  );

  const headers = (direction: Direction): HeadersPolicy | undefined => {
    const found = firstOf(direction === 'request' ? 'RequestHeaderModifier' : 'ResponseHeaderModifier');
    const modifier = direction === 'request' ? found?.filter.requestHeaderModifier : found?.filter.responseHeaderModifier;
    if (found === undefined || modifier === undefined) return undefined;
    const policy = headerModifier(modifier, direction, `${found.path}.${direction}HeaderModifier`);
    if (policy.ok) return policy.value;
    findings.push(fault(policy.problem.type, policy.problem.reason, policy.problem.message));
    return undefined;
  };

  const redirect = firstOf('RequestRedirect')?.filter.requestRedirect;
  const rewrite = firstOf('URLRewrite')?.filter.urlRewrite;
  const requestHeaders = withHost(headers('request'), rewrite?.hostname);
  const responseHeaders = headers('response');
  return {
    ...(requestHeaders !== undefined && { requestHeaders }),
    ...(responseHeaders !== undefined && { responseHeaders }),
    ...(redirect !== undefined && { redirect }),
    ...(rewrite !== undefined && { rewrite }),
    mirrors: filters.flatMap(({ type, requestMirror }, i) =>
      type === 'RequestMirror' && requestMirror !== undefined ? [{ filter: requestMirror, path: `${path}[${i}].requestMirror` }] : [],
    ),
    findings,
  };
}

/** A rewrite of the host beats a `Host` that a header modifier sets. */
function withHost(headers: HeadersPolicy | undefined, hostname: string | undefined): HeadersPolicy | undefined {
  if (hostname === undefined) return headers;
  return { set: [], add: [], remove: [], ...headers, hostRewrite: hostname };
}
