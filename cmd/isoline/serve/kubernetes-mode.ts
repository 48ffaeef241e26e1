import type { Registry } from 'prom-client';
import type { ContourConfiguration } from '../../../pkg/apis/projectcontour/v1alpha1/contour-configuration.ts';
import type { Config } from '../../../pkg/config/config.ts';
import type { NamedService } from '../../../pkg/config/rules.ts';
import type { KubernetesClientOptions, ServeOptions } from '../../../pkg/config/serve-options.ts';
import { Client } from '../../../pkg/controller-runtime/client/client.ts';
import { waitForServer } from '../../../pkg/controller-runtime/client/wait-for-server.ts';
import { systemClock } from '../../../pkg/controller-runtime/clock/clock.ts';
import { Manager } from '../../../pkg/controller-runtime/manager/manager.ts';
import { restClientMetrics } from '../../../pkg/controller-runtime/metrics/rest-client-metrics.ts';
import { type Connection, openConnection } from '../../../pkg/provider/kubernetes/connection.ts';
import { infoOf } from '../../../pkg/provider/kubernetes/kinds.ts';
import { kubernetesMode } from '../../../pkg/provider/kubernetes-mode.ts';
import { statusMetrics } from '../../../pkg/telemetry/metrics.ts';
import { prometheusProvider } from '../../../pkg/telemetry/prometheus-provider.ts';
import type { Logger } from '../../../pkg/util/logger.ts';
import { type CommandContext, CommandError } from '../command.ts';
import { type ControlPlane, requireExtensionServices } from './control-plane.ts';

export interface ConnectDeps {
  readonly env: CommandContext['env'];
  readonly registry: Registry;
  readonly log: Logger;
}

/** Reads the credentials of an API server. Nothing is sent yet. */
export function connect(options: KubernetesClientOptions, { env, registry, log }: ConnectDeps): Promise<Connection> {
  const metrics = restClientMetrics(prometheusProvider(registry));
  return openConnection(options, { environment: env, userAgent: 'isoline', log, metrics });
}

/**
 * The ContourConfiguration of a name. Waits for the API server.
 * @throws {CommandError} if there is none.
 */
export async function readContourConfigurationObject(
  connection: Connection,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
): Promise<ContourConfiguration> {
  await waitForServer(connection.reads, { log, clock: systemClock, random: Math.random }, signal);
  const object = await new Client(connection.reads).get<ContourConfiguration>(
    infoOf('ContourConfiguration'),
    { namespace, name },
    { signal },
  );
  if (object === undefined) throw new CommandError(`--contour-config-name: there is no ContourConfiguration ${namespace}/${name}`);
  return object;
}

export interface KubernetesModeOptions {
  readonly connection: Connection;
  readonly config: Config;
  readonly options: ServeOptions;
  readonly named: readonly NamedService[];
  readonly registry: Registry;
  /** Present: the configuration was read from it. */
  readonly configuration?: ContourConfiguration;
  readonly log: Logger;
}

/** The manager of a process that serves the objects of a cluster. */
export function kubernetesManager(plane: ControlPlane, { named, registry, ...given }: KubernetesModeOptions): Manager {
  const { log } = given;
  const mode = kubernetesMode({
    ...given,
    cache: plane.pipeline.cache,
    observer: statusMetrics(registry),
    metrics: prometheusProvider(registry),
  });
  const manager = new Manager({ log, clock: systemClock, ...(mode.elector !== undefined && { elector: mode.elector }) });
  mode.addTo(manager);
  // Asked at the API server: the kind may not be watched, or not in that namespace.
  const synced = mode.synced.then(() =>
    requireExtensionServices(named, ({ namespace, name }) => mode.find('ExtensionService', namespace, name)),
  );
  plane.addTo(manager, { synced, onBuild: (result) => mode.onBuild(result) });
  return manager;
}
