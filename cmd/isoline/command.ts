import type { Output } from './command-line.ts';

/** What a subcommand may use of the world. */
export interface CommandContext extends Output {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted at SIGTERM and SIGINT. */
  readonly signal: AbortSignal;
}

/** Runs a subcommand on its arguments and gives the exit code. Faults of the user and of the surroundings are thrown. */
export type RunCommand = (argv: readonly string[], context: CommandContext) => Promise<number>;

/** A fault that needs no stack: the message says it all. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** The namespace that Isoline is in. */
export function ownNamespace(env: CommandContext['env']): string {
  return env['CONTOUR_NAMESPACE'] || 'projectcontour';
}

/** `--log-format`, which every subcommand has. */
export const logFormatFlag = { flag: 'log-format', placeholder: 'text|json', help: 'Format of the log.' } as const;
