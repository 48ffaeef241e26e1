import type { HTTPRouteTimeouts } from '../../../apis/gateway/http-route.ts';
import { parseGoDuration } from '../../../k8s/duration.ts';
import type { Outcome } from '../../../util/outcome.ts';
import { fail, ok } from '../../../util/outcome.ts';

/** A Gateway API duration: Go's syntax with whole numbers and without a sign. @see GEP-2257 */
const durationPattern = /^(\d{1,5}(h|m|s|ms)){1,4}$/;

/**
 * How long a response may take, in milliseconds. Zero is no limit, absent is Envoy's default. There are no retries, so one try is the
 * whole request and the tighter limit holds: that of the backend, which may not be above that of the request.
 * @see Gateway API, `HTTPRouteTimeouts`
 */
export function responseTimeout({ request, backendRequest }: HTTPRouteTimeouts, path: string): Outcome<number | 'disabled' | undefined> {
  for (const [field, text] of [
    ['request', request],
    ['backendRequest', backendRequest],
  ] as const) {
    if (text !== undefined && !durationPattern.test(text)) return unsupported(`${path}.${field}: "${text}" is not a duration`);
  }
  const requestMs = request === undefined ? undefined : parseGoDuration(request);
  const backendMs = backendRequest === undefined ? undefined : parseGoDuration(backendRequest);
  if (requestMs !== undefined && requestMs > 0 && backendMs !== undefined && backendMs > requestMs) {
    return unsupported(`${path}.backendRequest: must be at most the request timeout`);
  }
  // A backend without a limit of its own is bounded by the request.
  const ms = backendMs === 0 ? (requestMs ?? 0) : (backendMs ?? requestMs);
  return ok(ms === 0 ? 'disabled' : ms);
}

function unsupported(message: string): Outcome<never> {
  return fail('Accepted', 'UnsupportedValue', message);
}
