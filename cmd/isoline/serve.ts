import { namedExtensionServices } from '../../pkg/config/rules.ts';
import { type FlagTexts, flagSpecs } from '../../pkg/config/sources.ts';
import { systemClock } from '../../pkg/controller-runtime/clock/clock.ts';
import { Manager } from '../../pkg/controller-runtime/manager/manager.ts';
import { createLogger } from '../../pkg/telemetry/log.ts';
import { createRegistry } from '../../pkg/telemetry/metrics.ts';
import { readBuildInfo } from './build-info.ts';
import { type CommandDefinition, parseCommandLine } from './command-line.ts';
import { type CommandContext, ownNamespace, type RunCommand } from './command.ts';
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
  const flags = Object.fromEntries(specs.flatMap(({ flag, setting }) => (flag in parsed.flags ? [[setting, parsed.flags[flag]]] : []))) as FlagTexts;
  await serve(flags, context);
  return 0;
};

async function serve(flags: FlagTexts, context: CommandContext): Promise<void> {
  const { config, options, values } = await readConfig({ flags, namespace: ownNamespace(context.env), serving: true });
  const log = createLogger({ format: values.logFormat, debug: values.debugLog });
  const build = readBuildInfo();
  const registry = createRegistry({ branch: build.branch, revision: build.sha, version: build.version });
  const plane = createControlPlane({ config, options, registry, log, verify: context.env['ISOLINE_VERIFY_INCREMENTAL'] === '1' });
  const named = namedExtensionServices(values);
  log.info({ ...build }, 'Isoline starts');

  const manager = new Manager({ log, clock: systemClock });
  if (options.fileMode !== undefined) {
    const { addFileMode } = await import('./serve/file-mode.ts');
    await addFileMode(manager, plane, { files: options.fileMode, config, named, logFormat: values.logFormat, log, stdout: context.stdout });
  }
  await manager.run(context.signal);
  log.info({}, 'Isoline has stopped');
}
