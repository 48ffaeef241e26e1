import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Service } from '../apis/core/v1/service.ts';
import type { GatewayClass } from '../apis/gateway/gateway-class.ts';
import type { KindMap, KindName } from '../apis/kinds.ts';
import type { KubeObject, ObjectRef } from '../apis/meta.ts';
import type { ContourConfiguration } from '../apis/projectcontour/v1alpha1/contour-configuration.ts';
import type { Config } from '../config/config.ts';
import type { LeaderElectionOptions, ServeOptions } from '../config/serve-options.ts';
import { controllerBuilder } from '../controller-runtime/builder/builder.ts';
import type { EventHandler } from '../controller-runtime/cache/informer.ts';
import { Client } from '../controller-runtime/client/client.ts';
import { type Clock, systemClock } from '../controller-runtime/clock/clock.ts';
import type { WatchEvent } from '../controller-runtime/event/event.ts';
import { EventRecorder } from '../controller-runtime/events/event-recorder.ts';
import { LeaderElector } from '../controller-runtime/leaderelection/leader-elector.ts';
import { LeaseLock } from '../controller-runtime/leaderelection/lease.ts';
import type { Manager, Runnable } from '../controller-runtime/manager/manager.ts';
import { leaderElectionMetrics } from '../controller-runtime/metrics/leader-election-metrics.ts';
import { type MetricsProvider, noMetrics } from '../controller-runtime/metrics/metrics.ts';
import { workQueueMetrics } from '../controller-runtime/metrics/work-queue-metrics.ts';
import { gatewayClassReconciler } from '../controllers/gateway-class-reconciler.ts';
import { kindReconcilers } from '../controllers/kind-reconcilers.ts';
import { statusFieldManager } from '../controllers/left-status.ts';
import { addressesOfService, parseStatusAddresses } from '../controllers/load-balancer-status.ts';
import { ObjectEvents } from '../controllers/object-events.ts';
import { StatusUpdateHandler, type StatusWriteObserver } from '../controllers/status-update-handler.ts';
import type { KubernetesCache } from '../kubernetes-cache/kubernetes-cache.ts';
import type { BuildResult } from '../pipeline/pipeline.ts';
import type { Logger } from '../util/logger.ts';
import type { Connection } from './kubernetes/connection.ts';
import { infoOf } from './kubernetes/kinds.ts';
import { KubernetesProvider } from './kubernetes.ts';

export interface KubernetesModeDeps {
  readonly connection: Connection;
  readonly cache: Pick<KubernetesCache, 'apply' | 'remove'>;
  readonly config: Config;
  readonly options: Pick<ServeOptions, 'watchNamespaces' | 'disabledFeatures' | 'leaderElection'>;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly observer?: StatusWriteObserver;
  /** Default: none are kept. */
  readonly metrics?: MetricsProvider;
  /** What the configuration was read from; told of in the log when it changes. */
  readonly configuration?: ContourConfiguration;
}

/** What `serve` runs on a cluster: objects in, statuses out. */
export interface KubernetesMode {
  /** For the manager; `undefined`: this process always leads. */
  readonly elector: LeaderElector | undefined;
  /** Resolves when the cache has every object that is there. */
  readonly synced: Promise<void>;
  /** Takes the statuses that came out of a build, and what is worth an Event. */
  onBuild(result: Pick<BuildResult, 'statuses' | 'withdrawn' | 'notices'>): void;
  /** Asks the API server for an object. */
  find<K extends KindName>(kind: K, namespace: string, name: string): Promise<KindMap[K] | undefined>;
  /** Adds the informers, and what only the leader does. */
  addTo(manager: Manager): void;
}

/** Puts the parts of Kubernetes mode together; nothing is sent before the manager runs. */
export function kubernetesMode(deps: KubernetesModeDeps): KubernetesMode {
  const { connection, cache, config, options, log, clock = systemClock, metrics = noMetrics } = deps;
  const writer = new Client(connection.writes);
  const handlers: EventHandler<KubeObject>[] = [];
  const reconcilerOf = kindReconcilers({ cache, config, metrics, onForeign: (object) => statuses.foreign(object) });
  const provider = new KubernetesProvider({ rest: connection.reads, config, options, reconcilerOf, handlers, log, clock });
  const live = (object: ObjectRef) => provider.live(object);
  const statuses = new StatusUpdateHandler({
    client: writer,
    fieldManager: statusFieldManager(options.leaderElection),
    resourceOf: (kind) => provider.resourceOf(kind),
    live,
    owner: { controllerName: config.gatewayControllerName, ...(config.gatewayRef !== undefined && { gateway: config.gatewayRef }) },
    clock,
    log,
    queueMetrics: workQueueMetrics(metrics, 'status', clock),
    ...(deps.observer !== undefined && { observer: deps.observer }),
  });
  handlers.push(addressesHandler(config, statuses), (event) => statuses.observe(event));
  if (deps.configuration !== undefined) handlers.push(configurationHandler(deps.configuration, log));
  const elector = options.leaderElection.disabled
    ? undefined
    : leaderElector(provider.client, options.leaderElection, { log, clock, metrics });
  const recorder = new EventRecorder({ client: writer, controller: 'projectcontour.io/isoline', instance: hostname(), clock, log });
  const events = new ObjectEvents({ recorder, live, leading: () => elector?.leading ?? true });
  return {
    elector,
    synced: provider.ready,
    onBuild: (result) => {
      statuses.withdraw(result.withdrawn);
      statuses.want(result.statuses);
      events.observe(result);
    },
    find: (kind, namespace, name) => provider.client.get(infoOf(kind), { namespace, name }),
    addTo: (manager) => {
      manager.add('cache', provider);
      manager.add('other', recorder);
      manager.add('leader', statuses);
      manager.add('leader', gatewayClasses(provider, writer, { config, log, clock, metrics }));
    },
  };
}

/** The addresses are what the configuration says, or else what the Envoy Service has. @see reference 9.6 */
function addressesHandler(config: Config, statuses: StatusUpdateHandler): (event: WatchEvent<KubeObject>) => void {
  if (config.statusAddresses.length > 0) {
    statuses.publishAddresses(parseStatusAddresses(config.statusAddresses));
    return () => undefined;
  }
  const { namespace, name } = config.envoyService;
  return ({ type, object }) => {
    if (object.kind !== 'Service' || object.metadata.name !== name || object.metadata.namespace !== namespace) return;
    statuses.publishAddresses(addressesOfService(type === 'delete' ? undefined : (object as Service)));
  };
}

/** Says once a version that the configuration that is in force is another than the one on the API server. */
function configurationHandler({ kind, metadata }: ContourConfiguration, log: Logger): (event: WatchEvent<KubeObject>) => void {
  const { namespace, name } = metadata;
  let told = metadata.generation;
  return ({ type, object }) => {
    if (object.kind !== kind || object.metadata.name !== name || object.metadata.namespace !== namespace) return;
    const fields = { configuration: `${namespace}/${name}` };
    if (type === 'delete') log.warn(fields, 'the ContourConfiguration is gone; what was read of it stays in force');
    else if (object.metadata.generation !== told)
      log.warn(fields, 'the ContourConfiguration has changed; it takes effect at the next start');
    told = type === 'delete' ? undefined : object.metadata.generation;
  };
}

interface Tools {
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: MetricsProvider;
}

function leaderElector(client: Client, options: LeaderElectionOptions, { log, clock, metrics: provider }: Tools): LeaderElector {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = options;
  const lock = new LeaseLock(client, options.namespace, options.name);
  const identity = `${hostname()}_${randomUUID()}`;
  const metrics = leaderElectionMetrics(provider, options.name);
  return new LeaderElector({ lock, identity, leaseDurationMs, renewDeadlineMs, retryPeriodMs, clock, random: Math.random, log, metrics });
}

/** The leader starts when the caches have synced, so the informer is there if the kind is watched at all. */
function gatewayClasses(provider: KubernetesProvider, client: Client, { config, ...tools }: Tools & { readonly config: Config }): Runnable {
  const name = 'gatewayclass';
  return {
    name,
    run: async (signal) => {
      const informer = provider.informer('GatewayClass');
      if (informer === undefined) return;
      const reconciler = gatewayClassReconciler({
        client,
        resource: informer.kind,
        live: (className) => informer.get('', className) as GatewayClass | undefined,
        controllerName: config.gatewayControllerName,
        clock: tools.clock,
      });
      await controllerBuilder({ name, ...tools })
        .for(informer)
        .complete(reconciler)
        .run(signal);
    },
  };
}
