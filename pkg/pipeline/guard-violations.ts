import type { Dag } from '../dag/model/dag.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
import { chainFacts, connectionManager, missingGuard } from '../envoy/listener/guarded.ts';
import { virtualHostName } from '../envoy/names.ts';
import { Listener } from '../envoy-api/envoy/config/listener/v3/listener.ts';
import type { FilterChain } from '../envoy-api/envoy/config/listener/v3/listener_components.ts';
import { RouteConfiguration } from '../envoy-api/envoy/config/route/v3/route.ts';
import { ScopedRouteConfiguration } from '../envoy-api/envoy/config/route/v3/scoped_route.ts';
import { type SnapshotView, typeUrls } from '../xdscache/resource.ts';

/**
 * The filter chains of a snapshot that could serve a route without what the route asks for: authorization, rate limits, client
 * certificates. A line for each; none in a right configuration. What a chain could serve is taken from the snapshot alone. Costs a
 * decoding of all listeners and routes.
 */
export function guardViolations(dag: Dag, snapshot: SnapshotView): readonly string[] {
  const tables = tablesOf(snapshot);
  return [...dag.listeners.keys()].flatMap((name) => {
    const resource = snapshot.get(typeUrls.listener, name);
    if (resource === undefined) return [];
    const hosts = new Map([...(dag.virtualHosts.get(name)?.values() ?? [])].map((host) => [virtualHostName(host.host), host]));
    const { filterChains } = Listener.decode(resource.encoded('ads').bytes);
    return filterChains.flatMap((chain) => chainViolations(name, chain, reachable(name, chain, tables, hosts)));
  });
}

function chainViolations(listener: string, chain: FilterChain, hosts: readonly VirtualHost[]): readonly string[] {
  const facts = chainFacts(chain);
  if (facts === undefined) return [];
  const names = chain.filterChainMatch?.serverNames.join(', ') || 'all names';
  return hosts.flatMap((host) =>
    host.routes.flatMap((route) => {
      const missing = missingGuard(facts, host, route);
      const { kind, namespace, name, path } = route.origin;
      return missing === undefined
        ? []
        : [`${listener}, chain for ${names}: ${kind} ${namespace}/${name} ${path} is served without its ${missing}`];
    }),
  );
}

interface Tables {
  /** The virtual hosts of each RouteConfiguration. */
  readonly virtualHosts: ReadonlyMap<string, readonly string[]>;
  /** The RouteConfiguration of each scope's key. */
  readonly scopes: ReadonlyMap<string, string>;
}

function tablesOf(snapshot: SnapshotView): Tables {
  const virtualHosts = [...snapshot.all(typeUrls.route)].map(([name, resource]) => {
    const table = RouteConfiguration.decode(resource.encoded('ads').bytes);
    return [name, table.virtualHosts.map((virtualHost) => virtualHost.name)] as const;
  });
  const scopes = [...snapshot.all(typeUrls.scopedRoute)].map(([name, resource]) => {
    const scope = ScopedRouteConfiguration.decode(resource.encoded('ads').bytes);
    return [name, scope.routeConfigurationName] as const;
  });
  return { virtualHosts: new Map(virtualHosts), scopes: new Map(scopes) };
}

/** The hosts that a chain can serve: those of its RouteConfiguration, or of every scope of its listener but those of other chains. */
function reachable(
  listener: string,
  chain: FilterChain,
  { virtualHosts, scopes }: Tables,
  hosts: ReadonlyMap<string, VirtualHost>,
): readonly VirtualHost[] {
  const routes = connectionManager(chain)?.routeSpecifier;
  const names = chain.filterChainMatch?.serverNames ?? [];
  const serves = (key: string) => key.startsWith(`${listener}|`) && isOpenTo(key.slice(listener.length + 1), names);
  const found =
    routes?.$case === 'rds' ? [routes.value.routeConfigName] : [...scopes].filter(([key]) => serves(key)).map(([, table]) => table);
  return found.flatMap((table) => (virtualHosts.get(table) ?? []).flatMap((name) => hosts.get(name) ?? []));
}

/** The scope of a wildcard with a chain of its own is open to that chain alone; an exact host behind TLS, to its server name. */
function isOpenTo(scope: string, serverNames: readonly string[]): boolean {
  if (scope.startsWith('OWN|')) return serverNames.includes(scope.slice('OWN|'.length));
  return true;
}
