import type { HTTPProxyService } from '../../../apis/projectcontour/v1/httpproxy.ts';
import { fail, type Outcome, ok } from '../../../util/outcome.ts';
import type { WeightedCluster } from '../../model/cluster.ts';
import type { ForwardPolicy, RouteAction } from '../../model/route.ts';
import { mergeCookieRewrites } from '../../policy/cookie-rewrite.ts';
import { internalRedirect, internalRedirectFault } from '../../policy/internal-redirect.ts';
import { retryPolicy } from '../../policy/retry.ts';
import { effectiveWeights } from '../../policy/weights.ts';
import type { RouteContext } from './route-context.ts';
import type { RouteSettings } from './route-settings.ts';
import { processService } from './service.ts';

type Mirror = NonNullable<ForwardPolicy['mirrors']>[number];

/** Sends requests on to a route's services; 503 where none of them can be used. */
export function forwardAction(context: RouteContext, settings: RouteSettings): Outcome<RouteAction> {
  const { internalRedirectPolicy: redirects } = context.route;
  const fault = redirects && internalRedirectFault(redirects);
  if (fault !== undefined) {
    return fail('RouteError', 'InternalRedirectPolicyNotValid', `route.internalRedirectPolicy is invalid: ${fault}`);
  }
  const clusters: WeightedCluster[] = [];
  const mirrors: Mirror[] = [];
  for (const [i, service] of (context.route.services ?? []).entries()) {
    const made = processService(context, settings, service, i);
    if (!made.ok) return made;
    if (made.value === undefined) continue;
    if (service.mirror !== true) {
      clusters.push(made.value);
      continue;
    }
    if (mirrors.length > 0) return fail('ServiceError', 'OnlyOneMirror', 'only one service per route may be nominated as mirror');
    mirrors.push({ cluster: made.value.cluster, percent: mirrorPercent(service) });
  }
  if (clusters.length === 0) return ok({ type: 'direct-response', status: 503 });

  const weights = effectiveWeights(clusters.map(({ weight }) => weight));
  const weighted = clusters.map((cluster, i) => ({ ...cluster, weight: weights[i] ?? 0 }));
  const forward = forwardPolicy(context, settings, mirrors);
  return ok({ type: 'forward', clusters: weighted, ...(Object.keys(forward).length > 0 && { forward }) });
}

/** Of a mirror, nothing said or 0 means all requests. */
function mirrorPercent({ weight = 0 }: HTTPProxyService): number {
  return weight === 0 ? 100 : Math.min(weight, 100);
}

function forwardPolicy({ route }: RouteContext, settings: RouteSettings, mirrors: readonly Mirror[]): ForwardPolicy {
  const { response, idle } = settings.timeouts;
  const { replacement, loadBalancing, cookies } = settings;
  const { hashPolicies } = loadBalancing;
  return {
    ...(response !== undefined && { responseTimeoutMs: response }),
    ...(idle !== undefined && { idleTimeoutMs: idle }),
    ...(route.retryPolicy !== undefined && { retry: retryPolicy(route.retryPolicy) }),
    ...(replacement !== undefined && { pathRewrite: { type: 'prefix', replacement } }),
    ...(route.enableWebsockets === true && { websocket: true }),
    ...(hashPolicies !== undefined && { hashPolicies }),
    ...(cookies.length > 0 && { cookieRewrites: mergeCookieRewrites(cookies, []) }),
    ...(route.internalRedirectPolicy !== undefined && { internalRedirect: internalRedirect(route.internalRedirectPolicy) }),
    ...(mirrors.length > 0 && { mirrors }),
  };
}
