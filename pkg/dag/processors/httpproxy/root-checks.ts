import type { ObjectRef } from '../../../apis/meta.ts';
import type { VirtualHost } from '../../../apis/projectcontour/v1/httpproxy.ts';
import type { Config } from '../../../config/config.ts';
import { compareStrings } from '../../../util/compare.ts';
import type { Problem } from '../../../util/outcome.ts';
import { problem, type RootBuild } from './build.ts';

type RootCheck = (build: RootBuild, host: VirtualHost) => Problem | undefined;

/** The first thing that keeps a root from being looked at any further. @see reference 3.11, steps 1 and 3 */
export function rootProblem(build: RootBuild): Problem | undefined {
  const host = build.root.proxy.spec.virtualhost as VirtualHost;
  for (const check of rootChecks) {
    const found = check(build, host);
    if (found !== undefined) return found;
  }
  return undefined;
}

const rootChecks: readonly RootCheck[] = [
  blankHost,
  oddHost,
  duplicateHost,
  namespaceNotAllowed,
  nothingDefined,
  jwtWithoutTls,
  authorizationWithoutTls,
  bothIpPolicies,
  limitsOverBytes,
];

function blankHost(_build: RootBuild, { fqdn }: VirtualHost): Problem | undefined {
  if (fqdn !== '') return undefined;
  return problem('VirtualHostError', 'FQDNNotSpecified', 'Spec.VirtualHost.Fqdn must be specified');
}

/** What a name has room for (RFC 1035, 2.3.4). */
const hostLimit = 253;
/** More than the schema lets pass, for objects that are older than it: any case, and underscores. A `*` that is no whole first label would be another host for Envoy, or all of them. */
const hostName = /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i;

function oddHost(_build: RootBuild, { fqdn }: VirtualHost): Problem | undefined {
  if (fqdn.length <= hostLimit && hostName.test(fqdn)) return undefined;
  const shown = JSON.stringify(fqdn.slice(0, hostLimit));
  const message = `Spec.VirtualHost.Fqdn ${shown} is invalid: it is no DNS name of at most ${hostLimit} characters, perhaps behind "*."`;
  return problem('VirtualHostError', 'FQDNNotValid', message);
}

/** Nobody can tell who of several owns a host, so nobody gets it, unless the configuration says that the oldest does; case does not tell hosts apart. */
function duplicateHost(build: RootBuild, { fqdn }: VirtualHost): Problem | undefined {
  const roots = build.reader.list('httpproxies-by-fqdn', fqdn.toLowerCase());
  if (roots.length < 2) return undefined;
  const owner = build.config.duplicateHosts === 'oldest-wins' ? oldestRoot(build, roots) : undefined;
  const { namespace, proxy } = build.root;
  if (owner?.namespace === namespace && owner.name === proxy.metadata.name) return undefined;
  const ids = roots.map(({ namespace, name }) => `${namespace}/${name}`).sort(compareStrings);
  const message = `fqdn "${fqdn}" is used in multiple HTTPProxies: ${ids.join(', ')}`;
  const told = owner === undefined ? message : `${message}; ${owner.namespace}/${owner.name} is the oldest and keeps it`;
  return problem('VirtualHostError', 'DuplicateVhost', told);
}

/** Of the roots that may be there, the one that was created first; of the same age, the first by name. */
function oldestRoot({ reader, config }: RootBuild, roots: readonly ObjectRef[]): ObjectRef | undefined {
  const createdAt = ({ namespace, name }: ObjectRef): string => reader.get('HTTPProxy', namespace, name)?.metadata.creationTimestamp ?? '';
  const aged = roots.filter(({ namespace }) => mayHoldRoots(config, namespace)).map((root) => ({ root, createdAt: createdAt(root) }));
  // The list is in order of names, and sorting keeps that.
  return aged.sort((a, b) => compareStrings(a.createdAt, b.createdAt))[0]?.root;
}

function mayHoldRoots({ rootNamespaces }: Config, namespace: string): boolean {
  return rootNamespaces.length === 0 || rootNamespaces.includes(namespace);
}

function namespaceNotAllowed({ root, config }: RootBuild): Problem | undefined {
  if (mayHoldRoots(config, root.namespace)) return undefined;
  const message = `a root HTTPProxy cannot be defined in namespace "${root.namespace}"`;
  return problem('RootNamespaceError', 'RootProxyNotAllowedInNamespace', message);
}

function nothingDefined({ root }: RootBuild): Problem | undefined {
  const { routes = [], includes = [], tcpproxy } = root.proxy.spec;
  if (routes.length + includes.length > 0 || tcpproxy !== undefined) return undefined;
  return problem('SpecError', 'NothingDefined', 'HTTPProxy.Spec must have at least one route, include, or a tcpproxy');
}

/** Over a tcpproxy nobody would look at tokens. */
function jwtWithoutTls({ root }: RootBuild, { jwtProviders = [], tls }: VirtualHost): Problem | undefined {
  if (jwtProviders.length === 0 || (tls?.secretName && root.proxy.spec.tcpproxy === undefined)) return undefined;
  const message = 'Spec.VirtualHost.JWTProviders can only be defined for hosts that terminate TLS and have no tcpproxy';
  return problem('JWTVerificationError', 'JWTVerificationNotPermitted', message);
}

function authorizationWithoutTls(_build: RootBuild, { authorization, tls }: VirtualHost): Problem | undefined {
  if (!authorization?.extensionRef?.name || tls !== undefined) return undefined;
  const message = 'Spec.VirtualHost.Authorization.ExtensionServiceRef can only be defined for hosts with TLS';
  return problem('AuthError', 'AuthNotPermitted', message);
}

function bothIpPolicies(_build: RootBuild, { ipAllowPolicy = [], ipDenyPolicy = [] }: VirtualHost): Problem | undefined {
  if (ipAllowPolicy.length === 0 || ipDenyPolicy.length === 0) return undefined;
  const message = 'Spec.VirtualHost: ipAllowPolicy and ipDenyPolicy cannot be used together';
  return problem('IPFilterError', 'IncompatibleIPAddressFilters', message);
}

/** The filters that keep these guards see requests; a tcpproxy would pass its bytes by them. */
function limitsOverBytes({ root }: RootBuild, host: VirtualHost): Problem | undefined {
  if (root.proxy.spec.tcpproxy === undefined) return undefined;
  const { ipAllowPolicy = [], ipDenyPolicy = [], rateLimitPolicy: limit } = host;
  if (ipAllowPolicy.length + ipDenyPolicy.length > 0) {
    const message = `Spec.VirtualHost.${ipAllowPolicy.length > 0 ? 'IPAllowPolicy' : 'IPDenyPolicy'} cannot be used with a tcpproxy`;
    return problem('IPFilterError', 'IPFilterPolicyNotValid', message);
  }
  if (limit?.local === undefined && limit?.global === undefined) return undefined;
  return problem('VirtualHostError', 'RateLimitPolicyNotValid', 'Spec.VirtualHost.RateLimitPolicy cannot be used with a tcpproxy');
}
