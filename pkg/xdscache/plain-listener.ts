import type { Listener } from '../dag/model/listener.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
import { plainFilterChain } from '../envoy/listener/filter-chain.ts';
import { allRouteName, isExactHost, restRouteName, restScope, shardName } from '../envoy/route/scopes.ts';
import { encodedChain, listenerResource } from './listener-resource.ts';
import { ListenerState } from './listener-state.ts';
import { typeUrls } from './resource.ts';
import { routeTable } from './route-table.ts';
import { ScopedHosts } from './scoped-hosts.ts';
import type { UpdateBuilder } from './update-builder.ts';

/**
 * A plaintext listener: its exact hosts in shards with a scope each, its wildcards in one more, and all hosts together for proxies without
 * scopes, which is encoded only if there is one. A change of a host touches the one shard that it is in.
 */
export class PlainListenerState extends ListenerState {
  readonly #scoped = new ScopedHosts({
    listener: () => this.listener,
    scopeOf: (host) => (isExactHost(host) ? host : restScope),
    tableOf: (host) => (isExactHost(host) ? shardName(this.listener.name, host) : restRouteName(this.listener.name)),
  });
  #listenerStale = true;
  /** Whether the last `take` left the listener in the snapshot. */
  #published = false;

  override serves({ routes }: VirtualHost): boolean {
    return routes.length > 0;
  }

  protected override hostChanged(name: string, before: VirtualHost | undefined, after: VirtualHost | undefined): void {
    this.#scoped.set(name, before, after);
  }

  override replaceListener(listener: Listener): void {
    this.listener = listener;
    this.#listenerStale = true;
  }

  override take(update: UpdateBuilder): void {
    const present = this.hosts.size > 0;
    if (present && this.#scoped.tablesChanged) {
      update.set(typeUrls.route, routeTable({ name: allRouteName(this.listener.name), kind: 'scoped', hosts: this.#scoped.all() }));
    }
    this.#scoped.take(update);
    this.#takeListener(present, update);
  }

  #takeListener(present: boolean, update: UpdateBuilder): void {
    const { name } = this.listener;
    if (present && (this.#listenerStale || !this.#published)) {
      const settings = { listener: this.listener, config: this.config };
      const chain = encodedChain((source) => plainFilterChain({ ...settings, source }));
      update.set(
        typeUrls.listener,
        listenerResource(this.listener, this.config, () => ({ all: [chain] })),
      );
    }
    if (!present && this.#published) {
      update.delete(typeUrls.listener, name);
      update.delete(typeUrls.route, allRouteName(name));
    }
    this.#published = present;
    this.#listenerStale = false;
  }
}
