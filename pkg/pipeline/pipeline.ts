import type { EndpointSlice } from '../apis/discovery/v1/endpoint-slice.ts';
import type { KubeObject } from '../apis/meta.ts';
import type { Config } from '../config/config.ts';
import { DagBuilder } from '../dag/builder.ts';
import type { Notice } from '../dag/contribution.ts';
import { type ContributionChange, Contributions, type Fault } from '../dag/contributions.ts';
import type { Dag, DagChanges } from '../dag/model/dag.ts';
import { gatewayApiProcessor } from '../dag/processors/gateway-api/gateway-api-processor.ts';
import { httpProxyProcessor } from '../dag/processors/httpproxy/httpproxy-processor.ts';
import { ingressProcessor } from '../dag/processors/ingress/ingress-processor.ts';
import { listenerProcessor } from '../dag/processors/listener/listener-processor.ts';
import { ingressClassMatches } from '../k8s/ingress-class.ts';
import type { Change } from '../kubernetes-cache/changes.ts';
import { KubernetesCache } from '../kubernetes-cache/kubernetes-cache.ts';
import type { SecretInspector } from '../kubernetes-cache/secret-inspector.ts';
import { Statuses } from '../status/statuses.ts';
import type { WantedStatus } from '../status/wanted.ts';
import type { SnapshotUpdate } from '../xdscache/resource.ts';
import { Snapshot } from '../xdscache/snapshot.ts';
import { createXdsCache, type XdsCache } from '../xdscache/xds-cache.ts';

export interface PipelineOptions {
  readonly config: Config;
  readonly secrets: SecretInspector;
}

/** What a build made of a batch of changes. Everything in it is what differs from the build before. */
export interface BuildResult {
  readonly dag: Dag;
  readonly changes: DagChanges;
  readonly snapshot: SnapshotUpdate;
  /** Statuses that came out another than before. */
  readonly statuses: readonly WantedStatus[];
  /** What the built roots say that no status has room for, such as an Ingress with a bad annotation. */
  readonly notices: readonly Notice[];
  /** Roots whose processor threw; each keeps its last good contribution. */
  readonly faults: readonly Fault[];
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
  readonly snapshot = new Snapshot();
  readonly #contributions: Contributions;
  readonly #builder = new DagBuilder();
  readonly #statuses = new Statuses();
  readonly #xdsCache: XdsCache;

  constructor({ config, secrets }: PipelineOptions, cache = createCache(config, secrets)) {
    this.cache = cache;
    this.#xdsCache = createXdsCache(config);
    this.#contributions = new Contributions({
      cache,
      config,
      processors: [httpProxyProcessor, ingressProcessor, gatewayApiProcessor],
      configProcessor: listenerProcessor,
    });
  }

  get dag(): Dag {
    return this.#builder.dag;
  }

  /** Every wanted status, for a leader that has just been elected. */
  statuses(): readonly WantedStatus[] {
    return [...this.#statuses.wanted.values()];
  }

  /** Builds what a batch of changes touches. The cache already has the changes. */
  build(batch: readonly Change[]): BuildResult {
    const touched = new Set(batch.flatMap((change) => change.touched));
    return this.#finish(this.#contributions.update(touched), batch);
  }

  /** Builds everything that the cache has, from the start. */
  buildAll(): BuildResult {
    const slices = [...this.cache.objects('EndpointSlice')];
    const batch = slices.map((after): Change => ({ op: 'add', after, touched: [] }));
    return this.#finish(this.#contributions.updateAll(), batch);
  }

  #finish(
    built: { changed: readonly ContributionChange[]; faults: readonly Fault[]; dirty: number },
    batch: readonly Change[],
  ): BuildResult {
    const slices = batch.filter((change) => (change.after ?? change.before)?.kind === 'EndpointSlice');
    for (const { before, after } of slices) {
      this.#xdsCache.applyEndpointSlice(before as EndpointSlice | undefined, after as EndpointSlice | undefined);
    }
    const changes = this.#builder.update(built.changed);
    const snapshot = this.#xdsCache.update(this.dag, changes);
    this.snapshot.apply(snapshot);
    return {
      dag: this.dag,
      changes,
      snapshot,
      statuses: this.#statuses.update(built.changed, changes),
      notices: built.changed.flatMap(({ after }) => after?.notices ?? []),
      faults: built.faults,
      dirty: built.dirty,
    };
  }
}

function createCache(config: Config, secrets: SecretInspector): KubernetesCache {
  return new KubernetesCache({ keeps: (object) => keeps(object, config), secrets });
}

/** Objects of another ingress class do not exist for us. @see reference 4.1 */
function keeps(object: KubeObject, config: Config): boolean {
  if (object.kind !== 'HTTPProxy' && object.kind !== 'Ingress') return true;
  return ingressClassMatches(object, config.ingressClassNames);
}
