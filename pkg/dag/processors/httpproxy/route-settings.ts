import type { TimeoutPolicy } from '../../../apis/projectcontour/v1/httpproxy.ts';
import type { TimeoutSetting } from '../../../config/config.ts';
import { errorMessage } from '../../../util/error-text.ts';
import { fail, failed, type Outcome, ok, type Problem } from '../../../util/outcome.ts';
import type { HealthCheck } from '../../model/cluster.ts';
import type { HeadersPolicy } from '../../model/headers.ts';
import type { CookieRewrite } from '../../model/host-policies.ts';
import type { RouteMatch } from '../../model/route.ts';
import { cookieRewrites } from '../../policy/cookie-rewrite.ts';
import { headersPolicy } from '../../policy/headers.ts';
import { httpHealthCheck } from '../../policy/health-check.ts';
import { type LoadBalancing, routeLoadBalancing } from '../../policy/load-balancing.ts';
import { retryProblem } from '../../policy/retry.ts';
import { prefixReplacement } from '../../policy/rewrite.ts';
import { parseTimeout } from '../../policy/timeout.ts';
import { problem } from './build.ts';
import type { RouteContext } from './route-context.ts';

/** The checked settings of a route, whatever its action. */
export interface RouteSettings {
  readonly requestHeaders?: HeadersPolicy | undefined;
  readonly responseHeaders?: HeadersPolicy | undefined;
  readonly timeouts: Timeouts;
  /** What the matched prefix becomes. */
  readonly replacement?: string | undefined;
  readonly healthCheck?: HealthCheck | undefined;
  readonly loadBalancing: LoadBalancing;
  readonly cookies: readonly CookieRewrite[];
}

interface Timeouts {
  readonly response: TimeoutSetting;
  readonly idle: TimeoutSetting;
  readonly idleConnection: TimeoutSetting;
}

/** Reads all settings of a route; the first that is wrong is the problem. */
export function routeSettings({ visit, route, path }: RouteContext, match: RouteMatch): Outcome<RouteSettings> {
  const variables = { CONTOUR_NAMESPACE: visit.namespace };
  const request = headersPolicy(route.requestHeadersPolicy, { host: 'literal-or-header', variables });
  if (!request.ok) return fail('RouteError', 'RequestHeadersPolicyInvalid', `${request.problem.message} on request headers`);
  const response = headersPolicy(route.responseHeadersPolicy, { host: 'refused', variables });
  if (!response.ok) return fail('RouteError', 'ResponseHeaderPolicyInvalid', `${response.problem.message} on response headers`);
  const cookies = cookieRewrites(route.cookieRewritePolicies, 'route');
  if (!cookies.ok) return cookies;
  const timeouts = timeoutsOf(route.timeoutPolicy);
  if (!timeouts.ok) return timeouts;
  const retryError = route.retryPolicy && retryProblem(route.retryPolicy);
  if (retryError !== undefined) return failed(retryError);
  const jwtError = jwtProblem(route);
  if (jwtError !== undefined) return failed(jwtError);
  const replacement = prefixReplacement(route.pathRewritePolicy?.replacePrefix ?? [], match);
  if (!replacement.ok) return replacement;
  const healthCheck = route.healthCheckPolicy && httpHealthCheck(route.healthCheckPolicy, `${path}.healthCheckPolicy`);
  if (healthCheck?.ok === false) return healthCheck;
  return ok({
    requestHeaders: request.value,
    responseHeaders: response.value,
    timeouts: timeouts.value,
    replacement: replacement.value,
    healthCheck: healthCheck?.value,
    cookies: cookies.value,
    loadBalancing: routeLoadBalancing(route.loadBalancerPolicy),
  });
}

function timeoutsOf(policy: TimeoutPolicy = {}): Outcome<Timeouts> {
  try {
    return ok({
      response: parseTimeout(policy.response ?? ''),
      idle: parseTimeout(policy.idle ?? ''),
      idleConnection: parseTimeout(policy.idleConnection ?? ''),
    });
  } catch (error) {
    const detail = errorMessage(error);
    return fail('RouteError', 'TimeoutPolicyNotValid', `route.timeoutPolicy failed to parse: ${detail}`);
  }
}

/** A rule that contradicts itself. */
function jwtProblem({ jwtVerificationPolicy: jwt }: RouteContext['route']): Problem | undefined {
  if (!jwt?.require || !jwt.disabled) return undefined;
  const message = "route's JWT verification policy cannot specify both require and disabled";
  return problem('JWTVerificationError', 'InvalidJWTVerificationPolicy', message);
}
