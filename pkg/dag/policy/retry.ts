import { parseGoDuration } from '../../k8s/duration.ts';
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

function perTryTimeout(text: string): number | undefined {
  try {
    const ms = parseGoDuration(text);
    return ms > 0 ? ms : undefined;
  } catch {
    return undefined;
  }
}
