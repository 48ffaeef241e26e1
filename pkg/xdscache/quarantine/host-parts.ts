import type { Dag, DagChanges, VirtualHostChange } from '../../dag/model/dag.ts';
import type { VirtualHost } from '../../dag/model/virtual-host.ts';
import { clusterName } from '../../envoy/cluster/cluster-name.ts';
import { secretName } from '../../envoy/names.ts';
import { deepEqual } from '../../util/deep-equal.ts';
import { encodedHost } from '../encoded-host.ts';
import { hostUses } from '../host-uses.ts';
import { type Resource, type TypeUrl, typeUrls } from '../resource.ts';
import { type HostKey, type HostPart, hostKey, insteadOf } from './host-part.ts';
import type { PendingResources } from './pending-resources.ts';
import type { Refusal } from './refusal.ts';

/** The hosts that no proxy has proven yet, and what is served of each. */
export class HostParts {
  readonly #parts = new Map<HostKey, HostPart>();
  /** Hosts whose routes are accepted while something else that they use is not. */
  readonly #waiting = new Set<HostKey>();
  readonly #pending: PendingResources;
  #unserved = 0;

  constructor(pending: PendingResources) {
    this.#pending = pending;
  }

  /** Whether any host is not served as it is wanted. */
  get anyUnserved(): boolean {
    return this.#unserved > 0;
  }

  get(key: HostKey): HostPart | undefined {
    return this.#parts.get(key);
  }

  all(): Iterable<HostPart> {
    return this.#parts.values();
  }

  /**
   * What a build changes in what is served. A host that was refused is tried again when its value changes.
   *
   * @param previous set if everything was built anew: what was wanted before.
   */
  filter(changes: readonly VirtualHostChange[], previous: Dag | undefined): readonly VirtualHostChange[] {
    if (previous === undefined) return changes.map((change) => this.#take(change));
    const taken = changes.map((change) => this.#retake(change, previous));
    const wanted = new Set(changes.map(hostKey));
    for (const key of [...this.#parts.keys()]) if (!wanted.has(key)) this.#forget(key);
    return taken;
  }

  /** Takes over the hosts that are not served as they are wanted. */
  adopt(other: HostParts): void {
    for (const [key, part] of other.#parts) if (part.state !== 'trial') this.#parts.set(key, { ...part });
    this.#unserved = other.#unserved;
  }

  /** Serves a host as before, or a stand-in. */
  hold(part: HostPart, refusal: Refusal, state: 'held' | 'refused'): VirtualHostChange {
    const served = part.state === 'trial' ? insteadOf(part, refusal.type) : part.served;
    const change = this.#serve(part, served, state);
    part.refusal = refusal;
    return change;
  }

  /** Serves a host as it is wanted. */
  release(part: HostPart): VirtualHostChange {
    delete part.refusal;
    return this.#serve(part, part.wanted, 'trial');
  }

  /** A table with this value of a host was accepted. */
  accepted(host: VirtualHost): void {
    const part = this.#parts.get(hostKey(host));
    if (part?.state === 'trial' && isServed(part, host)) this.#prove(part);
  }

  /** Something else was accepted that hosts may have waited for. */
  recheck(): void {
    for (const key of [...this.#waiting]) {
      const part = this.#parts.get(key);
      if (part?.state === 'trial') this.#prove(part);
      else this.#waiting.delete(key);
    }
  }

  /** Hosts on trial that a resource is made of, or used by. */
  suspects(type: TypeUrl, { name, hosts }: Resource): readonly HostPart[] {
    if (hosts !== undefined) {
      const parts = hosts().map((host) => ({ host, part: this.#parts.get(hostKey(host)) }));
      return parts.flatMap(({ host, part }) => (part?.state === 'trial' && isServed(part, host) ? [part] : []));
    }
    const inIt = membership(type, name);
    return inIt === undefined ? [] : [...this.#parts.values()].filter((part) => part.state === 'trial' && inIt(part.wanted));
  }

  /** Whether a resource has one of some hosts in it, or is used by one. */
  involves(changes: readonly VirtualHostChange[], type: TypeUrl, { name, hosts }: Resource): boolean {
    if (changes.length === 0) return false;
    const keys = new Set(changes.map(hostKey));
    if (hosts !== undefined) return hosts().some((host) => keys.has(hostKey(host)));
    const inIt = membership(type, name);
    const parts = [...keys].map((key) => this.#parts.get(key));
    return inIt !== undefined && parts.some((part) => part !== undefined && inIt(part.wanted));
  }

  #take({ listener, host, before, after }: VirtualHostChange): VirtualHostChange {
    const key = hostKey({ listener, host });
    const part = this.#parts.get(key);
    const served = part === undefined ? before : part.served;
    this.#forget(key);
    if (after !== undefined) {
      const good = part === undefined ? before : part.good;
      const fresh: HostPart = { key, wanted: after, good, served: after, state: 'trial' };
      this.#parts.set(key, fresh);
      const message = encodingFault(after);
      if (message !== undefined) this.hold(fresh, { type: typeUrls.route, name: key, message, node: '' }, 'refused');
      return { listener, host, before: served, after: fresh.served };
    }
    return { listener, host, before: served, after };
  }

  /** The value is new and may be equal to the one before. */
  #retake(change: VirtualHostChange, previous: Dag): VirtualHostChange {
    const { listener, host, after } = change;
    const before = previous.virtualHosts.get(listener)?.get(host);
    if (before === undefined || !deepEqual(before, after)) return { ...this.#take({ ...change, before }), before: undefined };
    const key = hostKey(change);
    const part = this.#parts.get(key);
    if (part === undefined || after === undefined) return change;
    const served = part.state === 'trial' ? after : part.served;
    this.#parts.set(key, { ...part, wanted: after, served });
    return { listener, host, before: undefined, after: served };
  }

  #serve(part: HostPart, after: VirtualHost | undefined, state: HostPart['state']): VirtualHostChange {
    const before = part.served;
    this.#unserved += Number(state !== 'trial') - Number(part.state !== 'trial');
    part.served = after;
    part.state = state;
    const { listener, host } = part.wanted;
    return { listener, host, before, after };
  }

  #prove(part: HostPart): void {
    const { clusters, secrets } = hostUses(part.wanted);
    const pending = this.#pending;
    const waits =
      pending.has(typeUrls.listener, part.wanted.listener) ||
      clusters.some((cluster) => pending.has(typeUrls.cluster, clusterName(cluster))) ||
      // A proxy has a sealed one only where it does not fetch certificates by host.
      secrets.some((secret) => !secret.sealed && pending.has(typeUrls.secret, secretName(secret)));
    if (waits) this.#waiting.add(part.key);
    else this.#forget(part.key);
  }

  #forget(key: HostKey): void {
    const part = this.#parts.get(key);
    if (part !== undefined && part.state !== 'trial') this.#unserved -= 1;
    this.#parts.delete(key);
    this.#waiting.delete(key);
  }
}

/** Why a host cannot be written for Envoy at all, such as for a number out of range; `undefined` if it can. */
function encodingFault(host: VirtualHost): string | undefined {
  try {
    encodedHost(host);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Whether a value of a host is what is served of it. After a build of everything the values are new and may be equal. */
function isServed({ served }: HostPart, host: VirtualHost): boolean {
  return served === host || deepEqual(served, host);
}

/** Whether a host is in a resource, or uses it; `undefined` for types that hosts have no part in. */
function membership(type: TypeUrl, name: string): ((host: VirtualHost) => boolean) | undefined {
  switch (type) {
    case typeUrls.listener:
      return ({ listener, tls, tcpProxy }) => listener === name && (tls !== undefined || tcpProxy !== undefined);
    case typeUrls.cluster:
      return (host) => hostUses(host).clusters.some((cluster) => clusterName(cluster) === name);
    case typeUrls.secret:
      return (host) =>
        (host.host === name && host.tls !== undefined) || hostUses(host).secrets.some((secret) => secretName(secret) === name);
    default:
      return undefined;
  }
}

/** A DAG with what is served in the place of what is wanted, as far as a build reads all hosts of a listener from it. */
export function servedDag(dag: Dag, { listeners }: DagChanges, parts: HostParts): Dag {
  if (!parts.anyUnserved || listeners.length === 0) return dag;
  const virtualHosts = new Map([...dag.virtualHosts].map(([listener, hosts]) => [listener, new Map(hosts)]));
  for (const { wanted, served } of parts.all()) {
    const hosts = virtualHosts.get(wanted.listener);
    if (served === undefined) hosts?.delete(wanted.host);
    else hosts?.set(wanted.host, served);
  }
  return { ...dag, virtualHosts };
}
