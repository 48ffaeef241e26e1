import type { Dag, DagChanges, VirtualHostChange } from '../../dag/model/dag.ts';
import { encode } from '../../envoy/protobuf.ts';
import { ClusterLoadAssignment } from '../../envoy-api/envoy/config/endpoint/v3/endpoint.ts';
import { encodedBytes } from '../lazy-resource.ts';
import { encodedResource, type Resource, type SnapshotUpdate, type SnapshotView, type TypeUrl, typeUrls } from '../resource.ts';
import { UpdateBuilder } from '../update-builder.ts';
import { Credibility, type Unjudged } from './credibility.ts';
import { changedOrigins } from './host-part.ts';
import { HostParts, servedDag } from './host-parts.ts';
import { PendingResources } from './pending-resources.ts';
import type { ProxyAnswer } from './proxy-answer.ts';
import type { DistrustedProxy, QuarantineEntry, Refusal } from './refusal.ts';
import { byServedName } from './served-name.ts';
import { Trial } from './trial.ts';

/** What is to be served from now on because of an answer. */
export interface QuarantineEffects {
  readonly hosts: readonly VirtualHostChange[];
  readonly resources: SnapshotUpdate;
}

interface HeldResource extends Refusal {
  readonly wanted: Resource;
  /** `undefined`: it is left out. `wanted`: it is served all the same. */
  readonly served: Resource | undefined;
  readonly hadGood: boolean;
}

/** Versions of a resource that were refused, and by whom: to find out that another proxy takes them. */
interface Refused extends Refusal {
  readonly stream: object;
  readonly versions: Set<string>;
}

interface Contested extends Unjudged {
  readonly stream: object;
}

type ResourceKey = string;

const maxRemembered = 1_000;

/**
 * Keeps what a proxy refused from all proxies: a host goes back to its last good version, or a resource where no host is at fault, and
 * everything else goes on moving. What any proxy accepted is never held back: then it is the other's own affair. Pure: it is told what
 * is wanted (`filter`, `guard`) and what proxies answer, and says what is to be served. Costs as much as what is on its way.
 */
export class Quarantine {
  readonly #snapshot: SnapshotView;
  readonly #pending = new PendingResources();
  readonly #parts = new HostParts(this.#pending);
  readonly #trials = new Map<ResourceKey, Trial>();
  readonly #resources = new Map<ResourceKey, HeldResource>();
  readonly #refused = new Map<ResourceKey, Refused>();
  readonly #credibility = new Credibility();
  /** Refusals that wait for what other proxies say to the same. */
  readonly #contested = new Map<ResourceKey, Contested>();
  #changes: VirtualHostChange[] = [];
  #update = new UpdateBuilder();
  #entriesChanged = false;

  /** @param snapshot what is served; changed by nobody but through `guard`. */
  constructor(snapshot: SnapshotView) {
    this.#snapshot = snapshot;
  }

  /** All that is not served as it is wanted, in no order. */
  get entries(): readonly QuarantineEntry[] {
    const hosts = [...this.#parts.all()].flatMap((part): readonly QuarantineEntry[] => {
      if (part.state !== 'refused' || part.refusal === undefined) return [];
      const served = part.good !== undefined ? 'last good' : part.served === undefined ? 'nothing' : 'stand-in';
      return [{ ...part.refusal, host: part.key, served, origins: changedOrigins(part) }];
    });
    const resources = [...this.#resources.values()].map((held): QuarantineEntry => {
      const { type, name, message, node, wanted } = held;
      return { type, name, message, node, served: servedAs(held), origins: wanted.origins };
    });
    return [...hosts, ...resources];
  }

  /** How many hosts no proxy has accepted yet as they are wanted. */
  get pendingHosts(): number {
    return [...this.#parts.all()].length;
  }

  /** Proxies on open streams whose refusals count for themselves only. */
  get distrusted(): readonly DistrustedProxy[] {
    return this.#credibility.distrusted;
  }

  /** What a build changes in what is served. @param previous set if everything was built anew: what was wanted before. */
  filter(changes: DagChanges, previous?: Dag): DagChanges {
    const before = this.#parts.anyUnserved;
    const virtualHosts = this.#parts.filter(changes.virtualHosts, previous);
    if (before || this.#parts.anyUnserved) this.#entriesChanged = true;
    return { ...changes, virtualHosts };
  }

  /** The DAG to read beside `filter`'s changes. */
  served(dag: Dag, changes: DagChanges): Dag {
    return servedDag(dag, changes, this.#parts);
  }

  /** What an update of the snapshot may bring. To be asked for every update, before it is applied. */
  guard(update: SnapshotUpdate): SnapshotUpdate {
    const guarded = this.#resources.size === 0 ? update : this.#guarded(update);
    this.#pending.note(guarded, this.#snapshot);
    return guarded;
  }

  /** Takes over what another has found out, to serve the same of the same objects. */
  adopt(other: Quarantine): void {
    this.#parts.adopt(other.#parts);
    for (const [key, held] of other.#resources) this.#resources.set(key, held);
  }

  /** Takes in what a proxy answered. */
  answered(given: ProxyAnswer): QuarantineEffects {
    const answer = given.type === typeUrls.secret ? byServedName(given, this.#snapshot) : given;
    [this.#changes, this.#update] = [[], new UpdateBuilder()];
    if (answer.refused === undefined) this.#accepted(answer);
    else this.#refusedBy(answer, answer.refused);
    return this.#effects();
  }

  /** Whether a refusal waits for what other proxies say. `decide` ends the wait. */
  get undecided(): boolean {
    return this.#contested.size > 0;
  }

  /** Waits no longer for what other proxies say. */
  decide(): QuarantineEffects {
    [this.#changes, this.#update] = [[], new UpdateBuilder()];
    const contested = [...this.#contested.values()];
    this.#contested.clear();
    for (const { stream, ...refused } of contested) if (this.#isOpen(refused.refusal, refused.resource)) this.#judge(stream, refused);
    return this.#effects();
  }

  #effects(): QuarantineEffects {
    return { hosts: this.#changes, resources: this.#update.update };
  }

  /** Whether `entries` may be others than at the last call. */
  takeNews(): boolean {
    const news = this.#entriesChanged;
    this.#entriesChanged = false;
    return news;
  }

  /** Whether anything is not served as it is wanted. */
  get active(): boolean {
    return this.#parts.anyUnserved || this.#resources.size > 0;
  }

  /** A stream has ended: what its proxy was blamed for is forgotten. */
  closed(stream: object): void {
    this.#credibility.closed(stream);
  }

  #accepted(answer: ProxyAnswer): void {
    const { stream, type, sent } = answer;
    this.#acceptedAll(answer);
    if (this.#credibility.isSettled(stream, type) || ![...sent.values()].some((version) => version !== undefined)) return;
    for (const { refusal, resource, version } of this.#credibility.accepted(stream, type)) {
      if (!this.#isOpen(refusal, resource)) continue;
      this.#remember(stream, refusal, version);
      this.#holdResource(refusal, resource);
    }
  }

  /** A proxy that starts accepts everything there is, of which nothing is news where another has done so. */
  #acceptedAll(answer: ProxyAnswer): void {
    const { type, sent } = answer;
    const quiet = this.#trials.size === 0 && this.#refused.size === 0 && this.#contested.size === 0;
    if (quiet && !this.#pending.hasAny(type)) return;
    for (const [name, version] of sent) {
      if (!quiet || this.#pending.has(type, name)) this.#acceptedResource(answer, name, version);
    }
    if (type !== typeUrls.route) this.#parts.recheck();
  }

  #acceptedResource({ stream, source, type }: ProxyAnswer, name: string, version: string | undefined): void {
    const key = resourceKey(type, name);
    const refused = this.#refused.get(key);
    if (refused !== undefined && version !== undefined && refused.stream !== stream && refused.versions.has(version)) {
      this.#disprove(key, refused);
      return;
    }
    const resource = this.#snapshot.get(type, name);
    if (resource?.encoded(source).version !== version) return;
    const contested = this.#contested.get(key);
    if (contested !== undefined && contested.stream !== stream) {
      this.#contested.delete(key);
      if (contested.version === version) this.#credibility.distrust(contested.stream, { ...contested.refusal, why: 'others accept it' });
    }
    const trial = this.#trials.get(key);
    const served = resource === undefined || trial === undefined ? [] : this.#parts.suspects(type, resource);
    if (resource !== undefined && this.#pending.accept(type, name)) this.#prove(type, resource);
    if (trial === undefined) return;
    this.#entriesChanged = true;
    if (trial.accepted({ served, empty: resource === undefined }, this.#changes) === 'done') this.#trials.delete(key);
  }

  #prove(type: TypeUrl, resource: Resource): void {
    if (type === typeUrls.route) for (const host of resource.hosts?.() ?? []) this.#parts.accepted(host);
    if (type !== typeUrls.listener) return;
    for (const { served } of this.#parts.suspects(type, resource)) if (served?.tcpProxy !== undefined) this.#parts.accepted(served);
  }

  #refusedBy({ stream, node, source, type, sent }: ProxyAnswer, { names, message }: NonNullable<ProxyAnswer['refused']>): void {
    if (!this.#credibility.trusts(stream)) return;
    for (const name of names) {
      const resource = this.#snapshot.get(type, name);
      const version = sent.get(name);
      const refusal: Refusal = { type, name, message, node };
      // A newer version is on its way, and will be judged by itself.
      if (resource === undefined || version === undefined || resource.encoded(source).version !== version) continue;
      // So it will be of one with a host that this answer has already changed, once that is applied.
      if (this.#parts.involves(this.#changes, type, resource)) continue;
      if (!this.#isOpen(refusal, resource)) {
        this.#credibility.distrust(stream, { ...refusal, why: 'others accept it' });
        return;
      }
      this.#contest(stream, { refusal, resource, version });
    }
  }

  /** The first refusal of a version waits until another proxy has answered to it, too, if there is another. */
  #contest(stream: object, refused: Unjudged): void {
    const { type, name } = refused.refusal;
    const key = resourceKey(type, name);
    const contested = this.#contested.get(key);
    const agreed = contested?.version === refused.version && contested.stream !== stream;
    if (agreed || this.#trials.has(key) || !this.#credibility.othersThan(stream, type)) {
      this.#contested.delete(key);
      this.#judge(stream, refused);
    } else this.#contested.set(key, { ...refused, stream });
  }

  /** Whether no proxy has accepted the resource, and it is still the newest. */
  #isOpen({ type, name }: Refusal, resource: Resource): boolean {
    return this.#pending.has(type, name) && this.#snapshot.get(type, name) === resource;
  }

  #judge(stream: object, refused: Unjudged): void {
    const { refusal, resource, version } = refused;
    const key = resourceKey(refusal.type, refusal.name);
    const searched = refusal.type === typeUrls.route || refusal.type === typeUrls.listener;
    const suspects = searched ? this.#parts.suspects(refusal.type, resource) : [];
    const trial = this.#trials.get(key);
    if (trial !== undefined || suspects.length > 0) {
      this.#remember(stream, refusal, version);
      const search = trial ?? new Trial(this.#parts);
      this.#trials.set(key, search);
      if (search.refused(suspects, refusal, this.#changes) === 'blameless') this.#giveUp(stream, refusal, search);
      return;
    }
    const weight = this.#credibility.refused(stream, refused);
    if (weight === 'never') this.#dismiss(stream, refusal);
    if (weight !== 'counts') return;
    this.#remember(stream, refusal, version);
    this.#holdResource(refusal, resource);
  }

  /** A proxy refuses all of a type: what was held because of it is served again. */
  #dismiss(stream: object, refusal: Refusal): void {
    this.#credibility.distrust(stream, { ...refusal, why: 'it refuses the rest too' });
    const ofStream = [...this.#refused].filter(([, refused]) => refused.stream === stream && refused.type === refusal.type);
    for (const [key, refused] of ofStream) this.#serveAgain(key, refused);
  }

  /** No host is at fault. Who refuses also what was accepted before is not believed any more. */
  #giveUp(stream: object, refusal: Refusal, trial: Trial): void {
    trial.giveUp(this.#changes);
    this.#credibility.distrust(stream, { ...refusal, why: 'it refuses the rest too' });
    this.#serveAgain(resourceKey(refusal.type, refusal.name), refusal);
    if (!this.#credibility.hasAccepted(stream, refusal.type)) this.#dismiss(stream, refusal);
  }

  /** A proxy accepts what another refused. */
  #disprove(key: ResourceKey, { stream, versions: _, ...refusal }: Refused): void {
    this.#credibility.distrust(stream, { ...refusal, why: 'others accept it' });
    this.#serveAgain(key, refusal);
  }

  /** Serves all as it is wanted that was held for a refusal of a resource. */
  #serveAgain(key: ResourceKey, { type, name }: Refusal): void {
    this.#refused.delete(key);
    this.#trials.delete(key);
    const held = this.#resources.get(key);
    if (held !== undefined) {
      this.#resources.delete(key);
      this.#update.set(type, held.wanted);
    }
    for (const part of this.#parts.all()) {
      const of = part.refusal;
      if (part.state !== 'trial' && of?.type === type && of.name === name) this.#changes.push(this.#parts.release(part));
    }
    this.#entriesChanged = true;
  }

  /** Goes back to the last good version of a resource. A new cluster or certificate is kept away with the hosts that use it. */
  #holdResource(refusal: Refusal, wanted: Resource): void {
    const { type, name } = refusal;
    const good = this.#pending.good(type, name);
    this.#entriesChanged = true;
    const users = good === undefined && usedByHosts.has(type) ? this.#parts.suspects(type, wanted) : [];
    for (const part of users) this.#changes.push(this.#parts.hold(part, refusal, 'refused'));
    if (users.length > 0) return;
    const served = good ?? standIn(type, name, wanted);
    this.#resources.set(resourceKey(type, name), { ...refusal, wanted, served, hadGood: good !== undefined });
    if (served !== undefined) this.#update.set(type, served);
    else this.#update.delete(type, name);
  }

  #guarded(update: SnapshotUpdate): SnapshotUpdate {
    const guarded = new UpdateBuilder();
    for (const [type, changes] of update) {
      for (const [name, resource] of changes) {
        const served = this.#instead(resourceKey(type, name), resource);
        if (served === undefined) guarded.delete(type, name);
        else guarded.set(type, served);
      }
    }
    return guarded.update;
  }

  #instead(key: ResourceKey, resource: Resource | undefined): Resource | undefined {
    const held = this.#resources.get(key);
    if (held === undefined || resource === held.served) return resource;
    if (resource !== undefined && resource.encoded('ads').version === held.wanted.encoded('ads').version) return held.served;
    this.#resources.delete(key);
    this.#entriesChanged = true;
    return resource;
  }

  #remember(stream: object, refusal: Refusal, version: string): void {
    const key = resourceKey(refusal.type, refusal.name);
    const known = this.#refused.get(key);
    this.#refused.delete(key);
    const versions = known?.stream === stream ? known.versions : new Set<string>();
    this.#refused.set(key, { ...refusal, stream, versions: versions.add(version) });
    const [oldest] = this.#refused.keys();
    if (this.#refused.size > maxRemembered && oldest !== undefined) this.#refused.delete(oldest);
  }
}

const usedByHosts: ReadonlySet<TypeUrl> = new Set([typeUrls.cluster, typeUrls.secret]);

/** What is served of a resource that was refused and never accepted: where there must be one, one without content. */
function standIn(type: TypeUrl, name: string, wanted: Resource): Resource | undefined {
  // Envoy waits long for endpoints that do not come, and for routes. A listener or table that is all at fault is better refused than missing.
  if (type === typeUrls.endpoint) {
    return encodedResource(
      name,
      wanted.origins,
      encodedBytes(encode(ClusterLoadAssignment, { clusterName: name, endpoints: [], namedEndpoints: {} })),
    );
  }
  return type === typeUrls.listener || type === typeUrls.route ? wanted : undefined;
}

function servedAs({ served, wanted, hadGood }: HeldResource): QuarantineEntry['served'] {
  if (hadGood) return 'last good';
  if (served === undefined) return 'nothing';
  return served === wanted ? 'as it is' : 'stand-in';
}

function resourceKey(type: TypeUrl, name: string): ResourceKey {
  return `${type} ${name}`;
}
