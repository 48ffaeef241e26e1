import type { Listener } from '../dag/model/listener.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
import type { RedirectingTable } from '../envoy/filters/redirect-scope.ts';
import { encode } from '../envoy/protobuf.ts';
import { isExactHost, restScope, scopedRoute, scopeKey } from '../envoy/route/scopes.ts';
import { ScopedRouteConfiguration } from '../envoy-api/envoy/config/route/v3/scoped_route.ts';
import { compareStrings } from '../util/compare.ts';
import { encodedBytes, lazy, sharedResource } from './lazy-resource.ts';
import type { EncodedResource, Resource } from './resource.ts';
import { typeUrls } from './resource.ts';
import { routeTable, sameRoutes } from './route-table.ts';
import type { UpdateBuilder } from './update-builder.ts';

/** Where the hosts of a listener are found by scope. */
export interface ScopedHostsOptions {
  /** The listener as it is now. */
  readonly listener: () => Listener;
  /** The scope that is there for the sake of a host: `REST` for all that are no exact ones; `undefined`: none, or one that others look after. */
  readonly scopeOf: (host: string) => string | undefined;
  /** The RouteConfiguration of a host. */
  readonly tableOf: (host: string) => string;
}

/** The scopes of a listener and the RouteConfigurations that they lead to. A change of a host touches the one that it is in. */
export class ScopedHosts {
  readonly #options: ScopedHostsOptions;
  /** The hosts of each RouteConfiguration, in order. An array is never changed, so that a resource can keep it. */
  readonly #tables = new Map<string, readonly VirtualHost[]>();
  /** A further virtual host at the end of a RouteConfiguration, which is there for its sake alone too. */
  readonly #last = new Map<string, EncodedResource>();
  readonly #staleTables = new Set<string>();
  readonly #staleScopes = new Map<string, Resource | undefined>();

  constructor(options: ScopedHostsOptions) {
    this.#options = options;
  }

  /** Whether `take` has something to say. */
  get tablesChanged(): boolean {
    return this.#staleTables.size > 0;
  }

  /** Takes a host in, in the place of its last value; `undefined` takes it out. */
  set(name: string, before: VirtualHost | undefined, after: VirtualHost | undefined): void {
    if (before === undefined && after === undefined) return;
    const table = this.#options.tableOf(name);
    const known = this.#tables.get(table) ?? [];
    const others = known.filter((other) => other.host !== name);
    const hosts = after === undefined ? others : [...others, after].sort((a, b) => compareStrings(a.host, b.host));
    this.#tables.set(table, hosts);
    if (!sameRoutes(before, after)) this.#staleTables.add(table);
    const scope = this.#options.scopeOf(name);
    if (scope === undefined) return;
    const [was, is] = scope === restScope ? [known.length > 0, hosts.length > 0] : [before !== undefined, after !== undefined];
    if (was !== is) this.scope(scope, is, table);
  }

  /** Sets what a RouteConfiguration has after its hosts; `undefined`: nothing. */
  setLast(table: string, last: EncodedResource | undefined): void {
    if (this.#last.get(table)?.version === last?.version) return;
    if (last === undefined) this.#last.delete(table);
    else this.#last.set(table, last);
    this.#staleTables.add(table);
  }

  /** Adds a scope that leads to a RouteConfiguration, or takes it away. */
  scope(scope: string, present: boolean, table: string): void {
    const key = scopeKey(this.#options.listener().name, scope);
    this.#staleScopes.set(key, present ? this.#scopeResource(key, table) : undefined);
  }

  /** Adds what changed since the last call. */
  take(update: UpdateBuilder): void {
    for (const table of this.#staleTables) this.#takeTable(table, update);
    this.#staleTables.clear();
    for (const [key, resource] of this.#staleScopes) {
      if (resource === undefined) update.delete(typeUrls.scopedRoute, key);
      else update.set(typeUrls.scopedRoute, resource);
    }
    this.#staleScopes.clear();
  }

  /** Gives all hosts as they are now, in order, which is found at the first call: the arrays do not change, so a copy of their list will do. */
  all(): () => readonly VirtualHost[] {
    const tables = [...this.#tables.values()];
    return lazy(() => tables.flat().sort((a, b) => compareStrings(a.host, b.host)));
  }

  /** Scopes are encoded once, so the hosts of the table at that time say what they are made of. */
  #scopeResource(key: string, table: string): Resource {
    const origins = () => {
      const host = this.#tables
        .get(table)
        ?.find(({ host: name }) => scopeKey(this.#options.listener().name, this.#options.scopeOf(name) ?? restScope) === key);
      return host && !key.endsWith(`|${restScope}`) ? host.origins : [this.#options.listener().origin];
    };
    return sharedResource(key, origins, () => encodedBytes(encode(ScopedRouteConfiguration, scopedRoute(key, table))));
  }

  /** All hosts of a table are of one kind. */
  #redirects(host = ''): RedirectingTable {
    const { name, protocol } = this.#options.listener();
    return { listener: name, tls: protocol === 'https', ...(!isExactHost(host) && { scope: restScope }) };
  }

  #takeTable(name: string, update: UpdateBuilder): void {
    const hosts = this.#tables.get(name) ?? [];
    const last = this.#last.get(name);
    if (hosts.length > 0 || last !== undefined) {
      const redirects = this.#redirects(hosts[0]?.host);
      update.set(typeUrls.route, routeTable({ name, kind: 'scoped', hosts: () => hosts, redirects, ...(last && { last }) }));
      return;
    }
    this.#tables.delete(name);
    update.delete(typeUrls.route, name);
  }
}
