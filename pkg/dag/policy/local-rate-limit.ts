import type { LocalRateLimitPolicy } from '../../apis/projectcontour/v1/httpproxy.ts';
import { fail, type Outcome, ok } from '../../util/outcome.ts';
import type { LocalRateLimit } from '../model/host-policies.ts';
import { headersPolicy } from './headers.ts';

const unitMs = { second: 1000, minute: 60_000, hour: 3_600_000 } as const;

/** What a token bucket of Envoy counts with. */
const maxTokens = 2 ** 32 - 1;

/** The codes from 400 to 599 that Envoy knows: it refuses a whole table of routes for another (`envoy.type.v3.StatusCode`). */
const statusCodes: ReadonlySet<number> = new Set([
  400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 424, 426, 428, 429, 431, 500,
  501, 502, 503, 504, 505, 506, 507, 508, 510, 511,
]);

/** Reads a limit. The problem has no type or reason of its own: who asks knows whether it was a host or a route. @see reference 3.5 */
export function localRateLimit(policy: LocalRateLimitPolicy): Outcome<LocalRateLimit> {
  const { requests, unit, burst = 0, responseStatusCode, responseHeadersToAdd = [] } = policy;
  if (requests < 1) return invalid(`invalid requests value ${requests} in local rate limit policy`);
  if (!Object.hasOwn(unitMs, unit)) return invalid(`invalid unit "${unit}" in local rate limit policy`);
  if (burst < 0 || requests + burst > maxTokens) return invalid(`invalid burst value ${burst} in local rate limit policy`);
  if (responseStatusCode && !statusCodes.has(responseStatusCode)) {
    return invalid(`invalid responseStatusCode ${responseStatusCode} in local rate limit policy: Envoy does not know it`);
  }
  const headers = headersPolicy({ set: responseHeadersToAdd }, { host: 'refused', variables: {} });
  if (!headers.ok) return headers;
  return ok({
    maxTokens: requests + burst,
    tokensPerFill: requests,
    fillIntervalMs: unitMs[unit],
    ...(responseStatusCode && { status: responseStatusCode }),
    responseHeaders: headers.value?.set ?? [],
  });
}

function invalid(cause: string): Outcome<never> {
  return fail('', '', cause);
}
