import type { Config } from '../config/config.ts';
import type { Listener } from '../dag/model/listener.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
import type { SourceKind } from '../envoy/config-source.ts';
import { chainContent } from '../envoy/listener/chain-group.ts';
import { hasSecureChain, onDemandFilterChain, ownFilterChain } from '../envoy/listener/filter-chain.ts';
import { secureRouteName } from '../envoy/names.ts';
import {
  isExactHost,
  misdirectedRouteName,
  misdirectedScope,
  ownScope,
  restRouteName,
  restScope,
  secureScope,
  secureShardName,
} from '../envoy/route/scopes.ts';
import { compareStrings } from '../util/compare.ts';
import { deepEqual } from '../util/deep-equal.ts';
import { encodedMisdirected } from './encoded-host.ts';
import { FallbackHosts } from './fallback-hosts.ts';
import type { EncodedChain, ListenerChains } from './listener-resource.ts';
import { encodedChain, listenerResource } from './listener-resource.ts';
import { ListenerState } from './listener-state.ts';
import { OnDemandHosts } from './on-demand-hosts.ts';
import { type Resource, typeUrls } from './resource.ts';
import { routeTable, sameRoutes } from './route-table.ts';
import { ScopedHosts } from './scoped-hosts.ts';
import { SharedChains } from './shared-chains.ts';
import type { UpdateBuilder } from './update-builder.ts';
import { wildcardsOver } from './wildcards.ts';

/** What answers every host. */
const misdirectedElsewhere = encodedMisdirected(['*']);

/**
 * A listener that tells hosts apart by SNI. Hosts without settings of their own share filter chains, and are found by scope; others have a
 * chain each, and a RouteConfiguration where they speak HTTP. A proxy without scopes has a chain for every host.
 */
export class SecureListenerState extends ListenerState {
  /** The chain that each host has, or would have if it shared none. */
  readonly #chains = new Map<string, EncodedChain>();
  /** Hosts with a chain of their own, for every proxy. */
  readonly #apart = new Set<string>();
  readonly #shared: SharedChains;
  readonly #fallback: FallbackHosts;
  readonly #onDemand: OnDemandHosts;
  #onDemandChain: EncodedChain;
  readonly #scoped = new ScopedHosts({
    listener: () => this.listener,
    scopeOf: (host) => (isExactHost(host) ? secureScope(host) : undefined),
    tableOf: (host) => (isExactHost(host) ? secureShardName(this.listener.name, host) : restRouteName(this.listener.name)),
  });
  readonly #staleRoutes = new Set<string>();
  readonly #publishedRoutes = new Set<string>();
  #restStale = false;
  #published = { rest: false, misdirected: false, listener: false };
  #listenerStale = true;

  constructor(listener: Listener, config: Config) {
    super(listener, config);
    this.#shared = new SharedChains(config);
    this.#fallback = new FallbackHosts(config);
    this.#onDemand = new OnDemandHosts(listener, config);
    this.#onDemandChain = this.#encodedOnDemand();
  }

  override serves(host: VirtualHost): boolean {
    return hasSecureChain(host);
  }

  protected override hostChanged(name: string, before: VirtualHost | undefined, after: VirtualHost | undefined): void {
    this.#scoped.set(name, this.#shared.sharing(before), this.#shared.sharing(after));
    this.#fallback.set(name, before, after);
    if (!sameChain(before, after)) {
      this.#replaceChain(name, after);
      this.#replaceApart(name, after);
    }
    const moved = new Set(this.#onDemand.set(name, after));
    if (!sameChain(before, after)) moved.add(name);
    for (const host of moved) this.#placeInGroup(host);
    if (!sameRoutes(before, after) || speaksHttp(before) !== speaksHttp(after)) this.#staleRoutes.add(name);
    if ((before === undefined) !== (after === undefined)) {
      for (const wildcard of wildcardsOver(name)) if (this.hosts.has(wildcard)) this.#staleRoutes.add(wildcard);
    }
  }

  override replaceListener(listener: Listener): void {
    this.listener = listener;
    this.#shared.reset();
    this.#fallback.reset();
    this.#onDemandChain = this.#encodedOnDemand();
    for (const [name, host] of this.hosts) this.#replaceChain(name, host);
  }

  override take(update: UpdateBuilder): void {
    for (const name of this.#staleRoutes) this.#takeRoutes(name, update);
    this.#staleRoutes.clear();
    if (this.#restStale) this.#renewRest();
    this.#scoped.take(update);
    this.#onDemand.take(update);
    if (this.#fallback.take(this.listener, this.hosts, update)) this.#listenerStale = true;
    if (!this.#listenerStale) return;
    const listener = this.#chains.size > 0;
    if (listener) update.set(typeUrls.listener, this.#listenerResource());
    else if (this.#published.listener) update.delete(typeUrls.listener, this.listener.name);
    this.#published = { ...this.#published, listener };
    this.#listenerStale = false;
  }

  #encodedOnDemand(): EncodedChain {
    const { listener, config } = this;
    return encodedChain((source) => onDemandFilterChain({ listener, config, source }));
  }

  /** Where a host shares a chain, if it does. That for all names also serves clients that send none, or what no host is called. */
  #placeInGroup(name: string): void {
    const alone = this.#onDemand.has(name) && name !== '*';
    this.#shared.set(name, alone ? undefined : this.hosts.get(name));
    this.#listenerStale = true;
  }

  #replaceChain(name: string, host: VirtualHost | undefined): void {
    this.#listenerStale = true;
    if (host === undefined) {
      this.#chains.delete(name);
      return;
    }
    const settings = { listener: this.listener, config: this.config };
    this.#chains.set(
      name,
      encodedChain((source) => ownFilterChain({ ...settings, source }, host)),
    );
  }

  #replaceApart(name: string, host: VirtualHost | undefined): void {
    this.#restStale = true;
    const wasScoped = this.#apart.delete(name) && !isExactHost(name);
    const apart = host !== undefined && this.#shared.sharing(host) === undefined;
    if (apart) this.#apart.add(name);
    const scoped = apart && !isExactHost(name) && speaksHttp(host);
    if (wasScoped || scoped) this.#scoped.scope(ownScope(name), scoped, secureRouteName(this.listener.name, name));
  }

  /** Those for all other names come last. */
  #listenerResource(): Resource {
    const sorted = [...this.#chains].sort(([a], [b]) => Number(a === '*') - Number(b === '*') || compareStrings(a, b));
    const every = sorted.map(([, chain]) => chain);
    const apart = sorted.filter(([name]) => this.#apart.has(name)).map(([, chain]) => chain);
    const shared = this.#shared.chains(this.listener);
    const onDemand = this.#onDemand.size > 0 ? this.#onDemandChain : undefined;
    // Two chains for every server name would be refused, and the host for all of them has its own certificate.
    const fallback = this.#fallback.chain !== undefined && !this.hosts.has('*') ? [this.#fallback.chain] : [];
    const chains = (source: SourceKind): ListenerChains =>
      source === 'ads' ? { all: [...shared, ...apart, ...fallback], onDemand } : { all: [...every, ...fallback] };
    return listenerResource(this.listener, this.config, chains);
  }

  /** What is answered to hosts that no scope is for: 421, unless a wildcard that shares a chain serves them. */
  #renewRest(): void {
    this.#restStale = false;
    const { name } = this.listener;
    const rest = this.#shared.size + this.#onDemand.size > 0;
    const misdirected = rest || [...this.#apart].some((host) => !isExactHost(host));
    this.#scoped.setLast(restRouteName(name), rest ? this.#restMisdirected() : undefined);
    this.#scoped.setLast(misdirectedRouteName(name), misdirected ? misdirectedElsewhere : undefined);
    if (rest !== this.#published.rest) this.#scoped.scope(restScope, rest, restRouteName(name));
    if (misdirected !== this.#published.misdirected) this.#scoped.scope(misdirectedScope, misdirected, misdirectedRouteName(name));
    this.#published = { ...this.#published, rest, misdirected };
  }

  /** A connection that was opened before a host got a chain of its own must not be served by a wildcard's rules. */
  #restMisdirected(): ReturnType<typeof encodedMisdirected> | undefined {
    const sharing = (host: string) => this.hosts.has(host) && !this.#apart.has(host);
    const covered = [...this.#apart].filter((host) => host !== '*' && wildcardsOver(host).some(sharing)).sort(compareStrings);
    const domains = sharing('*') ? covered : [...covered, '*'];
    return domains.length === 0 ? undefined : encodedMisdirected(domains);
  }

  #takeRoutes(host: string, update: UpdateBuilder): void {
    const name = secureRouteName(this.listener.name, host);
    const value = this.hosts.get(host);
    if (value === undefined || !speaksHttp(value)) {
      if (this.#publishedRoutes.delete(name)) update.delete(typeUrls.route, name);
      return;
    }
    this.#publishedRoutes.add(name);
    const last = this.#misdirected(host);
    const kind = isExactHost(host) ? 'secure' : 'scoped';
    const redirects = { listener: this.listener.name, tls: true, scope: ownScope(host) };
    update.set(typeUrls.route, routeTable({ name, kind, hosts: () => [value], redirects, ...(last && { last }) }));
  }

  /** The hosts that the chain of `host` must not serve: all others, or, as a wildcard matches them, those with chains of their own too. */
  #misdirected(host: string): ReturnType<typeof encodedMisdirected> | undefined {
    if (!host.startsWith('*')) return misdirectedElsewhere;
    const suffix = host.slice(1);
    const covered = [...this.hosts.keys()]
      .filter((other) => other !== host && other !== '*' && other.endsWith(suffix))
      .sort(compareStrings);
    const domains = host === '*' ? covered : [...covered, '*'];
    return domains.length === 0 ? undefined : encodedMisdirected(domains);
  }
}

/** Whether the chain of a host ends in routes. */
function speaksHttp(host: VirtualHost | undefined): boolean {
  return host !== undefined && host.tcpProxy === undefined;
}

/** Whether the chain of a host stays as it is. */
function sameChain(before: VirtualHost | undefined, after: VirtualHost | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return before === after || deepEqual(chainContent(before), chainContent(after));
}
