import { text } from 'node:stream/consumers';
import type { KubeObject } from '../../pkg/apis/meta.ts';
import type { ContourConfiguration } from '../../pkg/apis/projectcontour/v1alpha1/contour-configuration.ts';
import { loadCel } from '../../pkg/apis/validate.ts';
import type { Config } from '../../pkg/config/config.ts';
import { Pipeline } from '../../pkg/pipeline/pipeline.ts';
import { printableDag, printableSnapshot, printableStatuses } from '../../pkg/pipeline/print.ts';
import { admitFromFile } from '../../pkg/provider/file/admission.ts';
import { readUnchanged, scan } from '../../pkg/provider/file/file-scan.ts';
import { type FileProblem, ObjectStore } from '../../pkg/provider/file/object-store.ts';
import { Stamps } from '../../pkg/provider/file/stamps.ts';
import { formatFileProblem } from '../../pkg/provider/file.ts';
import { secretInspector } from '../../pkg/provider/secret-inspector.ts';
import { type CommandContext, CommandError, logFormatFlag, ownNamespace, type RunCommand } from './command.ts';
import { type CommandDefinition, failUsage, parseCommandLine } from './command-line.ts';
import { printJson, printYaml } from './print.ts';
import { printBootstrap } from './print-bootstrap.ts';
import { readConfig } from './read-config.ts';

const outputs = ['dag', 'xds', 'status', 'bootstrap'] as const;

const definition: CommandDefinition = {
  name: 'translate',
  summary:
    'Print what the objects in files become: the DAG, the Envoy resources, the status of the objects. Needs no cluster; keys are not shown.',
  arguments: [{ name: '[path...]', help: 'Files and folders of YAML or JSON; - is standard input.' }],
  flags: [
    {
      flag: 'config-path',
      short: 'c',
      placeholder: 'FILE',
      help: 'Configuration file, as for serve. A ContourConfiguration among the objects does as well.',
    },
    { flag: 'format', short: 'f', placeholder: 'yaml|json', help: 'How to print (default yaml).' },
    logFormatFlag,
    { flag: 'output', short: 'o', placeholder: outputs.join('|'), help: 'What to print (default xds).' },
  ],
};

/** `isoline translate`: exits with 1 if a file or an object was wrong; what is good is printed all the same. */
export const run: RunCommand = async (argv, context) => {
  const { flags, args } = parseCommandLine(definition, argv, context);
  const output = oneOf('output', flags['output'] ?? 'xds', outputs, context);
  const print = oneOf('format', flags['format'] ?? 'yaml', ['yaml', 'json'] as const, context) === 'yaml' ? printYaml : printJson;
  if (args.length === 0 && output !== 'bootstrap')
    failUsage(definition, 'name at least one file or folder, or - for standard input', context);

  const { objects, problems } = await readObjects(args);
  for (const problem of problems) context.stderr(`${problem.warning === true ? 'warning: ' : ''}${formatFileProblem(problem)}\n`);
  const config = await configFor(objects, flags['config-path'], context);
  const printed = output === 'bootstrap' ? printBootstrap(ownNamespace(context.env)) : translated(objects, config, { output, context });
  context.stdout(print(printed));
  return problems.some(({ warning }) => warning !== true) ? 1 : 0;
};

function translated(
  objects: readonly KubeObject[],
  config: Config,
  { output, context }: { readonly output: 'dag' | 'xds' | 'status'; readonly context: CommandContext },
): unknown {
  const pipeline = new Pipeline({ config, secrets: secretInspector() });
  for (const object of objects) pipeline.cache.apply(object);
  pipeline.cache.advance(Date.now());
  const { faults, notices } = pipeline.buildAll();
  for (const { object, problem } of notices)
    context.stderr(`warning: ${object.kind} ${object.namespace}/${object.name}: ${problem.type}/${problem.reason}: ${problem.message}\n`);
  for (const { root, error } of faults)
    context.stderr(
      `isoline: error: ${root.kind} ${root.namespace}/${root.name} could not be built: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
  if (output === 'dag') return printableDag(pipeline.dag);
  return output === 'xds' ? printableSnapshot(pipeline.snapshot) : printableStatuses(pipeline.statuses());
}

async function readObjects(
  paths: readonly string[],
): Promise<{ readonly objects: readonly KubeObject[]; readonly problems: readonly FileProblem[] }> {
  const texts = await readTexts(paths);
  if ([...texts.values()].some(mayNeedCel)) await loadCel();
  const store = new ObjectStore(admitFromFile);
  const stamps = new Stamps();
  const byKey = new Map<string, KubeObject>();
  const nowMs = Date.now();
  for (const [path, content] of texts) {
    for (const change of store.update(path, content)) {
      const object = stamps.apply(change, nowMs);
      if (object === undefined) byKey.delete(change.key);
      else byKey.set(change.key, object);
    }
  }
  return { objects: [...byKey.values()], problems: store.problems() };
}

/** Whether a kind is named whose rules are in CEL. Loading its interpreter takes longer than most translations. */
function mayNeedCel(content: string): boolean {
  return content.includes('gateway.networking.k8s.io');
}

async function readTexts(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const path of paths) {
    if (path === '-') {
      texts.set('-', await text(process.stdin));
      continue;
    }
    const { files } = await scanPath(path);
    for (const [file, state] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const content = await readUnchanged(file, state).catch((cause: unknown) => {
        throw new CommandError(`${file} cannot be read`, { cause });
      });
      texts.set(file, content ?? '');
    }
  }
  return texts;
}

async function scanPath(path: string): ReturnType<typeof scan> {
  const asFile = await scan({ dirs: [], files: [path] });
  if (asFile.files.size > 0) return asFile;
  const asDir = await scan({ dirs: [path], files: [] });
  if (!asDir.dirs.has(path)) throw new CommandError(`${path}: there is no such file or folder`);
  return asDir;
}

async function configFor(objects: readonly KubeObject[], configPath: unknown, { env }: CommandContext): Promise<Config> {
  const configurations = objects.filter(({ kind }) => kind === 'ContourConfiguration') as unknown as readonly ContourConfiguration[];
  const [object] = configurations;
  if (typeof configPath === 'string' && object !== undefined)
    throw new CommandError(`--config-path and ContourConfiguration ${object.metadata.name} cannot both be the configuration`);
  if (configurations.length > 1)
    throw new CommandError(
      `there are ${configurations.length} ContourConfigurations: ${configurations.map(({ metadata }) => metadata.name).join(', ')}`,
    );
  const { config } = await readConfig({
    flags: typeof configPath === 'string' ? { configPath } : {},
    namespace: ownNamespace(env),
    ...(object !== undefined && { object }),
  });
  return config;
}

function oneOf<const W extends string>(flag: string, given: unknown, words: readonly W[], context: CommandContext): W {
  const found = words.find((word) => word === given);
  return found ?? failUsage(definition, `--${flag}: ${JSON.stringify(given)}: must be one of ${words.join(', ')}`, context);
}
