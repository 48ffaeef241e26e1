import type { Listener } from '../dag/model/listener.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
import { plainFilterChain } from '../envoy/listener/filter-chain.ts';
import { encode } from '../envoy/protobuf.ts';
import { allRouteName, isExactHost, restRouteName, restScope, scopedRoute, scopeKey, shardName } from '../envoy/route/scopes.ts';
import { ScopedRouteConfiguration } from '../envoy-api/envoy/config/route/v3/scoped_route.ts';
import { compareStrings } from '../util/compare.ts';
import { encodedBytes, sharedResource } from './lazy-resource.ts';
import { encodedChain, listenerResource } from './listener-resource.ts';
import { ListenerState } from './listener-state.ts';
import type { Resource } from './resource.ts';
import { typeUrls } from './resource.ts';
import { routeTable, sameRoutes } from './route-table.ts';
import type { UpdateBuilder } from './update-builder.ts';

/**
 * A plaintext listener: its exact hosts in shards with a scope each, its wildcards in one more, and all hosts together for proxies without
 * scopes, which is encoded only if there is one. A change of a host touches the one shard that it is in.
 */
export class PlainListenerState extends ListenerState {
  /** The hosts of each RouteConfiguration, in order. An array is never changed, so that a resource can keep it. */
  readonly #tables = new Map<string, readonly VirtualHost[]>();
  readonly #staleTables = new Set<string>();
  readonly #staleScopes = new Map<string, Resource | undefined>();
  #listenerStale = true;
  /** Whether the last `take` left the listener in the snapshot. */
  #published = false;

  override serves({ routes }: VirtualHost): boolean {
    return routes.length > 0;
  }

  protected override hostChanged(name: string, before: VirtualHost | undefined, after: VirtualHost | undefined): void {
    const table = this.#tableOf(name);
    const others = (this.#tables.get(table) ?? []).filter((other) => other.host !== name);
    const hosts = after === undefined ? others : [...others, after].sort((a, b) => compareStrings(a.host, b.host));
    this.#tables.set(table, hosts);
    if (!sameRoutes(before, after)) this.#staleTables.add(table);
    if ((before === undefined) !== (after === undefined)) this.#rescope(name, table, hosts);
  }

  override replaceListener(listener: Listener): void {
    this.listener = listener;
    this.#listenerStale = true;
  }

  override take(update: UpdateBuilder): void {
    const tablesChanged = this.#staleTables.size > 0;
    for (const table of this.#staleTables) this.#takeTable(table, update);
    this.#staleTables.clear();
    for (const [key, resource] of this.#staleScopes) {
      if (resource === undefined) update.delete(typeUrls.scopedRoute, key);
      else update.set(typeUrls.scopedRoute, resource);
    }
    this.#staleScopes.clear();
    const present = this.hosts.size > 0;
    if (present && tablesChanged) update.set(typeUrls.route, this.#allTable());
    this.#takeListener(present, update);
  }

  #tableOf(host: string): string {
    return isExactHost(host) ? shardName(this.listener.name, host) : restRouteName(this.listener.name);
  }

  /** A host came or went: so does its scope, or that of all wildcards with the first and last of them. */
  #rescope(host: string, table: string, hosts: readonly VirtualHost[]): void {
    if (isExactHost(host)) this.#scope(host, table, this.hosts.has(host));
    else this.#scope(restScope, table, hosts.length > 0);
  }

  #scope(scope: string, table: string, present: boolean): void {
    const key = scopeKey(this.listener.name, scope);
    this.#staleScopes.set(key, present ? this.#scopeResource(key, table, scope) : undefined);
  }

  #scopeResource(key: string, table: string, scope: string): Resource {
    const origins = () => {
      const host = this.hosts.get(scope);
      return host ? host.origins : [this.listener.origin];
    };
    return sharedResource(key, origins, () => encodedBytes(encode(ScopedRouteConfiguration, scopedRoute(key, table))));
  }

  #takeTable(name: string, update: UpdateBuilder): void {
    const hosts = this.#tables.get(name) ?? [];
    if (hosts.length > 0) {
      update.set(typeUrls.route, routeTable({ name, kind: 'scoped', hosts: () => hosts }));
      return;
    }
    this.#tables.delete(name);
    update.delete(typeUrls.route, name);
  }

  /** Taken as it is now: the arrays do not change, so copying the list of them is enough. */
  #allTable(): Resource {
    const tables = [...this.#tables.values()];
    const hosts = () => tables.flat().sort((a, b) => compareStrings(a.host, b.host));
    return routeTable({ name: allRouteName(this.listener.name), kind: 'scoped', hosts });
  }

  #takeListener(present: boolean, update: UpdateBuilder): void {
    const { name } = this.listener;
    if (present && (this.#listenerStale || !this.#published)) {
      const settings = { listener: this.listener, config: this.config };
      const chain = encodedChain((source) => plainFilterChain({ ...settings, source }));
      update.set(typeUrls.listener, listenerResource(this.listener, this.config, [chain]));
    }
    if (!present && this.#published) {
      update.delete(typeUrls.listener, name);
      update.delete(typeUrls.route, allRouteName(name));
    }
    this.#published = present;
    this.#listenerStale = false;
  }
}
