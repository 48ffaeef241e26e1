import type { BackendRef } from '../../../apis/gateway/common.ts';
import type { HTTPRouteFilter, HTTPRouteTimeouts } from '../../../apis/gateway/http-route.ts';
import type { Outcome, Problem } from '../../../util/outcome.ts';
import { ok } from '../../../util/outcome.ts';
import type { WeightedCluster } from '../../model/cluster.ts';
import type { ForwardPolicy, Route, RouteAction, RouteMatch } from '../../model/route.ts';
import { defaultRouteAuthorization } from '../../policy/authorization.ts';
import { type RouteContext, requestCluster, weightOf } from './backends.ts';
import { type Finding, fault } from './findings.ts';
import { pathRewrite, redirectOf } from './path-modifier.ts';
import { backendFilters, type RuleFilters, ruleFilters } from './rule-filters.ts';
import { responseTimeout } from './rule-timeouts.ts';

/** A rule of an HTTPRoute or a GRPCRoute, in the words that they share. */
export interface RouteDraft {
  /** Place among the rules of its route. */
  readonly index: number;
  /** Any of them, each at its field. Empty where all are at fault. */
  readonly matches: readonly { readonly match: RouteMatch; readonly path: string }[];
  /** What is wrong with the matches that were left out. */
  readonly findings: readonly Finding[];
  readonly filters: readonly HTTPRouteFilter[];
  readonly supportedFilters: readonly HTTPRouteFilter['type'][];
  readonly backendRefs: readonly (BackendRef & { readonly filters?: readonly HTTPRouteFilter[] })[];
  readonly timeouts: HTTPRouteTimeouts;
  /** Whether connections may be upgraded to WebSocket. */
  readonly websocket: boolean;
}

/** The routes of a rule, and what is wrong with it. */
export interface RuleRoutes {
  readonly routes: readonly Route[];
  readonly findings: readonly Finding[];
}

/**
 * Makes a route of each match of a rule. A rule that cannot be done as it says, because of an unknown filter or a bad timeout,
 * answers 500: left out, its requests would go to a broader rule. A backend that cannot be found fails its share alone.
 */
export function routesOfRule(draft: RouteDraft, context: RouteContext): RuleRoutes {
  const path = `spec.rules[${draft.index}]`;
  const filters = ruleFilters(draft.filters, draft.supportedFilters, `${path}.filters`);
  const timeout = responseTimeout(draft.timeouts, `${path}.timeouts`);
  const faults = [...filters.findings, ...(timeout.ok ? [] : [findingOf(timeout.problem)])];
  const forward =
    filters.redirect === undefined ? forwardAction(draft, filters, timeout.ok ? timeout.value : undefined, context) : undefined;
  const action = faults.length > 0 ? failure(500) : forward?.action;
  const findings = [...draft.findings, ...faults, ...(forward?.findings ?? [])];
  const authorization = defaultRouteAuthorization(context.config);
  const routes = draft.matches.map(({ match, path: matchPath }) => {
    const made = action?.type === 'direct-response' ? ok(action) : actionFor(action, filters, match, `${path}.filters`);
    if (!made.ok) findings.push(findingOf(made.problem));
    const of = { action: made.ok ? made.value : failure(500), filters, origin: { ...context.ref, path: matchPath } };
    return { ...route(draft, match, of), ...authorization };
  });
  return { routes, findings };
}

function route(
  { index }: RouteDraft,
  match: RouteMatch,
  { action, filters, origin }: { action: RouteAction; filters: RuleFilters; origin: Route['origin'] },
): Route {
  const { requestHeaders, responseHeaders } = filters;
  return {
    match,
    action,
    httpsRedirect: false,
    priority: Math.min(index, 255),
    ...(requestHeaders !== undefined && action.type === 'forward' && { requestHeaders }),
    ...(responseHeaders !== undefined && { responseHeaders }),
    origin,
  };
}

/** What is done for one match: what a redirect or rewrite makes of a path depends on how it was matched. */
function actionFor(
  action: RouteAction | undefined,
  { redirect, rewrite }: RuleFilters,
  match: RouteMatch,
  path: string,
): Outcome<RouteAction> {
  if (redirect !== undefined) {
    const made = redirectOf(redirect, match.path, path);
    return made.ok ? ok({ type: 'redirect', redirect: made.value }) : made;
  }
  if (action?.type !== 'forward') return ok(action ?? failure(500));
  const made = pathRewrite(rewrite?.path, match.path, path);
  if (!made.ok) return made;
  return ok(made.value === undefined ? action : { ...action, forward: { ...action.forward, pathRewrite: made.value } });
}

function forwardAction(
  draft: RouteDraft,
  filters: RuleFilters,
  responseTimeoutMs: number | 'disabled' | undefined,
  context: RouteContext,
): { action: RouteAction; findings: readonly Finding[] } {
  const path = `spec.rules[${draft.index}]`;
  if (draft.backendRefs.length === 0) {
    const finding = fault('ResolvedRefs', 'Degraded', `At least one ${path}.backendRefs must be specified.`);
    return { action: failure(404), findings: [finding] };
  }
  const backends = weightedBackends(draft, context);
  const mirrors = mirrorsOf(filters, context);
  const findings = [...backends.findings, ...mirrors.findings];
  if (backends.clusters.length === 0) return { action: failure(500), findings };
  const forward: ForwardPolicy = {
    ...(responseTimeoutMs !== undefined && { responseTimeoutMs }),
    ...(draft.websocket && { websocket: true }),
    ...(mirrors.mirrors.length > 0 && { mirrors: mirrors.mirrors }),
  };
  const { clusters, errorWeight } = backends;
  return { action: { type: 'forward', clusters, forward, ...(errorWeight > 0 && { errorWeight }) }, findings };
}

interface Backends {
  readonly clusters: readonly WeightedCluster[];
  readonly errorWeight: number;
  readonly findings: readonly Finding[];
}

function weightedBackends(draft: RouteDraft, context: RouteContext): Backends {
  const clusters: WeightedCluster[] = [];
  const findings: Finding[] = [];
  let errorWeight = 0;
  for (const [i, backend] of draft.backendRefs.entries()) {
    const weight = weightOf(backend);
    const path = `spec.rules[${draft.index}].backendRefs[${i}]`;
    const cluster = requestCluster(backend, path, context);
    const filters = ruleFilters(backend.filters ?? [], backendFilters, `${path}.filters`);
    findings.push(...(cluster.ok ? [] : [findingOf(cluster.problem)]), ...filters.findings);
    if (!cluster.ok || cluster.value === 'withheld' || filters.findings.length > 0) errorWeight += weight;
    else if (weight > 0) clusters.push(weighted(cluster.value, weight, filters));
  }
  return { clusters, errorWeight, findings };
}

function weighted(cluster: WeightedCluster['cluster'], weight: number, { requestHeaders, responseHeaders }: RuleFilters): WeightedCluster {
  return {
    cluster,
    weight,
    ...(requestHeaders !== undefined && { requestHeaders }),
    ...(responseHeaders !== undefined && { responseHeaders }),
  };
}

function mirrorsOf(
  filters: RuleFilters,
  context: RouteContext,
): { mirrors: NonNullable<ForwardPolicy['mirrors']>; findings: readonly Finding[] } {
  const mirrors: { cluster: WeightedCluster['cluster']; percent: number }[] = [];
  const findings: Finding[] = [];
  for (const {
    filter: { backendRef, percent, fraction },
    path,
  } of filters.mirrors) {
    const cluster = requestCluster(backendRef, `${path}.backendRef`, context);
    const share = fraction === undefined ? undefined : (fraction.numerator * 100) / (fraction.denominator ?? 100);
    if (!cluster.ok) findings.push(findingOf(cluster.problem));
    else if (cluster.value !== 'withheld') mirrors.push({ cluster: cluster.value, percent: percent ?? share ?? 100 });
  }
  return { mirrors, findings };
}

function findingOf({ type, reason, message }: Problem): Finding {
  return fault(type, reason, message);
}

function failure(status: number): RouteAction & { readonly type: 'direct-response' } {
  return { type: 'direct-response', status };
}
