import type { ObjectKey } from '../apis/meta.ts';
import { shareUnchanged } from '../util/deep-equal.ts';
import type { Contribution } from './contribution.ts';
import type { ContributionChange } from './contributions.ts';
import { mergeVirtualHost } from './merge.ts';
import type { Dag, DagChanges, ExtensionClusterChange, ListenerChange, VirtualHostChange } from './model/dag.ts';
import type { ExtensionCluster } from './model/extension-cluster.ts';
import type { Listener } from './model/listener.ts';
import type { VirtualHost, VirtualHostPart } from './model/virtual-host.ts';

/** Gives a host as it may be served: what would be served without its guards is taken out. */
export type HostCheck = (host: VirtualHost, listener: Listener) => VirtualHost;

type Parts = Map<ObjectKey, readonly VirtualHostPart[]>;

/**
 * Merges contributions into the DAG. Only the (listener, host) pairs that a changed contribution names are merged
 * again, and a virtual host that comes out equal keeps its identity.
 */
export class DagBuilder {
  readonly #checked: HostCheck;
  readonly #listeners = new Map<string, Listener>();
  readonly #virtualHosts = new Map<string, Map<string, VirtualHost>>();
  readonly #extensionClusters = new Map<string, ExtensionCluster>();
  /** By listener, then host, then root. */
  readonly #parts = new Map<string, Map<string, Parts>>();
  /** Who brings a listener: by listener name, then root. */
  readonly #bringers = new Map<string, Map<ObjectKey, Listener>>();

  /** The DAG as of the last update. */
  readonly dag: Dag = {
    listeners: this.#listeners,
    virtualHosts: this.#virtualHosts,
    extensionClusters: this.#extensionClusters,
  };

  /** @param checked Looks at each merged host. Default: none is changed. */
  constructor(checked: HostCheck = (host) => host) {
    this.#checked = checked;
  }

  update(changed: readonly ContributionChange[]): DagChanges {
    const hosts = new Map<string, Set<string>>();
    const listenerNames = new Set<string>();
    for (const { root, before, after } of changed) {
      this.#moveParts(root, before, after, hosts);
      this.#moveListeners(root, before, after, listenerNames);
    }
    const listeners = this.#mergeListeners(listenerNames);
    for (const { name, before, after } of listeners) {
      const guarded = Object.keys(before?.guards ?? {}).join() === Object.keys(after?.guards ?? {}).join();
      if (before?.protocol !== after?.protocol || !guarded) hosts.set(name, new Set(this.#parts.get(name)?.keys()));
    }
    const virtualHosts = [...hosts].flatMap(([listener, names]) => this.#mergeHosts(listener, names));
    return { listeners, virtualHosts, extensionClusters: changed.flatMap((change) => this.#moveExtensionCluster(change)) };
  }

  /** Only the root of an ExtensionService brings its cluster, so there is nothing to merge. */
  #moveExtensionCluster({ before, after }: ContributionChange): readonly ExtensionClusterChange[] {
    const [from, to] = [before?.extensionCluster, after?.extensionCluster];
    if (from === to) return [];
    if (to === undefined) this.#extensionClusters.delete(`${from?.namespace}/${from?.name}`);
    else this.#extensionClusters.set(`${to.namespace}/${to.name}`, to);
    return [{ before: from, after: to }];
  }

  #moveParts(root: ObjectKey, before: Contribution | undefined, after: Contribution | undefined, hosts: Map<string, Set<string>>): void {
    const old = groupParts(before?.virtualHosts ?? []);
    const now = groupParts(after?.virtualHosts ?? []);
    for (const [listener, byHost] of old) {
      for (const host of byHost.keys()) {
        if (now.get(listener)?.has(host) === true) continue;
        this.#partsOf(listener, host).delete(root);
        mark(hosts, listener, host);
      }
    }
    for (const [listener, byHost] of now) {
      for (const [host, parts] of byHost) {
        if (sameItems(old.get(listener)?.get(host), parts)) continue;
        this.#partsOf(listener, host).set(root, parts);
        mark(hosts, listener, host);
      }
    }
  }

  #moveListeners(root: ObjectKey, before: Contribution | undefined, after: Contribution | undefined, names: Set<string>): void {
    for (const { name } of before?.listeners ?? []) {
      this.#bringers.get(name)?.delete(root);
      names.add(name);
    }
    for (const listener of after?.listeners ?? []) {
      const bringers = this.#bringers.get(listener.name) ?? new Map<ObjectKey, Listener>();
      this.#bringers.set(listener.name, bringers.set(root, listener));
      names.add(listener.name);
    }
  }

  #mergeListeners(names: Iterable<string>): readonly ListenerChange[] {
    const changes: ListenerChange[] = [];
    for (const name of names) {
      const before = this.#listeners.get(name);
      const bringers = [...(this.#bringers.get(name) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
      const after = bringers[0] === undefined ? undefined : shareUnchanged(before, bringers[0][1]);
      if (after === before) continue;
      if (after === undefined) this.#listeners.delete(name);
      else this.#listeners.set(name, after);
      changes.push({ name, before, after });
    }
    return changes;
  }

  #mergeHosts(listener: string, hosts: Iterable<string>): readonly VirtualHostChange[] {
    const on = this.#listeners.get(listener);
    const changes: VirtualHostChange[] = [];
    for (const host of hosts) {
      const before = this.#virtualHosts.get(listener)?.get(host);
      const merged = mergeVirtualHost([...this.#partsOf(listener, host).values()].flat(), on?.protocol === 'https');
      const safe = merged && on ? this.#checked(merged, on) : merged;
      const after = safe === undefined ? undefined : shareUnchanged(before, safe);
      this.#forgetEmpty(listener, host);
      if (after === before) continue;
      this.#setHost(listener, host, after);
      changes.push({ listener, host, before, after });
    }
    return changes;
  }

  #setHost(listener: string, host: string, virtualHost: VirtualHost | undefined): void {
    const hosts = this.#virtualHosts.get(listener) ?? new Map<string, VirtualHost>();
    if (virtualHost === undefined) hosts.delete(host);
    else hosts.set(host, virtualHost);
    if (hosts.size === 0) this.#virtualHosts.delete(listener);
    else this.#virtualHosts.set(listener, hosts);
  }

  #partsOf(listener: string, host: string): Parts {
    const hosts = this.#parts.get(listener) ?? new Map<string, Parts>();
    this.#parts.set(listener, hosts);
    const parts = hosts.get(host) ?? new Map<ObjectKey, readonly VirtualHostPart[]>();
    hosts.set(host, parts);
    return parts;
  }

  #forgetEmpty(listener: string, host: string): void {
    const hosts = this.#parts.get(listener);
    if (hosts?.get(host)?.size === 0) hosts.delete(host);
    if (hosts?.size === 0) this.#parts.delete(listener);
  }
}

function groupParts(parts: readonly VirtualHostPart[]): ReadonlyMap<string, ReadonlyMap<string, readonly VirtualHostPart[]>> {
  const groups = new Map<string, Map<string, VirtualHostPart[]>>();
  for (const part of parts) {
    const byHost = groups.get(part.listener) ?? new Map<string, VirtualHostPart[]>();
    groups.set(part.listener, byHost);
    const same = byHost.get(part.host);
    if (same === undefined) byHost.set(part.host, [part]);
    else same.push(part);
  }
  return groups;
}

function sameItems(a: readonly unknown[] | undefined, b: readonly unknown[]): boolean {
  return a?.length === b.length && a.every((item, i) => item === b[i]);
}

function mark(hosts: Map<string, Set<string>>, listener: string, host: string): void {
  const names = hosts.get(listener);
  if (names === undefined) hosts.set(listener, new Set([host]));
  else names.add(host);
}
