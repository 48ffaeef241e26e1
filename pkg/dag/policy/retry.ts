import { parseGoDuration } from '../../k8s/duration.ts';
import type { Problem } from '../../util/outcome.ts';
import type { RetryPolicy } from '../model/route.ts';

/** Retries, as an HTTPProxy route has them. */
export interface RetryInput {
  readonly count?: number;
  readonly perTryTimeout?: string;
  readonly retryOn?: readonly string[];
  readonly retriableStatusCodes?: readonly number[];
}

/**
 * Reads a retry policy. `count` of -1 is no retry at all, 0 or absent is one; nothing in `retryOn` is `5xx`.
 * A `perTryTimeout` that is no plain positive Go duration (`infinity` too) leaves Envoy's default: the route's timeout.
 */
export function retryPolicy(input: RetryInput): RetryPolicy {
  const { count = 0, retryOn = [], retriableStatusCodes = [] } = input;
  const perTryTimeoutMs = perTryTimeout(input.perTryTimeout ?? '');
  return {
    retryOn: retryOn.length === 0 ? '5xx' : retryOn.join(','),
    numRetries: count < 0 ? 0 : Math.max(count, 1),
    ...(perTryTimeoutMs !== undefined && { perTryTimeoutMs }),
    retriableStatusCodes,
  };
}

/** What Envoy's API has no room for in a retry policy, or what no response has; `undefined` if there is nothing. */
export function retryProblem({ count = 0, retriableStatusCodes = [] }: RetryInput): Problem | undefined {
  const code = retriableStatusCodes.find((status) => !(status >= 100 && status <= 599));
  if (code !== undefined) return invalid(`retriableStatusCodes: ${code} is no HTTP status`);
  return count > maxRetries ? invalid(`count: ${count} is more than ${maxRetries}`) : undefined;
}

const maxRetries = 2 ** 32 - 1;

function invalid(detail: string): Problem {
  return { type: 'RouteError', reason: 'RetryPolicyNotValid', message: `route.retryPolicy.${detail}` };
}

function perTryTimeout(text: string): number | undefined {
  try {
    const ms = parseGoDuration(text);
    return ms > 0 ? ms : undefined;
  } catch {
    return undefined;
  }
}
