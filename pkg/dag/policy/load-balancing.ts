import type { LoadBalancerPolicy as Input, RequestHashPolicy } from '../../apis/projectcontour/v1/httpproxy.ts';
import type { LoadBalancerPolicy } from '../model/cluster.ts';
import type { HashPolicy } from '../model/route.ts';
import { canonicalHeaderName, isHeaderName } from './headers.ts';

/** The cookie that keeps a client on its endpoint. */
export const affinityCookie = 'X-Contour-Session-Affinity';

/** How requests are spread over endpoints, with what of a policy does nothing. */
export interface LoadBalancing {
  readonly policy: LoadBalancerPolicy;
  /** Present for Cookie and RequestHash, and then not empty. */
  readonly hashPolicies?: readonly HashPolicy[];
  /** What is left out, each entry with its place and value. */
  readonly ignored: readonly string[];
}

/**
 * How the requests of a route are spread. A strategy that is not known is RoundRobin, and so is RequestHash without anything to hash.
 * @see reference 3.9
 */
export function routeLoadBalancing(input: Input | undefined): LoadBalancing {
  const { strategy = '', requestHashPolicies = [] } = input ?? {};
  if (strategy === 'RequestHash') return requestHash(requestHashPolicies);
  const unused =
    requestHashPolicies.length > 0 ? [`requestHashPolicies have no effect with strategy ${JSON.stringify(strategy || 'RoundRobin')}`] : [];
  if (strategy !== 'Cookie') return { policy: loadBalancerPolicy(strategy), ignored: [...unknownStrategy(strategy), ...unused] };
  const cookie: HashPolicy = { type: 'cookie', cookie: affinityCookie, secure: false, terminal: false };
  return { policy: 'Cookie', hashPolicies: [cookie], ignored: unused };
}

/** How connections are spread where there are no requests to look at. Strategies that need them, or are not known, are RoundRobin. */
export function loadBalancerPolicy(strategy: string | undefined): LoadBalancerPolicy {
  return strategy === 'WeightedLeastRequest' || strategy === 'Random' ? strategy : 'RoundRobin';
}

function unknownStrategy(strategy: string): readonly string[] {
  if (['', 'RoundRobin', 'WeightedLeastRequest', 'Random'].includes(strategy)) return [];
  return [`strategy ${JSON.stringify(strategy)} is not known, RoundRobin is used`];
}

function requestHash(entries: readonly RequestHashPolicy[]): LoadBalancing {
  const hashPolicies: HashPolicy[] = [];
  const ignored: string[] = [];
  for (const [i, entry] of entries.entries()) {
    const made = hashPolicy(entry, hashPolicies);
    if (typeof made === 'string') ignored.push(`requestHashPolicies[${i}] is left out: ${made}`);
    else hashPolicies.push(made);
  }
  if (hashPolicies.length > 0) return { policy: 'RequestHash', hashPolicies, ignored };
  return { policy: 'RoundRobin', ignored: [...ignored, 'requestHashPolicies leave nothing to hash, RoundRobin is used'] };
}

/** The hash of an entry, or why it is none. */
function hashPolicy(entry: RequestHashPolicy, before: readonly HashPolicy[]): HashPolicy | string {
  const { hashSourceIP, headerHashOptions: header, queryParameterHashOptions: query, terminal = false } = entry;
  const sources = [hashSourceIP === true, header !== undefined, query !== undefined].filter(Boolean).length;
  if (sources !== 1) return `exactly one of hashSourceIP, headerHashOptions and queryParameterHashOptions must be set, not ${sources}`;
  if (header !== undefined) return headerHash(header.headerName, terminal, before);
  if (query !== undefined) return queryHash(query.parameterName, terminal, before);
  if (before.some(({ type }) => type === 'source-ip')) return 'the source IP is hashed already';
  return { type: 'source-ip', terminal };
}

function headerHash(name: string, terminal: boolean, before: readonly HashPolicy[]): HashPolicy | string {
  if (!isHeaderName(name)) return `headerName ${JSON.stringify(name)} is no name of a header`;
  const header = canonicalHeaderName(name);
  if (before.some((other) => other.type === 'header' && other.header === header)) return `header ${JSON.stringify(name)} is hashed already`;
  return { type: 'header', header, terminal };
}

/** Envoy tells names apart by case, so it gets the name as it is spelled. */
function queryHash(name: string, terminal: boolean, before: readonly HashPolicy[]): HashPolicy | string {
  if (name === '') return 'parameterName is empty';
  if (before.some((other) => other.type === 'query-parameter' && other.parameter === name)) {
    return `query parameter ${JSON.stringify(name)} is hashed already`;
  }
  return { type: 'query-parameter', parameter: name, terminal };
}
