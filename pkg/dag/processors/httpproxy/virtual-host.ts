import type { VirtualHost } from '../../../apis/projectcontour/v1/httpproxy.ts';
import type { Route } from '../../model/route.ts';
import type { TcpProxy, TlsPassthrough, TlsTermination, VirtualHostPart } from '../../model/virtual-host.ts';
import { httpListener, httpsListener } from '../../policy/listeners.ts';
import { originOf, type RootBuild } from './build.ts';
import { rootProblem } from './root-checks.ts';
import type { RouteDraft } from './route-draft.ts';
import { processRoutes } from './routes.ts';
import { processTcpProxy } from './tcp-proxy.ts';
import { processTls } from './tls.ts';
import { ignoredVirtualHostFields, unenforcedVirtualHostPolicy } from './unsupported.ts';

/**
 * The parts of one root's virtual host: plaintext always, TLS where it has `tls`. The order of the checks decides
 * which error a user sees first; one that fails leaves the host unserved on both listeners, since a host without
 * its TLS must not be open in plaintext.
 * @see reference 3.11
 */
export function processVirtualHost(build: RootBuild): readonly VirtualHostPart[] {
  const { errors, warnings, proxy } = build.root;
  const host = proxy.spec.virtualhost as VirtualHost;
  const refusal = rootProblem(build);
  if (refusal !== undefined) return refuse(build, refusal);

  const tls = host.tls === undefined ? undefined : processTls(build, host, host.tls);
  if (tls?.ok === false) return refuse(build, tls.problem);
  const tcp = processTcpProxy(build);
  if (tcp === 'failed') return [];

  const drafts = processRoutes(build);
  const unenforced = unenforcedVirtualHostPolicy(build, host);
  if (unenforced !== undefined) return refuse(build, unenforced);
  warnings.push(...ignoredVirtualHostFields(host));

  const plain = plaintextPart(build, drafts, tls !== undefined);
  const secure = tls === undefined ? [] : securePart(build, drafts, tls.value, tcp);
  return errors.some(({ type }) => type === 'ListenerError') ? [] : [...plain, ...secure];
}

function refuse(build: RootBuild, problem: RootBuild['root']['errors'][number]): readonly [] {
  build.root.errors.push(problem);
  return [];
}

function plaintextPart(build: RootBuild, drafts: readonly RouteDraft[], secured: boolean): readonly VirtualHostPart[] {
  const listener = httpListener(build.reader, build.config);
  if (!listener.ok) return refuse(build, listener.problem);
  const routes = secured ? drafts.map(redirectedToHttps) : drafts.map(({ route }) => route);
  return routes.length === 0 ? [] : [{ ...partOf(build, listener.value.name), routes }];
}

function redirectedToHttps({ route, permitInsecure }: RouteDraft): Route {
  return permitInsecure ? route : { ...route, httpsRedirect: true };
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
