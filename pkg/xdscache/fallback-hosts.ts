import type { Config } from '../config/config.ts';
import type { Listener } from '../dag/model/listener.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
import { fallbackContent, fallbackFilterChain, fallbackOf, fallbackRouteName } from '../envoy/listener/fallback-chain.ts';
import { isExactHost } from '../envoy/route/scopes.ts';
import { compareStrings } from '../util/compare.ts';
import { encodedMisdirected } from './encoded-host.ts';
import { type EncodedChain, encodedChain } from './listener-resource.ts';
import { typeUrls } from './resource.ts';
import { routeTable } from './route-table.ts';
import type { UpdateBuilder } from './update-builder.ts';

/** The hosts of a TLS listener that are served with the fallback certificate too: one chain and one RouteConfiguration for all. */
export class FallbackHosts {
  readonly #config: Config;
  readonly #hosts = new Map<string, VirtualHost>();
  #stale = false;
  #published = false;
  #content: string | undefined;
  #chain: EncodedChain | undefined;

  constructor(config: Config) {
    this.#config = config;
  }

  /** The chain, which takes every server name that no other chain takes; `undefined` where no host wants it. */
  get chain(): EncodedChain | undefined {
    return this.#chain;
  }

  /** Takes a host in, in the place of its last value. */
  set(name: string, before: VirtualHost | undefined, after: VirtualHost | undefined): void {
    if (after !== undefined && fallbackOf(after) !== undefined) this.#hosts.set(name, after);
    else if (!this.#hosts.delete(name) && (before === undefined) === (after === undefined)) return;
    this.#stale = true;
  }

  /** Forgets what is encoded: the listener has new settings. */
  reset(): void {
    this.#content = undefined;
    this.#stale = true;
  }

  /** Adds what changed since the last call; true where the chain did. `hosts` are all of the listener. */
  take(listener: Listener, hosts: ReadonlyMap<string, VirtualHost>, update: UpdateBuilder): boolean {
    if (!this.#stale) return false;
    this.#stale = false;
    const served = [...this.#hosts].sort(([a], [b]) => compareStrings(a, b)).map(([, host]) => host);
    this.#takeRoutes(listener, served, this.#covered(hosts), update);
    const content = served.length === 0 ? undefined : fallbackContent(served, this.#config.listener.tls);
    if (content !== undefined && content === this.#content) return false;
    const had = this.#chain !== undefined;
    this.#content = content;
    this.#chain =
      content === undefined ? undefined : encodedChain((source) => fallbackFilterChain({ listener, config: this.#config, source }, served));
    return had || this.#chain !== undefined;
  }

  #takeRoutes(listener: Listener, served: readonly VirtualHost[], covered: readonly string[], update: UpdateBuilder): void {
    const name = fallbackRouteName(listener.name);
    if (served.length > 0) {
      const last = covered.length > 0 && { last: encodedMisdirected(covered) };
      update.set(typeUrls.route, routeTable({ name, kind: 'secure', hosts: () => served, ...last }));
    } else if (this.#published) update.delete(typeUrls.route, name);
    this.#published = served.length > 0;
  }

  /** Hosts that are not served so, and that a wildcard which is must not answer for. */
  #covered(hosts: ReadonlyMap<string, VirtualHost>): readonly string[] {
    const suffixes = [...this.#hosts.keys()].filter((name) => !isExactHost(name)).map((name) => name.slice(1));
    if (suffixes.length === 0) return [];
    const covers = (name: string) => suffixes.some((suffix) => name.endsWith(suffix) && name !== `*${suffix}`);
    return [...hosts.keys()].filter((name) => !this.#hosts.has(name) && covers(name)).sort(compareStrings);
  }
}
