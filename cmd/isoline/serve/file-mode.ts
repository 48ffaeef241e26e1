import { stat } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import type { Config } from '../../../pkg/config/config.ts';
import type { NamedService } from '../../../pkg/config/rules.ts';
import type { FileModeOptions } from '../../../pkg/config/serve-options.ts';
import { systemClock } from '../../../pkg/controller-runtime/clock/clock.ts';
import { Manager } from '../../../pkg/controller-runtime/manager/manager.ts';
import { parseStatusAddresses } from '../../../pkg/controllers/load-balancer-status.ts';
import { FileStatusWriter } from '../../../pkg/provider/file/status-writer.ts';
import { FileProvider } from '../../../pkg/provider/file.ts';
import type { Logger } from '../../../pkg/util/logger.ts';
import { CommandError } from '../command.ts';
import { type ControlPlane, requireExtensionServices } from './control-plane.ts';
import { runnableOf } from './runnables.ts';

export interface FileModeDeps {
  readonly files: FileModeOptions;
  readonly config: Config;
  readonly named: readonly NamedService[];
  readonly logFormat: 'text' | 'json';
  readonly log: Logger;
  readonly stdout: (text: string) => void;
}

/** The manager of a process that serves the objects of files: no cluster, no leader. @throws {CommandError} if a folder is not there. */
export async function fileManager(plane: ControlPlane, deps: FileModeDeps): Promise<Manager> {
  const { files, config, named, logFormat, log, stdout } = deps;
  await checkFolders(files);
  const { cache } = plane.pipeline;
  const provider = new FileProvider({ dirs: files.dirs, files: files.files, cache, log, clock: Date.now });
  const statuses = new FileStatusWriter({
    ...(files.statusDir !== undefined && { dir: files.statusDir }),
    write: stdout,
    format: logFormat,
    addresses: parseStatusAddresses(config.statusAddresses),
    controllerName: config.gatewayControllerName,
    now: () => new Date(),
    log,
  });
  cache.changes.subscribe(({ op, object }) => {
    if (op === 'delete' && object !== undefined) statuses.forget(object);
  });

  const manager = new Manager({ log, clock: systemClock });
  const { promise: synced, resolve: becomeSynced } = Promise.withResolvers<void>();
  manager.add(
    'cache',
    runnableOf('file provider', {
      start: async () => {
        await statuses.start();
        await provider.start();
        await requireExtensionServices(named, ({ namespace, name }) => cache.get('ExtensionService', namespace, name));
        log.info(
          { dirs: files.dirs, files: files.files, objects: [...cache.counts().values()].reduce((sum, count) => sum + count, 0) },
          'files are read',
        );
        becomeSynced();
      },
      dispose: async () => {
        await provider[Symbol.asyncDispose]();
        await statuses.flush();
      },
    }),
  );
  plane.addTo(manager, { synced, onBuild: (result) => statuses.want(result.statuses) });
  return manager;
}

async function checkFolders({ dirs, statusDir }: FileModeOptions): Promise<void> {
  for (const dir of dirs) {
    const stats = await stat(dir).catch(() => undefined);
    if (stats?.isDirectory() !== true) throw new CommandError(`--file-dir: ${dir} is not a folder`);
    if (statusDir !== undefined && !relative(resolve(dir), resolve(statusDir)).startsWith('..')) {
      throw new CommandError(`--status-dir: ${statusDir} is in ${dir}: what is written there would be read as objects`);
    }
  }
}
