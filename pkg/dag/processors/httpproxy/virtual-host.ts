import type { VirtualHost } from '../../../apis/projectcontour/v1/httpproxy.ts';
import type { Route } from '../../model/route.ts';
import type { TcpProxy, TlsPassthrough, TlsTermination, VirtualHostPart } from '../../model/virtual-host.ts';
import { httpListener, httpsListener } from '../../policy/listeners.ts';
import { hostRateLimit } from '../../policy/rate-limit.ts';
import { globalAuthorizationProblem, hostAuthorization, isGuardedByChain } from './authorization.ts';
import { originOf, type RootBuild } from './build.ts';
import { hostPolicies } from './host-policies.ts';
import { hostJwt } from './jwt.ts';
import { rootProblem } from './root-checks.ts';
import type { RouteDraft } from './route-draft.ts';
import { processRoutes } from './routes.ts';
import { processTcpProxy } from './tcp-proxy.ts';
import { processTls } from './tls.ts';

/**
 * The parts of one root's virtual host: plaintext always, TLS where it has `tls`. The order of the checks decides
 * which error a user sees first; one that fails leaves the host unserved on both listeners, since a host without
 * its TLS must not be open in plaintext.
 * @see reference 3.11
 */
export function processVirtualHost(build: RootBuild): readonly VirtualHostPart[] {
  const { errors, proxy } = build.root;
  const host = proxy.spec.virtualhost as VirtualHost;
  const refusal = rootProblem(build);
  if (refusal !== undefined) return refuse(build, refusal);

  const tls = host.tls === undefined ? undefined : processTls(build, host, host.tls);
  if (tls?.ok === false) return refuse(build, tls.problem);
  const authorization = hostAuthorization(build, host);
  if (!authorization.ok) return refuse(build, authorization.problem);
  const jwt = hostJwt(build, host);
  if (!jwt.ok) return refuse(build, jwt.problem);
  const tcp = processTcpProxy(build);
  if (tcp === 'failed') return [];

  const drafts = processRoutes(build);
  const policies = hostPolicies(host);
  if ('length' in policies) return refuse(build, ...policies);
  const limit = hostRateLimit(build.config, host.rateLimitPolicy?.global);
  if (!limit.ok) return refuse(build, limit.problem);
  const globalProblem = globalAuthorizationProblem(build, host);
  if (globalProblem !== undefined) errors.push(globalProblem);
  const guards = {
    ...policies,
    ...(limit.value !== undefined && { globalRateLimit: limit.value }),
    ...(authorization.value !== undefined && { authorization: authorization.value }),
    ...(jwt.value !== undefined && { jwt: jwt.value }),
  };

  const plain = plaintextPart(build, drafts, tls !== undefined);
  const secure = tls === undefined ? [] : securePart(build, drafts, tls.value, tcp);
  if (errors.some(({ type }) => type === 'ListenerError')) return [];
  const { authorization: _, jwt: __, ...everywhere } = guards;
  return [...plain.map((part) => ({ ...part, ...everywhere })), ...secure.map((part) => ({ ...part, ...guards }))];
}

function refuse(build: RootBuild, ...problems: RootBuild['root']['errors']): readonly [] {
  build.root.errors.push(...problems);
  return [];
}

function plaintextPart(build: RootBuild, drafts: readonly RouteDraft[], secured: boolean): readonly VirtualHostPart[] {
  const listener = httpListener(build.reader, build.config);
  if (!listener.ok) return refuse(build, listener.problem);
  const routes = secured ? drafts.map(redirectedToHttps) : drafts.map(({ route }) => route);
  return routes.length === 0 ? [] : [{ ...partOf(build, listener.value.name), routes }];
}

function redirectedToHttps({ route, permitInsecure }: RouteDraft): Route {
  return permitInsecure && !isGuardedByChain(route) ? route : { ...route, httpsRedirect: true };
}

function securePart(
  build: RootBuild,
  drafts: readonly RouteDraft[],
  tls: TlsTermination | TlsPassthrough,
  tcpProxy: TcpProxy | undefined,
): readonly VirtualHostPart[] {
  const listener = httpsListener(build.reader, build.config);
  if (!listener.ok) return refuse(build, listener.problem);
  const part = partOf(build, listener.value.name);
  if (tcpProxy !== undefined) return [{ ...part, routes: [], tls, tcpProxy }];
  const served = build.root.proxy.spec.tcpproxy === undefined && tls.type === 'terminate' && drafts.length > 0;
  return served ? [{ ...part, routes: drafts.map(({ route }) => withSecureCookies(route)), tls }] : [];
}

/** Over TLS the cookie that keeps a client on its endpoint is for TLS alone. */
function withSecureCookies(route: Route): Route {
  if (route.action.type !== 'forward' || route.action.forward?.hashPolicies === undefined) return route;
  const hashPolicies = route.action.forward.hashPolicies.map((policy) => (policy.type === 'cookie' ? { ...policy, secure: true } : policy));
  return { ...route, action: { ...route.action, forward: { ...route.action.forward, hashPolicies } } };
}

function partOf({ root }: RootBuild, listener: string): Omit<VirtualHostPart, 'routes'> {
  const { metadata, spec } = root.proxy;
  return {
    listener,
    host: (spec.virtualhost as VirtualHost).fqdn.toLowerCase(),
    source: 'HTTPProxy',
    createdAt: metadata.creationTimestamp ?? '',
    origin: originOf(root.proxy, 'spec.virtualhost'),
  };
}
