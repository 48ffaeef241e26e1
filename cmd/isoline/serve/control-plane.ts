import type { Registry } from 'prom-client';
import type { Config } from '../../../pkg/config/config.ts';
import type { NamedService } from '../../../pkg/config/rules.ts';
import type { ServeOptions } from '../../../pkg/config/serve-options.ts';
import { systemClock } from '../../../pkg/controller-runtime/clock/clock.ts';
import type { Manager } from '../../../pkg/controller-runtime/manager/manager.ts';
import { cacheClock } from '../../../pkg/controllers/cache-clock.ts';
import { EventHandler } from '../../../pkg/controllers/event-handler.ts';
import { ReferenceGrace } from '../../../pkg/controllers/reference-grace.ts';
import { type BuildResult, Pipeline } from '../../../pkg/pipeline/pipeline.ts';
import { verifyIncremental } from '../../../pkg/pipeline/verify.ts';
import { withheldRoutes } from '../../../pkg/pipeline/withhold.ts';
import { secretInspector } from '../../../pkg/provider/secret-inspector.ts';
import { debugRoutes } from '../../../pkg/server/debug-routes.ts';
import { httpServers } from '../../../pkg/server/http.ts';
import type { HttpServer, Routes } from '../../../pkg/server/http-server.ts';
import { XdsServer } from '../../../pkg/server/xds-server.ts';
import { buildMetrics, eventMetrics, objectMetrics, snapshotMetrics, xdsMetrics } from '../../../pkg/telemetry/metrics.ts';
import type { Logger } from '../../../pkg/util/logger.ts';
import { SnapshotHash } from '../../../pkg/xdscache/snapshot-hash.ts';
import { CommandError } from '../command.ts';
import { followProxies } from './follow-proxies.ts';
import { httpRunnable, xdsRunnable } from './runnables.ts';

export interface ControlPlaneOptions {
  readonly config: Config;
  readonly options: ServeOptions;
  readonly registry: Registry;
  readonly log: Logger;
  /** Compares every build with one from scratch. */
  readonly verify: boolean;
}

/** What a mode of `serve` brings: objects, and a use for their statuses. */
export interface ObjectSource {
  /** Resolves when the cache has every object that is there. */
  readonly synced: Promise<void>;
  /** Takes what each build wants. */
  readonly onBuild: (result: BuildResult) => void;
}

/** Everything between the objects and the proxies. */
export interface ControlPlane {
  readonly pipeline: Pipeline;
  readonly xds: XdsServer;
  /** Adds all that runs to a manager. */
  addTo(manager: Manager, source: ObjectSource): void;
}

export function createControlPlane({ config, options, registry, log, verify }: ControlPlaneOptions): ControlPlane {
  const secrets = secretInspector();
  const graceMs = options.referenceGraceMs;
  const pipelineOptions = { config, secrets, referenceGrace: graceMs > 0 };
  const pipeline = new Pipeline(pipelineOptions);
  const metrics = buildMetrics(registry);
  const events = eventMetrics(registry);
  objectMetrics(registry, { cache: pipeline.cache, statuses: () => pipeline.statuses() });
  pipeline.cache.changes.subscribe(({ op, object }) => {
    if (op !== 'time' && object !== undefined) events.changed(op, object.kind);
  });
  const hash = new SnapshotHash(pipeline.snapshot);
  snapshotMetrics(registry, () => hash.values());
  const xds = new XdsServer({
    host: options.xds.address,
    port: options.xds.port,
    tls: options.xds.tls ?? 'insecure',
    snapshot: pipeline.snapshot,
    logger: log,
    metrics: xdsMetrics(registry),
    onAnswer: (stream, type, answer) => proxies.answers.answered(stream, type, answer),
    onClosed: (stream) => proxies.answers.closed(stream),
  });
  const proxies = followProxies({ pipeline, xds, registry, log, clock: systemClock });

  const measured = (build: () => BuildResult): BuildResult => {
    const startMs = performance.now();
    const result = build();
    metrics.rebuilt({ nowMs: Date.now(), tookMs: performance.now() - startMs, ...figuresOf(result) });
    return result;
  };
  const verifyBuild = (): void => {
    const differences = verifyIncremental(pipeline, pipelineOptions);
    metrics.differed(differences.length);
    for (const difference of differences) log.error({ difference }, 'an incremental build differs from one from scratch');
  };

  return {
    pipeline,
    xds,
    addTo: (manager, source) => {
      const grace = new ReferenceGrace({ cache: pipeline.cache, holds: () => pipeline.holds, graceMs, clock: systemClock });
      const handler = new EventHandler<BuildResult>({
        changes: pipeline.cache.changes,
        buildAll: () => measured(() => pipeline.buildAll()),
        build: (batch) => measured(() => pipeline.build(batch)),
        observers: [
          (result) => proxies.give(result),
          (result) => grace.observe(result),
          (result) => logBuild(result, log),
          ...(verify ? [verifyBuild] : []),
        ],
        synced: source.synced,
        holdOff: options.holdOff,
        clock: systemClock,
        log,
      });
      proxies.onResult = source.onBuild;
      let isReady = false;
      void handler.ready.then(() => (isReady = true));
      const servers = planeServers(
        { options, registry, log },
        { ready: () => isReady, routes: { ...debugRoutes({ dag: () => pipeline.dag }), ...proxies.routes } },
      );
      for (const server of servers) manager.add('http', httpRunnable(server));
      manager.add('other', cacheClock(pipeline.cache, systemClock));
      manager.add('other', handler);
      manager.add('other', grace);
      manager.add('other', proxies.gate);
      manager.add('other', xdsRunnable(xds, handler.ready));
    },
  };
}

function figuresOf({ dirty, faults, changes }: BuildResult): {
  readonly dirty: number;
  readonly faulty: number;
  readonly unguarded: number;
} {
  return { dirty, faulty: faults.length, unguarded: withheldRoutes(changes) };
}

function planeServers(
  { options, registry, log }: Pick<ControlPlaneOptions, 'options' | 'registry' | 'log'>,
  { ready, routes }: { readonly ready: () => boolean; readonly routes: Routes },
): readonly HttpServer[] {
  return httpServers({
    metrics: options.metrics,
    health: options.health,
    debug: options.debug,
    registry,
    // A process that is restarted because the API server is away would take its streams along: see ADR 31.
    healthy: () => undefined,
    ready: () => {
      if (!ready()) throw new Error('not all objects are known yet');
    },
    debugRoutes: routes,
    log,
  });
}

function logBuild({ dirty, changes, snapshot, notices, faults, held }: BuildResult, log: Logger): void {
  for (const { object, problem } of notices) log.warn({ ...object, type: problem.type, reason: problem.reason }, problem.message);
  for (const { root, error } of faults)
    log.error({ ...root, error }, 'a bug kept an object from being built; what it had before is served');
  for (const { root } of held) log.debug({ root }, 'what the object had is kept up while what it refers to is on its way');
  const resources = [...snapshot.values()].reduce((sum, { size }) => sum + size, 0);
  log.debug({ roots: dirty, virtualHosts: changes.virtualHosts.length, resources }, 'built');
}

/** @throws {CommandError} naming the services that the configuration needs and `find` does not have. */
export async function requireExtensionServices(
  named: readonly NamedService[],
  find: (service: NamedService['service']) => unknown,
): Promise<void> {
  for (const { key, service } of named) {
    if ((await find(service)) === undefined)
      throw new CommandError(`${key}: there is no ExtensionService ${service.namespace}/${service.name}`);
  }
}
