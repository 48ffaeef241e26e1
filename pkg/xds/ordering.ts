import {
  type ConfigSourceKind,
  type Resource,
  type SnapshotUpdate,
  type SnapshotView,
  type TypeUrl,
  typeUrls,
} from '../xdscache/resource.ts';
import { type DeltaRequest, DeltaTypeStream } from './delta.ts';
import { edsServiceName, needsEndpointsOnly } from './eds-service-name.ts';
import { type SotwRequest, SotwTypeStream } from './sotw.ts';
import type { Answer, Part, Response, TypeStream } from './type-stream.ts';

/** The two protocols, with a request that says which. */
export type XdsRequest =
  | { readonly protocol: 'delta'; readonly request: DeltaRequest }
  | { readonly protocol: 'sotw'; readonly request: SotwRequest };

export interface StreamStateOptions {
  readonly source: ConfigSourceKind;
  readonly view: SnapshotView;
  /** How long one step of an update may wait for the client's answer to the one before. Default 5,000. */
  readonly stepMs?: number;
}

const defaultStepMs = 5_000;
/** How long a step waits for clusters that may take any time: a name server, a health check. In milliseconds. */
const slowStepMs = 1_000;
const nothing: ReadonlyMap<string, Resource> = new Map();

/** Types whose new states never wait, in the order in which they follow a change of the clusters. */
const independent = [typeUrls.endpoint, typeUrls.secret, typeUrls.runtime] as const;
/**
 * Types that refer to clusters. A table of routes that a client has goes before the scopes that are to lead to it: a host that leaves a
 * wildcard must be in its table when its scope comes. What a client does not have yet it asks for when it knows the listener or scope.
 */
const referring = [typeUrls.route, typeUrls.listener, typeUrls.scopedRoute] as const;
/** Types whose removals wait until what referred to them is gone at the client. */
const removedLast = [typeUrls.secret, typeUrls.cluster, typeUrls.endpoint] as const;

/**
 * All types on one stream, and the order between them:
 *
 * 1. clusters that are new or changed, and at once their endpoints; endpoints, secrets and runtime never wait;
 * 2. when the client accepted the clusters (Envoy does so once they have endpoints): routes, listeners and scopes, as they were
 *    when the clusters were sent, so that they name no cluster that the client does not have yet;
 * 3. when it accepted those: removals of clusters, endpoints and secrets. A client that comes back must have asked for all that may refer
 *    to them before.
 *
 * An Envoy answers for clusters when all of them serve, and a name that nobody resolves or a health check that nobody answers would keep all
 * others waiting. So clusters that need such wait one second, and until the answer comes later ones are sent before it; they count as
 * serving when the client took their endpoints.
 *
 * Each wait ends after `stepMs`, so a lost answer delays and never blocks. The times are the caller's, in milliseconds from any start.
 * A stream of one type is the same with nothing to wait for.
 */
export class StreamState {
  readonly #types = new Map<TypeUrl, TypeStream>();
  readonly #options: StreamStateOptions;
  readonly #stepMs: number;
  /** ClusterLoadAssignments that clusters on their way to the client wait for. */
  #warming: ReadonlySet<string> = new Set();
  /** Those as they were when the clusters went: routes that are staged may lead there even if they have gone since. */
  #assignments: ReadonlyMap<string, Resource> = nothing;
  #clustersInFlight = false;
  /** Among those are clusters that need more than endpoints. */
  #slow = false;
  /** Since when the step waits that is now on: the clusters' answer, then the sending of what was staged. */
  #stepSinceMs: number | undefined;
  #removalsHeldSinceMs: number | undefined;
  /** The client brought what it has from an earlier stream, and since when that is known. */
  #returning = false;
  #returnedMs: number | undefined;
  #nowMs = Number.NEGATIVE_INFINITY;

  constructor(options: StreamStateOptions) {
    this.#options = options;
    this.#stepMs = options.stepMs ?? defaultStepMs;
  }

  /** The types that the client has asked for so far. */
  get types(): ReadonlyMap<TypeUrl, TypeStream> {
    return this.#types;
  }

  /** When `next` may give something although nothing else has happened; `undefined` if it waits for no time. */
  get deadlineMs(): number | undefined {
    const waits = (this.#removalsHaveWork && !this.#askedForAll) || (this.#referringHaveWork && this.#lacksClusters);
    const returned = waits ? this.#returnedMs : undefined;
    const step = this.#referringHaveWork || this.#types.get(typeUrls.cluster)?.hasWork ? this.#stepSinceMs : undefined;
    const since = [step, this.#removalsHeldSinceMs, returned];
    const deadlines = since.filter((time) => time !== undefined).map((time) => time + this.#stepMs);
    if (step !== undefined && this.#clustersInFlight && this.#slow) deadlines.push(step + slowStepMs);
    // One that has passed had its effect; what remains waits for the client.
    const ahead = deadlines.filter((time) => time > this.#nowMs);
    return ahead.length === 0 ? undefined : Math.min(...ahead);
  }

  /** Takes a request in. A type is served by the protocol of its first request. */
  request(type: TypeUrl, request: XdsRequest): Answer {
    const first = !this.#types.has(type);
    const options = { type, source: this.#options.source, view: this.#options.view };
    const stream = this.#types.getOrInsertComputed(type, () =>
      request.protocol === 'delta' ? new DeltaTypeStream(options) : new SotwTypeStream(options),
    );
    const answer = take(stream, request);
    if (first && request.protocol === 'delta') this.#brought(type, request.request.initialVersions);
    const answered = answer.kind === 'accepted' || answer.kind === 'refused';
    if (type === typeUrls.cluster && answered) this.#clustersAnswered();
    // A client that comes back asks for clusters first, and then says of their endpoints that it has them.
    if (type === typeUrls.endpoint && first) {
      stream.keep(this.#assignments);
      stream.force(this.#warming);
    }
    return answer;
  }

  /** Notes what changed in the snapshot. */
  update(update: SnapshotUpdate): void {
    for (const [type, changes] of update) this.#types.get(type)?.mark(changes.keys());
  }

  /**
   * Gives the next response that may be sent at this time, and notes it as sent. To be called until it gives none, after each
   * request, each update and at `deadlineMs`.
   */
  next(nowMs: number): Response | undefined {
    this.#nowMs = nowMs;
    if (this.#returning) this.#returnedMs ??= nowMs;
    this.#giveUpWaiting();
    return this.#clusters('additions') ?? this.#first(independent, 'additions') ?? this.#referring() ?? this.#removals();
  }

  /**
   * An Envoy does not speak of clusters while changed ones wait for endpoints, on a new stream neither. That it asks for endpoints first is
   * thus how it says that the stream broke before these came; it will not ask for them again.
   */
  #brought(type: TypeUrl, versions: ReadonlyMap<string, string>): void {
    if (versions.size === 0) return;
    this.#returning = true;
    if (type === typeUrls.endpoint && this.#lacksClusters) this.#types.get(type)?.force(this.#present(type, versions.keys()).keys());
  }

  #clusters(part: Part): Response | undefined {
    const clusters = this.#types.get(typeUrls.cluster);
    if (clusters === undefined || this.#hasStaged || this.#clustersInFlight) return undefined;
    const response = clusters.next(part);
    if (response === undefined) return undefined;
    this.#clustersInFlight = true;
    this.#slow = response.news.some(({ encoded }) => !needsEndpointsOnly(encoded.bytes));
    this.#stepSinceMs = this.#nowMs;
    for (const type of referring) this.#types.get(type)?.stage();
    this.#warming = endpointsOf(response);
    this.#assignments = this.#present(typeUrls.endpoint, this.#warming);
    const assignments = this.#types.get(typeUrls.endpoint);
    assignments?.keep(this.#assignments);
    assignments?.force(this.#warming);
    return response;
  }

  #referring(): Response | undefined {
    if (this.#clustersInFlight || (this.#lacksClusters && this.#justReturned)) return undefined;
    // With all clusters at the client the newest state is as good as the staged one, which may lead to what has gone since.
    if (this.#hasStaged && !this.#types.get(typeUrls.cluster)?.hasAdditions) this.#release();
    if (!this.#hasStaged) {
      this.#stepSinceMs = undefined;
      this.#types.get(typeUrls.endpoint)?.keep(nothing);
      return this.#first(referring, 'all');
    }
    this.#stepSinceMs ??= this.#nowMs;
    const response = this.#first(referring, 'staged');
    // What changed since the staging may refer to clusters that are due only now.
    return response ?? (this.#hasStaged ? undefined : this.next(this.#nowMs));
  }

  #removals(): Response | undefined {
    if (!this.#removalsHaveWork) {
      this.#removalsHeldSinceMs = undefined;
      return undefined;
    }
    if (this.#mayHaveRoutes) return undefined;
    this.#removalsHeldSinceMs ??= this.#nowMs;
    const overdue = this.#nowMs >= this.#removalsHeldSinceMs + this.#stepMs;
    if (!overdue && this.#referringInFlight) return undefined;
    return this.#clusters('all') ?? this.#first(independent, 'all');
  }

  #first(types: readonly TypeUrl[], part: Part): Response | undefined {
    for (const type of types) {
      const response = this.#types.get(type)?.next(part);
      if (response !== undefined) return response;
    }
    return undefined;
  }

  /** A client that comes back asks for clusters first, and only then for the routes that may lead to those that have gone since. */
  get #mayHaveRoutes(): boolean {
    return this.#options.source === 'ads' && !this.#askedForAll && this.#justReturned;
  }

  get #lacksClusters(): boolean {
    return this.#options.source === 'ads' && !this.#types.has(typeUrls.cluster);
  }

  get #justReturned(): boolean {
    return this.#returnedMs !== undefined && this.#nowMs < this.#returnedMs + this.#stepMs;
  }

  get #askedForAll(): boolean {
    return referring.every((type) => this.#types.has(type));
  }

  get #removalsHaveWork(): boolean {
    return removedLast.some((type) => this.#types.get(type)?.hasWork);
  }

  get #hasStaged(): boolean {
    return referring.some((type) => this.#types.get(type)?.hasStaged);
  }

  get #referringHaveWork(): boolean {
    return referring.some((type) => this.#types.get(type)?.hasWork);
  }

  get #referringInFlight(): boolean {
    return this.#referringHaveWork || referring.some((type) => this.#types.get(type)?.acknowledgements.pending !== undefined);
  }

  #clustersAnswered(): void {
    const clusters = this.#types.get(typeUrls.cluster);
    if (clusters === undefined || clusters.acknowledgements.pending !== undefined) return;
    clusters.overtake = false;
    this.#clustersInFlight = false;
    this.#stepSinceMs = undefined;
    this.#warming = new Set();
  }

  /** Whether the clusters on their way serve as far as can be told, though the client did not answer. */
  #haveEndpoints(waitedMs: number): boolean {
    if (this.#slow ? waitedMs < slowStepMs : !this.#types.get(typeUrls.cluster)?.overtake) return false;
    const assignments = this.#types.get(typeUrls.endpoint);
    return this.#warming.values().every((name) => assignments?.hasTaken(name));
  }

  #release(): void {
    for (const type of referring) this.#types.get(type)?.release();
  }

  #present(type: TypeUrl, names: Iterable<string>): ReadonlyMap<string, Resource> {
    const present = new Map<string, Resource>();
    for (const name of names) {
      const resource = this.#options.view.get(type, name);
      if (resource !== undefined) present.set(name, resource);
    }
    return present;
  }

  #giveUpWaiting(): void {
    if (this.#stepSinceMs === undefined) return;
    const waitedMs = this.#nowMs - this.#stepSinceMs;
    const overdue = waitedMs >= this.#stepMs;
    if (!overdue && !(this.#clustersInFlight && this.#haveEndpoints(waitedMs))) return;
    const clusters = this.#types.get(typeUrls.cluster);
    if (clusters !== undefined && this.#clustersInFlight) clusters.overtake = true;
    this.#clustersInFlight = false;
    this.#stepSinceMs = undefined;
    if (overdue) this.#release();
  }
}

/** The ClusterLoadAssignments that the client needs to warm the clusters that a response brings. */
function endpointsOf(clusters: Response): ReadonlySet<string> {
  const names = clusters.news.map(({ encoded }) => edsServiceName(encoded.bytes));
  return new Set(names.filter((name) => name !== undefined));
}

function take(stream: TypeStream, given: XdsRequest): Answer {
  if (given.protocol === 'delta' && stream instanceof DeltaTypeStream) return stream.request(given.request);
  if (given.protocol === 'sotw' && stream instanceof SotwTypeStream) return stream.request(given.request);
  return { kind: 'invalid', message: 'both protocols on one stream' };
}
