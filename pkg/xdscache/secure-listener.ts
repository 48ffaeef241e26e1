import type { Listener } from '../dag/model/listener.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
import { hasSecureChain, secureFilterChain } from '../envoy/listener/filter-chain.ts';
import { secureRouteName } from '../envoy/names.ts';
import { compareStrings } from '../util/compare.ts';
import { deepEqual } from '../util/deep-equal.ts';
import { encodedMisdirected } from './encoded-host.ts';
import type { EncodedChain } from './listener-resource.ts';
import { encodedChain, listenerResource } from './listener-resource.ts';
import { ListenerState } from './listener-state.ts';
import { type Resource, typeUrls } from './resource.ts';
import { routeTable, sameRoutes } from './route-table.ts';
import type { UpdateBuilder } from './update-builder.ts';

/** What every chain of an exact host answers to other hosts. */
const misdirectedElsewhere = encodedMisdirected(['*']);

/** A listener that tells hosts apart by SNI: a filter chain for each, and a RouteConfiguration where it speaks HTTP. */
export class SecureListenerState extends ListenerState {
  readonly #chains = new Map<string, EncodedChain>();
  readonly #staleRoutes = new Set<string>();
  readonly #publishedRoutes = new Set<string>();
  #listenerStale = true;
  #published = false;

  override serves(host: VirtualHost): boolean {
    return hasSecureChain(host);
  }

  protected override hostChanged(name: string, before: VirtualHost | undefined, after: VirtualHost | undefined): void {
    if (!sameChain(before, after)) this.#replaceChain(name, after);
    if (!sameRoutes(before, after) || speaksHttp(before) !== speaksHttp(after)) this.#staleRoutes.add(name);
    if ((before === undefined) !== (after === undefined)) {
      for (const wildcard of wildcardsOver(name)) if (this.hosts.has(wildcard)) this.#staleRoutes.add(wildcard);
    }
  }

  override replaceListener(listener: Listener): void {
    this.listener = listener;
    for (const [name, host] of this.hosts) this.#replaceChain(name, host);
  }

  override take(update: UpdateBuilder): void {
    for (const name of this.#staleRoutes) this.#takeRoutes(name, update);
    this.#staleRoutes.clear();
    if (!this.#listenerStale) return;
    const present = this.#chains.size > 0;
    if (present) update.set(typeUrls.listener, this.#listenerResource());
    else if (this.#published) update.delete(typeUrls.listener, this.listener.name);
    this.#published = present;
    this.#listenerStale = false;
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
      encodedChain((source) => secureFilterChain({ ...settings, source }, host)),
    );
  }

  /** Chains in order of their names; the one for all other names comes last. */
  #listenerResource(): Resource {
    const last = (name: string) => (name === '*' ? 1 : 0);
    const sorted = [...this.#chains].sort(([a], [b]) => last(a) - last(b) || compareStrings(a, b));
    return listenerResource(
      this.listener,
      this.config,
      sorted.map(([, chain]) => chain),
    );
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
    update.set(typeUrls.route, routeTable({ name, kind: 'secure', hosts: () => [value], ...(last && { last }) }));
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

/** The wildcard hosts that match a host by a shorter suffix, `*` included. */
function wildcardsOver(host: string): readonly string[] {
  if (host === '*') return [];
  const labels = host.split('.');
  const suffixes = labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`);
  return [...suffixes.filter((wildcard) => wildcard !== host), '*'];
}

/** Whether the chain of a host ends in routes. */
function speaksHttp(host: VirtualHost | undefined): boolean {
  return host !== undefined && host.tcpProxy === undefined;
}

/** Whether the chain of a host stays as it is. */
function sameChain(before: VirtualHost | undefined, after: VirtualHost | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return deepEqual(chainTls(before), chainTls(after)) && deepEqual(before.tcpProxy, after.tcpProxy);
}

/** What a chain says of TLS: certificates come by their names. */
function chainTls({ tls }: VirtualHost): unknown {
  if (tls?.type !== 'terminate') return tls;
  return { ...tls, secrets: tls.secrets.map(({ certificate: _, privateKey: __, ...rest }) => rest) };
}
