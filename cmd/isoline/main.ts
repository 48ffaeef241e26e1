#!/usr/bin/env node
import { errorText } from '../../pkg/util/error-text.ts';
import type { CommandContext, RunCommand } from './command.ts';
import { type Output, UsageError } from './command-line.ts';

interface Subcommand {
  readonly summary: string;
  /** Loaded when it runs: most need little of what `serve` needs. */
  readonly load: () => Promise<{ readonly run: RunCommand }>;
}

const subcommands: Readonly<Record<string, Subcommand>> = {
  bootstrap: { summary: 'Write the bootstrap of an Envoy.', load: () => import('./bootstrap.ts') },
  certgen: { summary: 'Make certificates for xDS between Envoy and Isoline.', load: () => import('./certgen.ts') },
  serve: { summary: 'Serve xDS from the objects of a cluster, or of files.', load: () => import('./serve.ts') },
  translate: { summary: 'Print what the objects in files become.', load: () => import('./translate.ts') },
  version: { summary: 'Print the version.', load: () => import('./version.ts') },
  wait: { summary: 'Wait until an object is live on all proxies.', load: () => import('./wait.ts') },
};

const output: Output = {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
};

// A reader that has seen enough, such as `head`, is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  const { globals, rest } = splitGlobals(argv);
  const [name, ...args] = rest;
  if (name === undefined || name === 'help') return help(args[0]);
  if (name === '-h' || name === '--help') return help(undefined);
  if (name.startsWith('-')) return usageFault(`unknown option ${JSON.stringify(name)}`);
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (subcommand === undefined) return usageFault(`unknown command ${JSON.stringify(name)}`);
  const { run } = await subcommand.load();
  return guarded(() => run([...globals, ...args], context()));
}

/** `--log-format` may stand before the subcommand, too. */
function splitGlobals(argv: readonly string[]): { readonly globals: readonly string[]; readonly rest: readonly string[] } {
  const [first = '', second] = argv;
  if (first.startsWith('--log-format=')) return { globals: [first], rest: argv.slice(1) };
  if (first === '--log-format' && second !== undefined) return { globals: [first, second], rest: argv.slice(2) };
  return { globals: [], rest: argv };
}

async function help(name: string | undefined): Promise<number> {
  const subcommand = name !== undefined && Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (subcommand !== undefined) {
    const { run } = await subcommand.load();
    return guarded(() => run(['--help'], context()));
  }
  if (name !== undefined) return usageFault(`unknown command ${JSON.stringify(name)}`);
  output.stdout(usage());
  return 0;
}

function usageFault(message: string): number {
  output.stderr(`isoline: error: ${message}\n\n${usage()}`);
  return 2;
}

function usage(): string {
  const lines = Object.entries(subcommands).map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`);
  return [
    'Usage: isoline [--log-format text|json] COMMAND [flags]',
    '',
    'Commands:',
    ...lines,
    '',
    'isoline COMMAND --help lists the flags of a command.',
    '',
  ].join('\n');
}

async function guarded(run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UsageError) return error.exitCode;
    output.stderr(`isoline: error: ${errorText(error)}\n`);
    return 1;
  }
}

function context(): CommandContext {
  const stop = new AbortController();
  const onSignal = (): void => {
    // A second signal ends the process at once, as is usual.
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
    stop.abort();
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  return { ...output, env: process.env, signal: stop.signal };
}
