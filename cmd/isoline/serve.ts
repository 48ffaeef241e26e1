import type { Registry } from 'prom-client';
import { formatProblem, type ResolvedConfig } from '../../pkg/config/resolve.ts';
import { checkSources, namedExtensionServices } from '../../pkg/config/rules.ts';
import { type FlagTexts, flagSpecs } from '../../pkg/config/sources.ts';
import type { Manager } from '../../pkg/controller-runtime/manager/manager.ts';
import type { Connection } from '../../pkg/provider/kubernetes/connection.ts';
import { createLogger } from '../../pkg/telemetry/log.ts';
import { createRegistry, statusMetrics } from '../../pkg/telemetry/metrics.ts';
import type { Logger } from '../../pkg/util/logger.ts';
import { readBuildInfo } from './build-info.ts';
import { type CommandContext, CommandError, ownNamespace, type RunCommand } from './command.ts';
import { type CommandDefinition, parseCommandLine } from './command-line.ts';
import { readConfig } from './read-config.ts';
import { createControlPlane } from './serve/control-plane.ts';

const specs = flagSpecs();

const definition: CommandDefinition = {
  name: 'serve',
  summary: 'Serve xDS to Envoy from the objects of a cluster, or of files (--file-dir, --file).',
  flags: specs,
};

/** `isoline serve`: runs until a signal. */
export const run: RunCommand = async (argv, context) => {
  const parsed = parseCommandLine(definition, argv, context);
  const flags = Object.fromEntries(
    specs.flatMap(({ flag, setting }) => (flag in parsed.flags ? [[setting, parsed.flags[flag]]] : [])),
  ) as FlagTexts;
  await serve(flags, context);
  return 0;
};

async function serve(flags: FlagTexts, context: CommandContext): Promise<void> {
  const started = await start(flags, context);
  const { log } = started;
  const build = readBuildInfo();
  log.info({ ...build }, 'Isoline starts');
  const registry = createRegistry({ branch: build.branch, revision: build.sha, version: build.version });
  const manager = await createManager(started, registry, context);
  await manager.run(context.signal);
  log.info({}, 'Isoline has stopped');
}

/** Puts together what runs; only what the mode needs is loaded. */
async function createManager({ resolved, connection, log }: Start, registry: Registry, { env, stdout }: CommandContext): Promise<Manager> {
  const { config, options, values } = resolved;
  const plane = createControlPlane({ config, options, registry, log, verify: env['ISOLINE_VERIFY_INCREMENTAL'] === '1' });
  const common = { config, named: namedExtensionServices(values), log };
  if (options.fileMode !== undefined) {
    const { fileManager } = await import('./serve/file-mode.ts');
    return fileManager(plane, { ...common, files: options.fileMode, logFormat: values.logFormat, stdout });
  }
  const { connect, kubernetesManager } = await import('./serve/kubernetes-mode.ts');
  const toCluster = connection ?? (await connect(options.client, env, log));
  return kubernetesManager(plane, { ...common, connection: toCluster, options, metrics: statusMetrics(registry) });
}

interface Start {
  readonly resolved: ResolvedConfig;
  readonly log: Logger;
  /** Open already if the configuration was read from the API server. */
  readonly connection?: Connection;
}

/** Reads the configuration, from a ContourConfiguration if one is named. */
async function start(flags: FlagTexts, context: CommandContext): Promise<Start> {
  const namespace = ownNamespace(context.env);
  const named = typeof flags.contourConfigName === 'string' && flags.contourConfigName !== '' ? flags.contourConfigName : undefined;
  const first = await readConfig({ flags, namespace, serving: named === undefined });
  const log = createLogger({ format: first.values.logFormat, debug: first.values.debugLog });
  if (named === undefined) return { resolved: first, log };

  const [conflict] = checkSources(first.values);
  if (conflict !== undefined) throw new CommandError(formatProblem(conflict));
  const { connect, readContourConfigurationObject } = await import('./serve/kubernetes-mode.ts');
  const connection = await connect(first.options.client, context.env, log);
  const object = await readContourConfigurationObject(connection, { namespace, name: named }, { log, signal: context.signal });
  const resolved = await readConfig({ flags, namespace, object, serving: true });
  return { resolved, log, connection };
}
