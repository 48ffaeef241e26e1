import type { HTTPDirectResponsePolicy } from '../../../apis/projectcontour/v1/httpproxy.ts';
import { fail, failed, type Outcome, ok } from '../../../util/outcome.ts';
import type { Route, RouteAction, RouteMatch } from '../../model/route.ts';
import { ipFilter } from '../../policy/ip-filter.ts';
import { localRateLimit } from '../../policy/local-rate-limit.ts';
import { mergeConditions } from '../../policy/match.ts';
import { headerConditionsError, pathConditionsError, queryConditionsError } from '../../policy/match-rules.ts';
import { routeRateLimit } from '../../policy/rate-limit.ts';
import { regexError } from '../../policy/regex.ts';
import { authorizationOf } from './authorization.ts';
import { originOf, problem } from './build.ts';
import { forwardAction } from './forward.ts';
import { routeJwt } from './jwt.ts';
import { redirectOf } from './redirect.ts';
import type { RouteContext } from './route-context.ts';
import type { RouteDraft } from './route-draft.ts';
import { type RouteSettings, routeSettings } from './route-settings.ts';
import { uselessRouteFields } from './useless-fields.ts';

/**
 * One route. A problem means that its whole proxy is left without routes; what only concerns a part of the route (a
 * Service that is not there) is recorded, and the route stays with what is left.
 */
export function processRoute(context: RouteContext): Outcome<RouteDraft> {
  const { build, visit, route, path } = context;
  const match = matchOf(context);
  if (!match.ok) return match;
  const settings = routeSettings(context, match.value);
  if (!settings.ok) return settings;
  const limit = routeRateLimit(build.config, route.rateLimitPolicy?.global);
  if (!limit.ok) return limit;
  const access = accessRules(context);
  if (!access.ok) return access;
  const action = access.value === 'closed' ? ok<RouteAction>({ type: 'direct-response', status: 403 }) : actionOf(context, settings.value);
  if (!action.ok) return action;

  visit.warnings.push(...uselessRouteFields(context, settings.value));
  const { requestHeaders, responseHeaders } = settings.value;
  const authorization = authorizationOf(context);
  const made: Route = {
    match: match.value,
    action: action.value,
    ...(access.value !== 'closed' && access.value),
    httpsRedirect: false,
    priority: 0,
    ...(requestHeaders !== undefined && { requestHeaders }),
    ...(responseHeaders !== undefined && { responseHeaders }),
    ...(authorization !== undefined && { authorization }),
    ...(limit.value !== undefined && { globalRateLimit: limit.value }),
    origin: originOf(visit.proxy, path),
  };
  return ok({ route: made, permitInsecure: route.permitInsecure === true && !build.config.disablePermitInsecure });
}

function matchOf({ build, route, inherited, path }: RouteContext): Outcome<RouteMatch> {
  const own = route.conditions ?? [];
  const pathError = pathConditionsError(own);
  if (pathError !== undefined) return fail('RouteError', 'PathMatchConditionsNotValid', `${path}.conditions: ${pathError}`);
  const all = [...inherited, ...own];
  const headerError = headerConditionsError(all);
  if (headerError !== undefined) return fail('RouteError', 'HeaderMatchConditionsNotValid', `${path}.conditions: ${headerError}`);
  const queryError = queryConditionsError(all);
  if (queryError !== undefined) return fail('RouteError', 'QueryParameterMatchConditionsNotValid', `${path}.conditions: ${queryError}`);
  const match = mergeConditions(all, build.hostMatches);
  // Behind the prefix of an include it is another expression: an open quote, say, takes in what follows.
  const joinedError = match.path.type === 'regex' ? regexError(match.path.regex) : undefined;
  if (joinedError === undefined) return ok(match);
  const message = `${path}.conditions: the regex behind the prefix of its include is invalid: ${joinedError}`;
  return fail('RouteError', 'PathMatchConditionsNotValid', message);
}

function actionOf(context: RouteContext, settings: RouteSettings): Outcome<RouteAction> {
  const { services = [], requestRedirectPolicy, directResponsePolicy } = context.route;
  const count = [services.length > 0, requestRedirectPolicy, directResponsePolicy].filter(Boolean).length;
  if (count !== 1) {
    const message = `${context.path} must set exactly one of services, requestRedirectPolicy and directResponsePolicy`;
    return fail('RouteError', 'RouteActionCountNotValid', message);
  }
  if (requestRedirectPolicy !== undefined) {
    const redirect = redirectOf(requestRedirectPolicy);
    return redirect.ok ? ok({ type: 'redirect', redirect: redirect.value }) : redirect;
  }
  if (directResponsePolicy !== undefined) {
    return directResponse(directResponsePolicy);
  }
  return forwardAction(context, settings);
}

/** Envoy refuses a route table with a longer body (`max_direct_response_body_size_bytes`). */
const bodyLimitBytes = 4096;

function directResponse({ statusCode, body = '' }: HTTPDirectResponsePolicy): Outcome<RouteAction> {
  const size = new TextEncoder().encode(body).length;
  if (size > bodyLimitBytes) {
    return invalidResponse(`the body has ${size} bytes, at most ${bodyLimitBytes} are possible`);
  }
  if (!(statusCode >= 200 && statusCode <= 599)) return invalidResponse(`statusCode ${statusCode} is not in 200 to 599`);
  return ok({ type: 'direct-response', status: statusCode, ...(body !== '' && { body }) });
}

function invalidResponse(what: string): Outcome<never> {
  return fail('RouteError', 'DirectResponsePolicyNotValid', `route.directResponsePolicy is invalid: ${what}`);
}

type AccessRules = Pick<Route, 'ipFilter' | 'localRateLimit' | 'jwt'>;

/** Who may use the route and how often. One that asks for the tokens of nobody that is known is closed: without it, requests would just pass. */
function accessRules(context: RouteContext): Outcome<AccessRules | 'closed'> {
  const { visit, route, path } = context;
  const { filter, problems } = ipFilter(route, path);
  const [last] = problems.slice(-1);
  visit.errors.push(...problems.slice(0, -1));
  if (last !== undefined) return failed(last);
  const local = route.rateLimitPolicy?.local;
  const limit = local && localRateLimit(local);
  if (limit?.ok === false) {
    return fail('RouteError', 'RateLimitPolicyNotValid', `route.rateLimitPolicy is invalid: ${limit.problem.message}`);
  }
  const { jwt, problem: undefinedProvider } = routeJwt(context);
  if (undefinedProvider !== undefined) {
    visit.errors.push(undefinedProvider);
    return ok('closed');
  }
  if (jwt !== undefined && route.permitInsecure === true) {
    const message = `${path}.permitInsecure has no effect: the route asks for tokens, which are taken over TLS only`;
    visit.warnings.push(problem('SpecError', 'IgnoredField', message));
  }
  return ok({
    ...(filter !== undefined && { ipFilter: filter }),
    ...(limit !== undefined && { localRateLimit: limit.value }),
    ...(jwt !== undefined && { jwt }),
  });
}
