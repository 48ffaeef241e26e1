import type { Config } from '../config/config.ts';
import type { Listener } from '../dag/model/listener.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
import { type ChainMembers, chainMembers } from '../envoy/listener/certificate-choice.ts';
import { chainGroup } from '../envoy/listener/chain-group.ts';
import { sharedFilterChain } from '../envoy/listener/filter-chain.ts';
import { secretName } from '../envoy/names.ts';
import { type EncodedChain, encodedChain } from './listener-resource.ts';

/** The filter chains that hosts of a TLS listener share. A host that comes or goes changes those of its group, and encodes no other. */
export class SharedChains {
  readonly #config: Config;
  readonly #groups = new Map<string, Map<string, VirtualHost>>();
  /** The chains of each group by what they are made of. */
  readonly #chains = new Map<string, ReadonlyMap<string, EncodedChain>>();
  readonly #stale = new Set<string>();
  readonly #groupOf = new Map<string, string>();

  constructor(config: Config) {
    this.#config = config;
  }

  /** How many hosts share chains. */
  get size(): number {
    return this.#groupOf.size;
  }

  /** Gives a host if it shares a chain. */
  sharing(host: VirtualHost | undefined): VirtualHost | undefined {
    return host && chainGroup(host, this.#config.listener) !== undefined ? host : undefined;
  }

  /** Takes a host in, in the place of its last value; one that shares no chain takes it out. */
  set(name: string, host: VirtualHost | undefined): void {
    const from = this.#groupOf.get(name);
    if (from !== undefined) {
      this.#groups.get(from)?.delete(name);
      this.#groupOf.delete(name);
      this.#stale.add(from);
    }
    const to = host && chainGroup(host, this.#config.listener);
    if (to === undefined) return;
    this.#groups.getOrInsertComputed(to, () => new Map<string, VirtualHost>()).set(name, host!);
    this.#groupOf.set(name, to);
    this.#stale.add(to);
  }

  /** Forgets what is encoded: the listener has new settings. */
  reset(): void {
    this.#chains.clear();
    for (const group of this.#groups.keys()) this.#stale.add(group);
  }

  /** The chains of all groups, in order. */
  chains(listener: Listener): readonly EncodedChain[] {
    for (const group of this.#stale) this.#renew(group, listener);
    this.#stale.clear();
    return [...this.#chains].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, chains]) => [...chains.values()]);
  }

  #renew(group: string, listener: Listener): void {
    const hosts = this.#groups.get(group);
    if (hosts === undefined || hosts.size === 0) {
      this.#groups.delete(group);
      this.#chains.delete(group);
      return;
    }
    const before = this.#chains.get(group);
    const after = new Map<string, EncodedChain>();
    for (const members of chainMembers([...hosts.values()])) {
      const key = contentOf(members);
      after.set(key, before?.get(key) ?? this.#encoded(members, listener));
    }
    this.#chains.set(group, after);
  }

  #encoded(members: ChainMembers, listener: Listener): EncodedChain {
    return encodedChain((source) => sharedFilterChain({ listener, config: this.#config, source }, members));
  }
}

/** What a chain depends on beside the listener. */
function contentOf({ hosts, secrets }: ChainMembers): string {
  return JSON.stringify([hosts.map(({ host }) => host), secrets.map((secret) => [secretName(secret), secret.origin])]);
}
