import type { HTTPProxyRoute, HTTPProxyService, RateLimitPolicy, VirtualHost } from '../../../apis/projectcontour/v1/httpproxy.ts';
import type { Problem } from '../../../util/outcome.ts';
import { problem, type RootBuild } from './build.ts';
import type { RouteContext } from './route-context.ts';

/*
 * What the API has and this version does not do yet. Access rules that are not enforced must not leave their host or
 * route open: they are errors, and what they guard is not served. The rest is ignored with a warning.
 */

const notYet = 'not supported by this version';

/** Why a host with an external authorization server cannot be served. @see reference 3.3 */
export function authorizationProblem({ reader, root }: RootBuild, { authorization }: VirtualHost): Problem | undefined {
  const ref = authorization?.extensionRef;
  if (authorization === undefined || !ref?.name) return undefined;
  const apiVersion = ref.apiVersion ?? 'projectcontour.io/v1alpha1';
  if (apiVersion !== 'projectcontour.io/v1alpha1') {
    const message = `Spec.Virtualhost.Authorization.ServiceRef specifies an unsupported resource version "${apiVersion}"`;
    return problem('AuthError', 'AuthBadResourceVersion', message);
  }
  const namespace = ref.namespace || root.namespace;
  if (reader.get('ExtensionService', namespace, ref.name) === undefined) {
    const message = `Spec.Virtualhost.Authorization.ServiceRef extension service "${namespace}/${ref.name}" not found`;
    return problem('AuthError', 'ExtensionServiceNotFound', message);
  }
  if (authorization.serviceType === 'http' && Object.keys(authorization.authPolicy?.context ?? {}).length > 0) {
    const message = 'Spec.Virtualhost.Authorization.AuthPolicy.Context cannot be used with service type http';
    return problem('AuthError', 'AuthContextForHTTP', message);
  }
  return problem('AuthError', 'AuthNotPermitted', `Spec.VirtualHost.Authorization is ${notYet}, so the host is not served`);
}

/** Why a host with JWT providers cannot be served. @see reference 3.6 */
export function jwtProblem({ jwtProviders = [] }: VirtualHost): Problem | undefined {
  if (jwtProviders.length === 0) return undefined;
  const names = jwtProviders.map(({ name }) => name);
  const repeated = names.find((name, i) => names.indexOf(name) !== i);
  const field = 'Spec.VirtualHost.JWTProviders';
  if (repeated !== undefined) {
    return problem('JWTVerificationError', 'DuplicateProviderName', `${field} is invalid: duplicate name ${repeated}`);
  }
  if (jwtProviders.filter((provider) => provider.default === true).length > 1) {
    const message = `${field} is invalid: at most one provider can be set as the default`;
    return problem('JWTVerificationError', 'MultipleDefaultProvidersSpecified', message);
  }
  return problem('JWTVerificationError', 'JWTVerificationNotPermitted', `${field} is ${notYet}, so the host is not served`);
}

/** The access rule of a host that this version would not enforce. */
export function unenforcedVirtualHostPolicy({ config }: RootBuild, host: VirtualHost): Problem | undefined {
  if (limitsRate(host.rateLimitPolicy)) {
    const message = `Spec.VirtualHost.RateLimitPolicy is ${notYet}, so the host is not served`;
    return problem('VirtualHostError', 'RateLimitPolicyNotValid', message);
  }
  const service = config.rateLimitService;
  const exempt = host.rateLimitPolicy?.global?.disabled === true || service?.failOpen === true;
  if (!exempt && (service?.defaultPolicy?.descriptors ?? []).length > 0) {
    const message = `Default Global RateLimit Policy is ${notYet}, so the host is not served`;
    return problem('VirtualHostError', 'RateLimitPolicyNotValid', message);
  }
  if (host.ipAllowPolicy?.length || host.ipDenyPolicy?.length) {
    const message = `Spec.VirtualHost.IPAllowPolicy and IPDenyPolicy are ${notYet}, so the host is not served`;
    return problem('IPFilterError', 'IPFilterPolicyNotValid', message);
  }
  return undefined;
}

/** The access rule of a route that this version would not enforce. */
export function unenforcedRoutePolicy({ build, route, path }: RouteContext): Problem | undefined {
  if (isAuthorizedGlobally(build, route)) {
    return problem('AuthError', 'AuthNotPermitted', `global external authorization is ${notYet}, so ${path} answers 503`);
  }
  if (limitsRate(route.rateLimitPolicy)) {
    return problem('RouteError', 'RateLimitPolicyNotValid', `${path}.rateLimitPolicy is ${notYet}, so the route answers 503`);
  }
  if (route.ipAllowPolicy?.length || route.ipDenyPolicy?.length) {
    const message = `${path}.ipAllowPolicy and ipDenyPolicy are ${notYet}, so the route answers 503`;
    return problem('IPFilterError', 'IPFilterPolicyNotValid', message);
  }
  return undefined;
}

/** Whether the authorization of the configuration holds for a route: the route's word, else the host's, else its own. */
function isAuthorizedGlobally({ config, root }: RootBuild, { authPolicy }: HTTPProxyRoute): boolean {
  if (config.globalExtAuth === undefined) return false;
  if (authPolicy !== undefined) return authPolicy.disabled !== true;
  const authorization = root.proxy.spec.virtualhost?.authorization;
  if (authorization !== undefined) return authorization.authPolicy?.disabled !== true;
  return config.globalExtAuth.authPolicy?.disabled !== true;
}

function limitsRate(policy: RateLimitPolicy | undefined): boolean {
  return policy?.local !== undefined || (policy?.global?.descriptors ?? []).length > 0;
}

export function ignoredVirtualHostFields({ corsPolicy }: VirtualHost): readonly Problem[] {
  return [...(corsPolicy === undefined ? [] : [ignored('Spec.VirtualHost.CORSPolicy')])];
}

export function ignoredRouteFields(route: HTTPProxyRoute, path: string): readonly Problem[] {
  return [
    ...(route.cookieRewritePolicies?.length ? [ignored(`${path}.cookieRewritePolicies`)] : []),
    ...(route.internalRedirectPolicy === undefined ? [] : [ignored(`${path}.internalRedirectPolicy`)]),
  ];
}

export function ignoredServiceFields(service: HTTPProxyService, path: string): readonly Problem[] {
  return [...(service.cookieRewritePolicies?.length ? [ignored(`${path}.cookieRewritePolicies`)] : [])];
}

function ignored(field: string): Problem {
  return problem('SpecError', 'IgnoredField', `${field} is ${notYet} and has no effect`);
}
