import type { Config } from '../../config/config.ts';
import type { ExternalAuthorization } from '../../dag/model/guards.ts';
import type { Listener } from '../../dag/model/listener.ts';
import type { Route } from '../../dag/model/route.ts';
import type { VirtualHost } from '../../dag/model/virtual-host.ts';
import type { FilterChain } from '../../envoy-api/envoy/config/listener/v3/listener_components.ts';
import { ExtAuthz, ExtAuthzPerRoute } from '../../envoy-api/envoy/extensions/filters/http/ext_authz/v3/ext_authz.ts';
import { JwtAuthentication, PerRouteConfig } from '../../envoy-api/envoy/extensions/filters/http/jwt_authn/v3/config.ts';
import { RateLimit } from '../../envoy-api/envoy/extensions/filters/http/ratelimit/v3/rate_limit.ts';
import { HttpConnectionManager } from '../../envoy-api/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.ts';
import { DownstreamTlsContext } from '../../envoy-api/envoy/extensions/transport_sockets/tls/v3/tls.ts';
import { extAuthzName } from '../filters/ext-authz.ts';
import { jwtName } from '../filters/jwt.ts';
import { localRateLimitName } from '../filters/local-rate-limit.ts';
import { rateLimitName } from '../filters/rate-limit.ts';
import { rbacName } from '../filters/rbac.ts';
import { extensionClusterName } from '../names.ts';
import { hostFilterConfig } from '../route/per-filter-config.ts';
import { routes } from '../route/routes.ts';
import { chainGroup } from './chain-group.ts';
import { fallbackFilterChain, fallbackOf } from './fallback-chain.ts';
import { ownFilterChain, plainFilterChain, sharedFilterChain } from './filter-chain.ts';

/** What a filter chain enforces, read back from its Envoy form. */
export interface ChainFacts {
  /** The cluster that is asked, and whether requests go through while nobody answers. */
  readonly authorization?: { readonly cluster: string; readonly failOpen: boolean };
  readonly rateLimit?: { readonly failOpen: boolean };
  /** The names under which tokens are checked. */
  readonly tokens: ReadonlySet<string>;
  /** The names of all HTTP filters that are on. */
  readonly filters: ReadonlySet<string>;
  /** Whether clients are asked for certificates, and whether they may have none. */
  readonly clientValidation?: { readonly optional: boolean };
}

/** Reads what a chain enforces; `undefined`: it does not end in HTTP. */
export function chainFacts(chain: FilterChain): ChainFacts | undefined {
  const manager = connectionManager(chain);
  if (manager === undefined) return undefined;
  const configOf = (name: string) => {
    const filter = manager.httpFilters.find((candidate) => candidate.name === name && !candidate.disabled);
    return filter?.configType?.$case === 'typedConfig' ? filter.configType.value.value : undefined;
  };
  const [authorization, rateLimit] = [configOf(extAuthzName), configOf(rateLimitName)];
  const tokens = configOf(jwtName);
  const clientValidation = clientValidationOf(chain);
  return {
    tokens: new Set(tokens && Object.keys(JwtAuthentication.decode(tokens).requirementMap)),
    filters: new Set(manager.httpFilters.filter(({ disabled }) => !disabled).map(({ name }) => name)),
    ...(authorization && { authorization: authorizationFacts(ExtAuthz.decode(authorization)) }),
    ...(rateLimit && { rateLimit: { failOpen: !RateLimit.decode(rateLimit).failureModeDeny } }),
    ...(clientValidation && { clientValidation }),
  };
}

/** The connection manager of a chain; `undefined`: it has none. */
export function connectionManager({ filters }: FilterChain): HttpConnectionManager | undefined {
  const filter = filters.find(({ name }) => name === 'envoy.filters.network.http_connection_manager');
  return filter?.configType?.$case === 'typedConfig' ? HttpConnectionManager.decode(filter.configType.value.value) : undefined;
}

function authorizationFacts({ services, failureModeAllow }: ExtAuthz): NonNullable<ChainFacts['authorization']> {
  const grpc = services?.$case === 'grpcService' ? services.value.targetSpecifier : undefined;
  const http = services?.$case === 'httpService' ? services.value.serverUri?.httpUpstreamType : undefined;
  const cluster = grpc?.$case === 'envoyGrpc' ? grpc.value.clusterName : http?.$case === 'cluster' ? http.value : '';
  return { cluster, failOpen: failureModeAllow };
}

function clientValidationOf({ transportSocket }: FilterChain): ChainFacts['clientValidation'] {
  if (transportSocket?.configType?.$case !== 'typedConfig') return undefined;
  const context = DownstreamTlsContext.decode(transportSocket.configType.value.value);
  if (context.commonTlsContext?.validationContextType === undefined) return undefined;
  return { optional: context.requireClientCertificate !== true };
}

/**
 * What a chain lacks that a host, or the one route of it, asks for; `undefined`: nothing. The words of the DAG are compared with what was
 * made of them, not with the rules by which it was made.
 */
export function missingGuard(facts: ChainFacts, host: VirtualHost, route: Route): string | undefined {
  if (route.httpsRedirect) return undefined;
  return (
    missingValidation(facts, host) ??
    missingAuthorization(facts, host, route) ??
    missingRateLimit(facts, host, route) ??
    missingTokens(facts, host, route) ??
    missingFilter(facts, host, route)
  );
}

function missingValidation({ clientValidation }: ChainFacts, { tls }: VirtualHost): string | undefined {
  const asked = tls?.type === 'terminate' ? tls.clientValidation : undefined;
  if (asked === undefined) return undefined;
  if (clientValidation === undefined || (clientValidation.optional && !asked.optional)) return 'client validation';
  return undefined;
}

function missingAuthorization(facts: ChainFacts, host: VirtualHost, route: Route): string | undefined {
  const { authorization: asked } = route;
  if (asked?.type !== 'required') return undefined;
  const what = 'external authorization';
  if (facts.authorization === undefined || switchesOff(route, host.host)) return what;
  if (asked.by === 'listener') return undefined;
  return isServer(facts.authorization, host.authorization) ? undefined : what;
}

function isServer(facts: NonNullable<ChainFacts['authorization']>, asked: ExternalAuthorization | undefined): boolean {
  return asked !== undefined && facts.cluster === extensionClusterName(asked.target) && (asked.failOpen || !facts.failOpen);
}

/** Whether the Envoy form of a route tells the filter to do nothing. */
function switchesOff(route: Route, host: string): boolean {
  return routes(route, host).some(({ typedPerFilterConfig }) => {
    const config = typedPerFilterConfig[extAuthzName];
    return config !== undefined && ExtAuthzPerRoute.decode(config.value).override?.$case === 'disabled';
  });
}

function missingRateLimit({ rateLimit }: ChainFacts, host: VirtualHost, { globalRateLimit: own }: Route): string | undefined {
  const asked = (own?.descriptors ?? []).length > 0 || (host.globalRateLimit !== undefined && own?.ignoreHost !== true);
  return asked && rateLimit === undefined ? 'global rate limit' : undefined;
}

function missingTokens({ tokens }: ChainFacts, { host }: VirtualHost, route: Route): string | undefined {
  const { jwt } = route;
  if (jwt === undefined) return undefined;
  const told = routes(route, host).every(({ typedPerFilterConfig }) => {
    const config = typedPerFilterConfig[jwtName];
    const specifier = config && PerRouteConfig.decode(config.value).requirementSpecifier;
    return specifier?.$case === 'requirementName' && specifier.value === jwt.provider;
  });
  return told && tokens.has(jwt.provider) ? undefined : 'JWT verification';
}

/** Filters that do what a virtual host or route tells them, and nothing where they are not told. */
function missingFilter({ filters }: ChainFacts, host: VirtualHost, route: Route): string | undefined {
  const policies = [
    { what: 'IP filter', name: rbacName, own: route.ipFilter, inherited: host.ipFilter },
    { what: 'local rate limit', name: localRateLimitName, own: route.localRateLimit, inherited: host.localRateLimit },
  ];
  return policies.find(({ name, own, inherited }) => {
    if (own === undefined && inherited === undefined) return false;
    const told =
      own === undefined
        ? name in hostFilterConfig(host)
        : routes(route, host.host).every(({ typedPerFilterConfig }) => name in typedPerFilterConfig);
    return !told || !filters.has(name);
  })?.what;
}

/** Whether a host asks for anything that a chain could lack. Most do not, and are not looked at any further. */
function asks(host: VirtualHost): boolean {
  if (host.globalRateLimit !== undefined || (host.tls?.type === 'terminate' && host.tls.clientValidation !== undefined)) return true;
  if (host.ipFilter !== undefined || host.localRateLimit !== undefined) return true;
  return host.routes.some(
    ({ authorization, globalRateLimit, jwt, ipFilter, localRateLimit }) =>
      authorization?.type === 'required' || [globalRateLimit, jwt, ipFilter, localRateLimit].some((guard) => guard !== undefined),
  );
}

/** A route that some filter chain would serve without what it asks for. */
export interface UnguardedRoute {
  readonly route: Route;
  /** Such as `external authorization`. */
  readonly missing: string;
}

/** The routes of a host that a chain of its listener would serve unguarded: its own, the one that it shares, that for unknown names. */
export function unguardedRoutes(host: VirtualHost, listener: Listener, config: Config): readonly UnguardedRoute[] {
  if (!asks(host) || host.tcpProxy !== undefined) return [];
  const chains = factsOf(host, listener, config);
  return host.routes.flatMap((route) => {
    const missing = chains.map((facts) => missingGuard(facts, host, route)).find((found) => found !== undefined);
    return missing === undefined ? [] : [{ route, missing }];
  });
}

/** What chains that no host makes another enforce, by their listener. */
const common = new WeakMap<Listener, Map<string, readonly ChainFacts[]>>();

function factsOf(host: VirtualHost, listener: Listener, config: Config): readonly ChainFacts[] {
  const settings = { listener, config, source: 'ads' } as const;
  const read = (...chains: readonly FilterChain[]) => chains.flatMap((chain) => chainFacts(chain) ?? []);
  const once = (kind: string, chain: () => FilterChain) =>
    common.getOrInsertComputed(listener, () => new Map<string, readonly ChainFacts[]>()).getOrInsertComputed(kind, () => read(chain()));
  const { tls } = host;
  if (listener.protocol !== 'https') return once('plain', () => plainFilterChain(settings));
  if (tls?.type !== 'terminate') return [];
  const fallback = fallbackOf(host) === undefined ? [] : once('fallback', () => fallbackFilterChain(settings, [host]));
  const shares = chainGroup(host, config.listener) !== undefined;
  if (!shares) return [...read(ownFilterChain(settings, host)), ...fallback];
  return [...once('shared', () => sharedFilterChain(settings, { hosts: [host], secrets: tls.secrets })), ...fallback];
}
