import type { Registry } from 'prom-client';
import type { ContourConfiguration } from '../../pkg/apis/projectcontour/v1alpha1/contour-configuration.ts';
import { formatProblem, type ResolvedConfig } from '../../pkg/config/resolve.ts';
import { checkSources, namedExtensionServices } from '../../pkg/config/rules.ts';
import { type FlagTexts, flagSpecs } from '../../pkg/config/sources.ts';
import type { Manager } from '../../pkg/controller-runtime/manager/manager.ts';
import type { Connection } from '../../pkg/provider/kubernetes/connection.ts';
import { createLogger } from '../../pkg/telemetry/log.ts';
import { createRegistry } from '../../pkg/telemetry/metrics.ts';
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
  const build = readBuildInfo();
  const registry = createRegistry({ branch: build.branch, revision: build.sha, version: build.version });
  const started = await start(flags, registry, context);
  const { log } = started;
  log.info({ ...build }, 'Isoline starts');
  const manager = await createManager(started, registry, context);
  await manager.run(context.signal);
  log.info({}, 'Isoline has stopped');
}

/** Puts together what runs; only what the mode needs is loaded. */
async function createManager({ resolved, contour, log }: Start, registry: Registry, { env, stdout }: CommandContext): Promise<Manager> {
  const { config, options, values } = resolved;
  const plane = createControlPlane({ config, options, registry, log, verify: env['ISOLINE_VERIFY_INCREMENTAL'] === '1' });
  const common = { config, named: namedExtensionServices(values), log };
  if (options.fileMode !== undefined) {
    const { fileManager } = await import('./serve/file-mode.ts');
    return fileManager(plane, { ...common, files: options.fileMode, logFormat: values.logFormat, stdout });
  }
  const { connect, kubernetesManager } = await import('./serve/kubernetes-mode.ts');
  const connection = contour?.connection ?? (await connect(options.client, { env, registry, log }));
  return kubernetesManager(plane, {
    ...common,
    connection,
    options,
    registry,
    ...(contour !== undefined && { configuration: contour.object }),
  });
}

interface Start {
  readonly resolved: ResolvedConfig;
  readonly log: Logger;
  /** Present if the configuration was read from the API server. */
  readonly contour?: { readonly connection: Connection; readonly object: ContourConfiguration };
}

/** Reads the configuration, from a ContourConfiguration if one is named. */
async function start(flags: FlagTexts, registry: Registry, context: CommandContext): Promise<Start> {
  const namespace = ownNamespace(context.env);
  const named = typeof flags.contourConfigName === 'string' && flags.contourConfigName !== '' ? flags.contourConfigName : undefined;
  const first = await readConfig({ flags, namespace, serving: named === undefined });
  const log = createLogger({ format: first.values.logFormat, debug: first.values.debugLog });
  if (named === undefined) return { resolved: first, log };

  const [conflict] = checkSources(first.values);
  if (conflict !== undefined) throw new CommandError(formatProblem(conflict));
  const { connect, readContourConfigurationObject } = await import('./serve/kubernetes-mode.ts');
  const connection = await connect(first.options.client, { env: context.env, registry, log });
  const object = await readContourConfigurationObject(connection, { namespace, name: named }, { log, signal: context.signal });
  const resolved = await readConfig({ flags, namespace, object, serving: true });
  return { resolved, log, contour: { connection, object } };
}
