import type { SlowStartPolicy } from '../../apis/projectcontour/v1/httpproxy.ts';
import { parseGoDuration } from '../../k8s/duration.ts';
import { errorMessage } from '../../util/error-text.ts';
import { fail, type Outcome, ok } from '../../util/outcome.ts';
import type { LoadBalancerPolicy, SlowStart } from '../model/cluster.ts';

/** The share at the start that a policy without one has, in percent. */
const defaultMinWeightPercent = 10;

/**
 * How an endpoint that has just become ready gets its share. It needs a strategy that knows weights, a window, and numbers that are
 * numbers; a window of 0 is none. The problem is a `ServiceError`/`SlowStartInvalid` that names the field and its value.
 * @param field Of the service, such as `spec.routes[0].services[1]`.
 */
export function slowStartOf(policy: SlowStartPolicy, strategy: LoadBalancerPolicy, field: string): Outcome<SlowStart | undefined> {
  if (strategy !== 'RoundRobin' && strategy !== 'WeightedLeastRequest') {
    return invalid(
      `${field}: slow start is only supported with RoundRobin or WeightedLeastRequest load balancer strategy, not ${strategy}`,
    );
  }
  const aggression = Number(policy.aggression ?? '1');
  if (!(aggression > 0 && Number.isFinite(aggression))) {
    return invalid(`${field}: aggression "${policy.aggression}" is no positive number on slow start`);
  }
  const minWeightPercent = policy.minWeightPercent ?? defaultMinWeightPercent;
  if (!(minWeightPercent >= 0 && minWeightPercent <= 100)) {
    return invalid(`${field}: minWeightPercent ${minWeightPercent} is not in 0 to 100 on slow start`);
  }
  const window = windowOf(policy.window);
  if (typeof window === 'string') return invalid(`${field}: ${window} on slow start`);
  return ok(window === 0 ? undefined : { windowMs: window, aggression, minWeightPercent });
}

/** The window in milliseconds, or what is wrong with it. */
function windowOf(text: string): number | string {
  try {
    const ms = parseGoDuration(text);
    return ms >= 0 ? ms : `window "${text}" is negative`;
  } catch (error) {
    return errorMessage(error);
  }
}

function invalid(message: string): Outcome<never> {
  return fail('ServiceError', 'SlowStartInvalid', message);
}
