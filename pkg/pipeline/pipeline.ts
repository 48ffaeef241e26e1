import type { EndpointSlice } from '../apis/discovery/v1/endpoint-slice.ts';
import { keyOfRef, type ObjectKey, type ObjectRef } from '../apis/meta.ts';
import type { Config } from '../config/config.ts';
import { DagBuilder } from '../dag/builder.ts';
import type { Notice } from '../dag/contribution.ts';
import { Contributions, type ContributionsDeps, type ContributionsResult, type Fault } from '../dag/contributions.ts';
import type { Dag, DagChanges } from '../dag/model/dag.ts';
import { extensionServiceProcessor } from '../dag/processors/extension-service/extension-service-processor.ts';
import { gatewayApiProcessor } from '../dag/processors/gateway-api/gateway-api-processor.ts';
import { httpProxyProcessor } from '../dag/processors/httpproxy/httpproxy-processor.ts';
import { ingressProcessor } from '../dag/processors/ingress/ingress-processor.ts';
import { listenerProcessor } from '../dag/processors/listener/listener-processor.ts';
import type { Hold } from '../dag/reference-grace.ts';
import type { Change } from '../kubernetes-cache/changes.ts';
import { KubernetesCache } from '../kubernetes-cache/kubernetes-cache.ts';
import { isRelevant } from '../kubernetes-cache/relevant-kinds.ts';
import type { SecretInspector } from '../kubernetes-cache/secret-inspector.ts';
import { refusedObjects } from '../status/refused.ts';
import { Statuses } from '../status/statuses.ts';
import type { WantedStatus } from '../status/wanted.ts';
import type { ProxyAnswer } from '../xdscache/quarantine/proxy-answer.ts';
import { Quarantine, type QuarantineEffects } from '../xdscache/quarantine/quarantine.ts';
import { type Resource, type SnapshotUpdate, type SnapshotView, typeUrls } from '../xdscache/resource.ts';
import { Snapshot } from '../xdscache/snapshot.ts';
import { createXdsCache, type XdsCache } from '../xdscache/xds-cache.ts';
import { KeptEndpoints } from './kept-endpoints.ts';
import { withholdUnguarded } from './withhold.ts';

export interface PipelineOptions {
  readonly config: Config;
  readonly secrets: SecretInspector;
  /**
   * Whether a root keeps what it had while a new version of it waits for what it refers to. Who turns it on has to tell the cache,
   * by `graceOver`, which waits took long enough. Default: false.
   */
  readonly referenceGrace?: boolean;
}

/** What a build made of a batch of changes. Everything in it is what differs from the build before. */
export interface BuildResult {
  readonly dag: Dag;
  readonly changes: DagChanges;
  readonly snapshot: SnapshotUpdate;
  /** Statuses that came out another than before. */
  readonly statuses: readonly WantedStatus[];
  /** The last statuses of objects for which none is wanted any more: they are gone, or no longer ours. */
  readonly withdrawn: readonly WantedStatus[];
  /** What the built roots say that no status has room for, such as an Ingress with a bad annotation. */
  readonly notices: readonly Notice[];
  /** Roots whose processor threw; each keeps its last good contribution. */
  readonly faults: readonly Fault[];
  /** Roots that wait for what they refer to, since this build. */
  readonly held: readonly Hold[];
  /** How many roots were built. */
  readonly dirty: number;
}

/**
 * The heart: objects in, DAG, Envoy resources and statuses out. Synchronous and pure but for what it remembers: no
 * I/O, no clock. The same objects give the same result whatever the order in which they came.
 */
export class Pipeline {
  readonly cache: KubernetesCache;
  /** What proxies should have as of the last build. */
  readonly snapshot = new Snapshot((update) => this.quarantine.guard(update));
  /** What proxies refused, and is kept from all of them. */
  readonly quarantine = new Quarantine(this.snapshot);
  readonly #options: PipelineOptions;
  #parts: Parts;
  /** What was wanted when the quarantine was filled, if that was another pipeline. */
  #adoptedDag: Dag | undefined;
  /** Refusals that a notice was given of. */
  #told: ReadonlySet<string> = new Set();

  constructor(options: PipelineOptions, cache = createCache(options)) {
    this.cache = cache;
    this.#options = options;
    this.#parts = createParts(cache, options);
  }

  get dag(): Dag {
    return this.#parts.builder.dag;
  }

  /** Roots that wait for what they refer to. */
  get holds(): ReadonlyMap<ObjectKey, Hold> {
    return this.#parts.contributions.holds;
  }

  /** All that is kept up while roots wait. */
  get kept(): Kept {
    return { holds: this.holds, slices: this.#parts.endpoints.slices };
  }

  /** Every wanted status, for a leader that has just been elected. */
  statuses(): readonly WantedStatus[] {
    return [...this.#parts.statuses.wanted.values()];
  }

  /** The wanted status of an object, if one is. */
  statusOf(object: ObjectRef): WantedStatus | undefined {
    return this.#parts.statuses.wanted.get(keyOfRef(object));
  }

  /** Builds what a batch of changes touches. The cache already has the changes. */
  build(batch: readonly Change[]): BuildResult {
    const touched = new Set(batch.flatMap((change) => change.touched));
    const built = assemble(this.#parts, this.#parts.contributions.update(touched), { batch, quarantine: this.quarantine });
    this.snapshot.apply(built.snapshot);
    return this.#withRefusals({ dag: this.dag, ...built }, this.quarantine.takeNews());
  }

  /**
   * Takes in what a proxy answered. Gives what it changes, as a build would; `undefined` where it changes nothing but what is known of
   * proxies. The snapshot has been changed then.
   */
  answered(answer: ProxyAnswer): BuildResult | undefined {
    return this.#serve(this.quarantine.answered(answer));
  }

  /** Waits no longer for what other proxies say to what one refused. As `answered`. */
  decide(): BuildResult | undefined {
    return this.#serve(this.quarantine.decide());
  }

  #serve({ hosts, resources }: QuarantineEffects): BuildResult | undefined {
    const { xdsCache } = this.#parts;
    if (hosts.length > 0) this.snapshot.apply(xdsCache.update(this.dag, { listeners: [], virtualHosts: hosts }));
    if (resources.size > 0) this.snapshot.apply(resources);
    if (!this.quarantine.takeNews()) return undefined;
    const changes = { listeners: [], virtualHosts: [] };
    const nothing = { statuses: [], withdrawn: [], notices: [], faults: [], held: [], dirty: 0 };
    return this.#withRefusals({ dag: this.dag, changes, snapshot: resources, ...nothing }, true);
  }

  /** Serves of the same objects what another pipeline serves, as far as proxies have refused something. To be called before the first build. */
  adoptQuarantine(other: Pipeline): void {
    this.quarantine.adopt(other.quarantine);
    this.#adoptedDag = other.dag;
  }

  /**
   * Builds everything that the cache has, from the start: nothing that an earlier build left behind counts, but that a
   * root whose processor throws keeps what it had. What comes out as it was is not served anew. No root waits for anything but those
   * of `kept`.
   */
  buildAll(kept?: Kept): BuildResult {
    const before = this.#parts;
    const parts = createParts(this.cache, this.#options, { lastGood: (root) => before.contributions.get(root), ...(kept && { kept }) });
    const slices = [...this.cache.objects('EndpointSlice')];
    const batch = slices.map((after): Change => ({ op: 'add', after, touched: [] }));
    const previous = this.#adoptedDag ?? this.dag;
    const built = assemble(parts, parts.contributions.updateAll(), { batch, quarantine: this.quarantine, previous });
    const { wanted } = parts.statuses;
    const withdrawn = [...before.statuses.wanted].flatMap(([key, status]) => (wanted.has(key) ? [] : [status]));
    const snapshot = replacing(this.snapshot, built.snapshot);
    this.#parts = parts;
    this.snapshot.apply(snapshot);
    return this.#withRefusals({ dag: this.dag, ...built, snapshot, withdrawn }, this.quarantine.takeNews() || this.quarantine.active);
  }

  /** Tells the objects that brought what proxies refuse, if that is news. */
  #withRefusals(result: BuildResult, news: boolean): BuildResult {
    if (!news) return result;
    const refused = refusedObjects(this.quarantine.entries);
    const told = this.#told;
    this.#told = new Set(refused.flatMap(({ object, problems }) => problems.map(({ message }) => `${keyOfRef(object)} ${message}`)));
    const { changed, withdrawn } = this.#parts.statuses.refuse(
      new Map(refused.map(({ object, problems }) => [keyOfRef(object), problems])),
    );
    const notices = refused.flatMap(({ object, problems }) =>
      problems.flatMap((problem) => (told.has(`${keyOfRef(object)} ${problem.message}`) ? [] : [{ object, problem }])),
    );
    return {
      ...result,
      statuses: [...result.statuses, ...changed],
      withdrawn: [...result.withdrawn, ...withdrawn],
      notices: [...result.notices, ...notices],
    };
  }
}

/** What builds remember. */
interface Parts {
  readonly contributions: Contributions;
  readonly builder: DagBuilder;
  readonly statuses: Statuses;
  readonly xdsCache: XdsCache;
  readonly endpoints: KeptEndpoints;
}

/** What is kept up while roots wait for what they refer to. */
export interface Kept {
  readonly holds: ReadonlyMap<ObjectKey, Hold>;
  readonly slices: ReadonlyMap<ObjectKey, EndpointSlice>;
}

interface Past {
  readonly lastGood?: NonNullable<ContributionsDeps['lastGood']>;
  readonly kept?: Kept;
}

function createParts(
  cache: KubernetesCache,
  { config, referenceGrace = false }: PipelineOptions,
  { lastGood, kept = { holds: new Map(), slices: new Map() } }: Past = {},
): Parts {
  const contributions = new Contributions({
    cache,
    config,
    processors: [extensionServiceProcessor, httpProxyProcessor, ingressProcessor, gatewayApiProcessor],
    configProcessor: listenerProcessor,
    referenceGrace,
    holds: kept.holds,
    ...(lastGood !== undefined && { lastGood }),
  });
  const xdsCache = createXdsCache(config);
  for (const slice of kept.slices.values()) xdsCache.applyEndpointSlice(undefined, slice);
  return {
    contributions,
    builder: new DagBuilder(withholdUnguarded(config)),
    statuses: new Statuses(),
    xdsCache,
    endpoints: new KeptEndpoints(kept.slices),
  };
}

interface Surroundings {
  readonly batch: readonly Change[];
  readonly quarantine: Quarantine;
  /** Set if everything is built anew: what was wanted before. */
  readonly previous?: Dag;
}

/** Takes changed contributions, and the EndpointSlices of a batch, through all that follows. */
function assemble(parts: Parts, built: ContributionsResult, { batch, quarantine, previous }: Surroundings): Omit<BuildResult, 'dag'> {
  const awaited = new Set([...parts.contributions.holds.values()].flatMap((hold) => [...hold.awaited]));
  for (const { before, after } of parts.endpoints.take(batch, awaited)) parts.xdsCache.applyEndpointSlice(before, after);
  const changes = parts.builder.update(built.changed);
  const { extensionClusters = [] } = changes;
  const served = { ...quarantine.filter(changes, previous), extensionClusters };
  const snapshot = parts.xdsCache.update(quarantine.served(parts.builder.dag, served), served);
  const { changed, withdrawn } = parts.statuses.update(built.changed, changes);
  return {
    changes,
    snapshot,
    statuses: changed,
    withdrawn,
    notices: built.changed.flatMap(({ after }) => after?.notices ?? []),
    faults: built.faults,
    held: built.held,
    dirty: built.dirty,
  };
}

/** The update after which a snapshot has exactly what `full` brings; what it has already, byte for byte, is left out. */
function replacing(snapshot: SnapshotView, full: SnapshotUpdate): SnapshotUpdate {
  return new Map(
    Object.values(typeUrls).map((type) => {
      const resources = full.get(type) ?? new Map<string, Resource | undefined>();
      const gone = [...snapshot.all(type).keys()].filter((name) => resources.get(name) === undefined);
      const differing = [...resources].filter(([name, resource]) => differs(snapshot.get(type, name), resource));
      return [type, new Map([...differing, ...gone.map((name) => [name, undefined] as const)])];
    }),
  );
}

/** Not asked at the first build, when nothing is there: it would encode everything. */
function differs(before: Resource | undefined, after: Resource | undefined): boolean {
  return before === undefined || before.encoded('ads').version !== after?.encoded('ads').version;
}

function createCache({ config, secrets }: PipelineOptions): KubernetesCache {
  return new KubernetesCache({ keeps: (object) => isRelevant(object, config), secrets });
}
