import type { Config } from '../config/config.ts';
import type { SecretNode } from '../dag/model/cluster.ts';
import type { Listener } from '../dag/model/listener.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
import { isOnDemand, onDemandSecret, servesOnDemand } from '../envoy/listener/on-demand.ts';
import { encode } from '../envoy/protobuf.ts';
import { isExactHost } from '../envoy/route/scopes.ts';
import { Secret } from '../envoy-api/envoy/extensions/transport_sockets/tls/v3/secret.ts';
import { encodedBytes, sharedResource } from './lazy-resource.ts';
import { typeUrls } from './resource.ts';
import type { UpdateBuilder } from './update-builder.ts';
import { wildcardsOver } from './wildcards.ts';

/**
 * The hosts of a TLS listener whose certificates proxies fetch by the server name, all from one filter chain: those that could share a
 * chain, have one certificate, and are below no wildcard with a chain of its own, which Envoy would choose for them. Each has a secret of
 * the host's name.
 */
export class OnDemandHosts {
  readonly #active: boolean;
  readonly #config: Config;
  /** Those that could be on demand, and those that are. */
  readonly #candidates = new Map<string, VirtualHost>();
  readonly #hosts = new Set<string>();
  /** Wildcards that have chains with their names. */
  readonly #obstacles = new Set<string>();
  readonly #secrets = new Map<string, SecretNode>();
  readonly #stale = new Set<string>();

  constructor(listener: Listener, config: Config) {
    this.#config = config;
    this.#active = servesOnDemand(listener, config);
  }

  get size(): number {
    return this.#hosts.size;
  }

  has(name: string): boolean {
    return this.#hosts.has(name);
  }

  /** Takes a host in, in the place of its last value. Gives the hosts that have become on demand by it, or are so no more. */
  set(name: string, host: VirtualHost | undefined): readonly string[] {
    if (!this.#active) return [];
    const candidate = host !== undefined && isOnDemand(host, this.#config.listener);
    if (candidate) this.#candidates.set(name, host);
    else this.#candidates.delete(name);
    this.#stale.add(name);
    const wasObstacle = this.#obstacles.delete(name);
    const obstacle = !isExactHost(name) && host !== undefined && !candidate;
    if (obstacle) this.#obstacles.add(name);
    const asked = obstacle === wasObstacle ? [name] : [...new Set([name, ...this.#candidates.keys()])];
    return asked.filter((other) => this.#place(other));
  }

  /** Adds what changed since the last call. */
  take(update: UpdateBuilder): void {
    for (const name of this.#stale) this.#takeSecret(name, update);
    this.#stale.clear();
  }

  /** Gives whether the place of a host is another than before. */
  #place(name: string): boolean {
    const had = this.#hosts.has(name);
    const has = this.#candidates.has(name) && !wildcardsOver(name).some((wildcard) => this.#obstacles.has(wildcard));
    if (had === has) return false;
    if (has) this.#hosts.add(name);
    else this.#hosts.delete(name);
    this.#stale.add(name);
    return true;
  }

  #takeSecret(name: string, update: UpdateBuilder): void {
    const before = this.#secrets.get(name);
    const { tls } = this.#candidates.get(name) ?? {};
    const node = this.#hosts.has(name) && tls?.type === 'terminate' ? tls.secrets[0] : undefined;
    if (node === undefined) {
      if (this.#secrets.delete(name)) update.delete(typeUrls.secret, name);
      return;
    }
    this.#secrets.set(name, node);
    if (before?.certificate === node.certificate && before.privateKey === node.privateKey && before.origin === node.origin) return;
    const bytes = () => encodedBytes(encode(Secret, onDemandSecret(name, node)));
    update.set(
      typeUrls.secret,
      sharedResource(name, () => [node.origin], bytes),
    );
  }
}
