import type { VirtualHost } from '../../../apis/projectcontour/v1/httpproxy.ts';
import { fail, type Outcome, ok, type Problem } from '../../../util/outcome.ts';
import type { ExternalAuthorization, RouteAuthorization } from '../../model/guards.ts';
import type { Route } from '../../model/route.ts';
import { hostAuthorizationPolicy, ownAuthorization, ownAuthorizationRef, routeAuthorization } from '../../policy/authorization.ts';
import { extensionTarget } from '../../policy/extension-service.ts';
import { problem, type RootBuild } from './build.ts';
import type { RouteContext } from './route-context.ts';

/** The authorization server that a host behind TLS names; `undefined`: none. @see reference 3.3 */
export function hostAuthorization(build: RootBuild, host: VirtualHost): Outcome<ExternalAuthorization | undefined> {
  const { reader, config, root } = build;
  const { authorization } = host;
  if (authorization === undefined || ownAuthorizationRef(authorization, root.namespace) === undefined) return ok(undefined);
  if (host.tls?.passthrough === true || root.proxy.spec.tcpproxy !== undefined) {
    // Nobody could be asked about bytes that go on as they are, and whoever named the server counts on it.
    const message = 'Spec.VirtualHost.Authorization.ExtensionServiceRef cannot be used with TLS passthrough or a tcpproxy';
    return fail('AuthError', 'AuthNotPermitted', message);
  }
  return ownAuthorization(reader, config, authorization, root.namespace);
}

/** What is wrong with the server of the configuration, for a host that relies on it. Its routes are refused for as long, not open. */
export function globalAuthorizationProblem({ reader, config, root }: RootBuild, { authorization }: VirtualHost): Problem | undefined {
  const global = config.globalExtAuth;
  if (global === undefined || ownAuthorizationRef(authorization, root.namespace) !== undefined) return undefined;
  if (hostAuthorizationPolicy(config, authorization).disabled === true) return undefined;
  const target = extensionTarget(reader, config, global.extensionService);
  if (target.ok) return undefined;
  return problem('AuthError', 'ExtensionServiceNotFound', `Spec.Virtualhost.Authorization.ServiceRef ${target.problem.message}`);
}

/** What holds for a route, by the words of the configuration, the root and the route itself. Adds warnings. */
export function authorizationOf({ build, visit, route, path }: RouteContext): RouteAuthorization | undefined {
  const { config, root } = build;
  const server = root.proxy.spec.virtualhost?.authorization;
  const own = ownAuthorizationRef(server, root.namespace) !== undefined;
  const found = routeAuthorization(config, { server, own }, route.authPolicy);
  const warn = (message: string) => visit.warnings.push(problem('SpecError', 'IgnoredField', message));
  if (found === undefined && route.authPolicy !== undefined) {
    warn(`${path}.authPolicy has no effect: neither the virtual host nor the configuration has an authorization server`);
  }
  if (needsOwnChain(found) && route.permitInsecure === true) {
    warn(`${path}.permitInsecure has no effect: the authorization server of the virtual host is asked over TLS only`);
  }
  return found;
}

/** Whether a route must not be served in plaintext, since what guards it is in the filter chain of its host. */
export function isGuardedByChain({ authorization, jwt }: Route): boolean {
  return jwt !== undefined || needsOwnChain(authorization);
}

function needsOwnChain(authorization: RouteAuthorization | undefined): boolean {
  return authorization?.type === 'required' && authorization.by === 'host';
}
