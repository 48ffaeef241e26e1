import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Service } from '../apis/core/v1/service.ts';
import type { GatewayClass } from '../apis/gateway/gateway-class.ts';
import type { KindMap, KindName } from '../apis/kinds.ts';
import type { KubeObject } from '../apis/meta.ts';
import type { Config } from '../config/config.ts';
import type { LeaderElectionOptions, ServeOptions } from '../config/serve-options.ts';
import { controllerBuilder } from '../controller-runtime/builder/builder.ts';
import { Client } from '../controller-runtime/client/client.ts';
import { type Clock, systemClock } from '../controller-runtime/clock/clock.ts';
import type { WatchEvent } from '../controller-runtime/event/event.ts';
import { LeaderElector } from '../controller-runtime/leaderelection/leader-elector.ts';
import { LeaseLock } from '../controller-runtime/leaderelection/lease.ts';
import type { Manager, Runnable } from '../controller-runtime/manager/manager.ts';
import { gatewayClassReconciler } from '../controllers/gateway-class-reconciler.ts';
import { addressesOfService, parseStatusAddresses } from '../controllers/load-balancer-status.ts';
import { objectHandler } from '../controllers/object-handler.ts';
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
}

/** What `serve` runs on a cluster: objects in, statuses out. */
export interface KubernetesMode {
  /** For the manager; `undefined`: this process always leads. */
  readonly elector: LeaderElector | undefined;
  /** Resolves when the cache has every object that is there. */
  readonly synced: Promise<void>;
  /** Takes the statuses that came out of a build. */
  onBuild(result: Pick<BuildResult, 'statuses' | 'withdrawn'>): void;
  /** Asks the API server for an object. */
  find<K extends KindName>(kind: K, namespace: string, name: string): Promise<KindMap[K] | undefined>;
  /** Adds the informers, and what only the leader does. */
  addTo(manager: Manager): void;
}

/** Puts the parts of Kubernetes mode together; nothing is sent before the manager runs. */
export function kubernetesMode(deps: KubernetesModeDeps): KubernetesMode {
  const { connection, cache, config, options, log, clock = systemClock } = deps;
  const writer = new Client(connection.writes);
  const handlers = [objectHandler(cache)];
  const provider = new KubernetesProvider({ rest: connection.reads, config, options, handlers, log, clock });
  const statuses = new StatusUpdateHandler({
    client: writer,
    resourceOf: (kind) => provider.resourceOf(kind),
    live: (object) => provider.live(object),
    owner: { controllerName: config.gatewayControllerName, ...(config.gatewayRef !== undefined && { gateway: config.gatewayRef }) },
    clock,
    log,
    ...(deps.observer !== undefined && { observer: deps.observer }),
  });
  handlers.push(addressesHandler(config, statuses), (event) => statuses.observe(event));
  return {
    elector: options.leaderElection.disabled ? undefined : leaderElector(provider.client, options.leaderElection, log, clock),
    synced: provider.ready,
    onBuild: ({ statuses: wanted, withdrawn }) => {
      statuses.withdraw(withdrawn);
      statuses.want(wanted);
    },
    find: (kind, namespace, name) => provider.client.get(infoOf(kind), { namespace, name }),
    addTo: (manager) => {
      manager.add('cache', provider);
      manager.add('leader', statuses);
      manager.add('leader', gatewayClasses(provider, writer, { config, log, clock }));
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

function leaderElector(client: Client, options: LeaderElectionOptions, log: Logger, clock: Clock): LeaderElector {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = options;
  const lock = new LeaseLock(client, options.namespace, options.name);
  const identity = `${hostname()}_${randomUUID()}`;
  return new LeaderElector({ lock, identity, leaseDurationMs, renewDeadlineMs, retryPeriodMs, clock, random: Math.random, log });
}

/** The leader starts when the caches have synced, so the informer is there if the kind is watched at all. */
function gatewayClasses(
  provider: KubernetesProvider,
  client: Client,
  { config, log, clock }: { readonly config: Config; readonly log: Logger; readonly clock: Clock },
): Runnable {
  const name = 'gateway classes';
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
        clock,
      });
      await controllerBuilder({ name, clock, log }).for(informer).complete(reconciler).run(signal);
    },
  };
}
