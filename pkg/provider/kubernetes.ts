import type { KindName } from '../apis/kinds.ts';
import type { KubeObject, ObjectRef } from '../apis/meta.ts';
import { apiVersionOf } from '../apis/scheme.ts';
import type { Config } from '../config/config.ts';
import type { ServeOptions } from '../config/serve-options.ts';
import { Cache } from '../controller-runtime/cache/cache.ts';
import type { EventHandler, Informer } from '../controller-runtime/cache/informer.ts';
import type { ReflectorProblem } from '../controller-runtime/cache/reflector.ts';
import { Client } from '../controller-runtime/client/client.ts';
import { type ServedVersions, servedVersions } from '../controller-runtime/client/discovery.ts';
import type { ResourceKind } from '../controller-runtime/client/object.ts';
import type { RestClient } from '../controller-runtime/client/rest-client.ts';
import { waitForServer } from '../controller-runtime/client/wait-for-server.ts';
import { type Clock, systemClock } from '../controller-runtime/clock/clock.ts';
import { problemLog } from '../controller-runtime/cluster/problem-log.ts';
import type { Runnable } from '../controller-runtime/manager/manager.ts';
import type { Logger } from '../util/logger.ts';
import { infoOf, kindsToWatch, resourceOf, type WatchedKind } from './kubernetes/kinds.ts';
import { trimmer } from './kubernetes/trim.ts';

export interface KubernetesProviderDeps {
  readonly rest: RestClient;
  readonly config: Pick<Config, 'gatewayRef' | 'rootNamespaces' | 'fallbackCertificate' | 'clientCertificate'>;
  readonly options: Pick<ServeOptions, 'watchNamespaces' | 'disabledFeatures'>;
  /** What is called first for every event of a kind, such as the reconciler that feeds the KubernetesCache. Default: nothing. */
  readonly reconcilerOf?: (kind: KindName) => { readonly handle: EventHandler<KubeObject> };
  /** Called for every event of every kind, in order. */
  readonly handlers: readonly EventHandler<KubeObject>[];
  readonly log: Logger;
  readonly clock?: Clock;
  /** For jitter. Default: `Math.random`. */
  readonly random?: () => number;
}

const gatewayGroup = infoOf('Gateway').group;
/** How often it is asked in which versions kinds are served that are missing. */
const versionsPollMs = 10_000;

/**
 * Feeds objects of the API server to its handlers: one informer a kind, trimmed. `ready` resolves when every kind has
 * synced; a kind that is not installed counts as empty until it comes, in whichever of its versions.
 */
export class KubernetesProvider implements Runnable {
  readonly name = 'kubernetes provider';
  readonly ready: Promise<void>;
  readonly client: Client;
  readonly #deps: KubernetesProviderDeps;
  readonly #clock: Clock;
  readonly #cache: Cache;
  /** The informers of each kind, one a version, the newest last: a kind may come in an older version than is looked for. */
  readonly #informers = new Map<string, readonly Informer<KubeObject>[]>();
  readonly #missing = new Set<string>();
  readonly #markReady: () => void;
  readonly #log: (problem: ReflectorProblem) => void;

  constructor(deps: KubernetesProviderDeps) {
    this.#deps = deps;
    this.#clock = deps.clock ?? systemClock;
    this.client = new Client(deps.rest);
    this.#log = problemLog(deps.log);
    this.#cache = new Cache({
      rest: deps.rest,
      clock: this.#clock,
      onProblem: (problem) => this.#tell(problem),
      ...(deps.random !== undefined && { random: deps.random }),
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    this.#markReady = resolve;
  }

  /** The kinds whose objects have not all been told yet, once `run` has begun. */
  unsynced(): readonly string[] {
    return this.#cache.unsynced().map(({ kind }) => kind);
  }

  /** The newest version of an object that we know. */
  live(object: ObjectRef): KubeObject | undefined {
    return this.informer(object.kind)?.get(object.namespace, object.name);
  }

  /** The informer of a kind; `undefined` if it is not watched, or before the API server has answered. */
  informer(kind: string): Informer<KubeObject> | undefined {
    return this.#informers.get(kind)?.at(-1);
  }

  /** Where the API server keeps a kind that is watched. */
  resourceOf(kind: string): ResourceKind | undefined {
    return this.informer(kind)?.kind;
  }

  /** Waits for the API server, then lists and watches until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { rest, config, options, log, random = Math.random } = this.#deps;
    await waitForServer(rest, { log, clock: this.#clock, random }, signal);
    const served = await this.#served(signal);
    if (signal.aborted) return;
    const kinds = kindsToWatch(config, options.disabledFeatures);
    for (const kind of kinds) this.#watch(kind, resourceOf(kind.kind, served));
    void this.#cache.synced().then(() => this.#markReady());
    const gatewayKinds = kinds.filter(({ kind }) => infoOf(kind).group === gatewayGroup);
    await Promise.all([this.#cache.run(signal), this.#followVersions(gatewayKinds, signal)]);
  }

  /** The Gateway API may be installed in an older version. */
  async #served(signal: AbortSignal): Promise<ServedVersions> {
    if (this.#deps.config.gatewayRef === undefined) return new Map();
    try {
      return await servedVersions(this.#deps.rest, gatewayGroup, signal);
    } catch (error) {
      if (!signal.aborted) this.#deps.log.warn({ error }, 'cannot ask which versions of the Gateway API are served; the newest are taken');
      return new Map();
    }
  }

  /** Kinds that are missing may come in an older version than the one that their informers wait for. */
  async #followVersions(kinds: readonly WatchedKind[], signal: AbortSignal): Promise<void> {
    const { rest, random = Math.random } = this.#deps;
    while (!signal.aborted) {
      await this.#clock.sleep(versionsPollMs * (0.75 + random() / 2), signal);
      const missing = kinds.filter(({ kind }) => this.#missing.has(kind));
      if (signal.aborted || missing.length === 0) continue;
      // Where the server does not answer, or refuses, the next round asks again.
      const served = await servedVersions(rest, gatewayGroup, signal).catch((): ServedVersions => new Map());
      for (const watched of missing) {
        const resource = resourceOf(watched.kind, served);
        if (this.#informers.get(watched.kind)?.every(({ kind }) => kind.version !== resource.version) === true)
          this.#watch(watched, resource);
      }
    }
  }

  #watch(watched: WatchedKind, resource: ResourceKind): void {
    const info = infoOf(watched.kind);
    const informer = this.#cache.informer<KubeObject>(resource, {
      namespaces: this.#namespacesOf(watched.kind),
      transform: trimmer(watched.kind, apiVersionOf(info.group, info.version)),
      optional: watched.optional === true,
      ...(watched.fieldSelector !== undefined && { fieldSelector: watched.fieldSelector }),
    });
    this.#informers.set(watched.kind, [...(this.#informers.get(watched.kind) ?? []), informer]);
    const hasElsewhere = ({ metadata: { namespace = '', name } }: KubeObject): boolean =>
      this.#informers.get(watched.kind)?.some((other) => other !== informer && other.get(namespace, name) !== undefined) === true;
    const { reconcilerOf, handlers } = this.#deps;
    const reconciler = reconcilerOf?.(watched.kind);
    for (const handler of reconciler === undefined ? handlers : [reconciler.handle, ...handlers]) {
      informer.addHandler((event) => {
        // A version that is no longer served takes no object along that another has.
        if (event.type !== 'delete' || !hasElsewhere(event.object)) handler(event);
      });
    }
  }

  /** Root namespaces narrow Secrets, and nothing else. @see reference 1.1 */
  #namespacesOf(kind: KindName): readonly string[] {
    const { config, options } = this.#deps;
    if (kind !== 'Secret' || config.rootNamespaces.length === 0) return options.watchNamespaces;
    const named = [config.fallbackCertificate?.namespace, config.clientCertificate?.namespace];
    return [...config.rootNamespaces, ...named.filter((namespace) => namespace !== undefined)];
  }

  #tell(problem: ReflectorProblem): void {
    const { kind } = problem.selection.kind;
    if (problem.type === 'missing') this.#missing.add(kind);
    if (problem.type === 'found') this.#missing.delete(kind);
    this.#log(problem);
  }
}
