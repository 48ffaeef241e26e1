import { readFile } from 'node:fs/promises';
import { type ConfigSources, formatProblem, type ResolvedConfig, resolveConfig } from '../../pkg/config/resolve.ts';
import type { FlagTexts } from '../../pkg/config/sources.ts';
import { CommandError } from './command.ts';

/** Reads the configuration file, if one is named, and lays flags over it. @throws {CommandError} with every problem. */
export async function readConfig(sources: Omit<ConfigSources, 'file'> & { readonly flags: FlagTexts }): Promise<ResolvedConfig> {
  const path = typeof sources.flags.configPath === 'string' && sources.flags.configPath !== '' ? sources.flags.configPath : undefined;
  const file = path === undefined ? undefined : await readText(path);
  const resolved = resolveConfig({ ...sources, ...(file !== undefined && { file }) });
  if (resolved.ok) return resolved.value;
  const lines = resolved.problems.map((problem) => formatProblem(problem, path));
  throw new CommandError(
    lines.length === 1 ? `the configuration is not valid: ${lines[0]}` : `the configuration is not valid:\n  ${lines.join('\n  ')}`,
  );
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new CommandError(`--config-path: ${path} cannot be read`, { cause });
  });
}
