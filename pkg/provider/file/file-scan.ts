import type { BigIntStats } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';

/** What to read: folders with all that is below them, and single files. */
export interface FileSources {
  readonly dirs: readonly string[];
  readonly files: readonly string[];
}

/** What a scan saw. */
export interface Scan {
  /** State of each file of objects, by path. */
  readonly files: ReadonlyMap<string, FileState>;
  /** Every folder that was looked into, and those of the single files, with what tells it from another that took its place. */
  readonly dirs: ReadonlyMap<string, string>;
}

/** Two states of a path that are equal have the same content. */
export interface FileState {
  readonly identity: string;
  readonly modifiedMs: number;
  readonly sizeBytes: number;
}

const extensions: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

/** A file beyond this is not read. */
export const fileLimitBytes = 64 * 1024 * 1024;

/** Symbolic links may lead in a circle; folders nest no deeper than this. */
const maxDepth = 16;

/**
 * Looks at all files of objects, following symbolic links. Hidden files and folders are left out: editors keep their
 * own things in them, and Kubernetes the versions of a mounted ConfigMap. What cannot be looked at is not there.
 */
export async function scan({ dirs, files }: FileSources): Promise<Scan> {
  const found = new Map<string, FileState>();
  const seenDirs = new Map<string, string>();
  const look = async (path: string): Promise<void> => {
    const stats = await statOf(path);
    if (stats?.isFile()) found.set(path, stateOf(stats));
  };
  const walk = async (dir: string, depth: number): Promise<void> => {
    if (depth > maxDepth) return;
    const self = await statOf(dir);
    if (self !== undefined) seenDirs.set(dir, identityOf(self));
    const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
    const shown = entries.filter(({ name }) => !name.startsWith('.') && !name.endsWith('~'));
    await Promise.all(
      shown.map(async (entry) => {
        const path = join(dir, entry.name);
        const isDir = entry.isDirectory() || (entry.isSymbolicLink() && ((await statOf(path))?.isDirectory() ?? false));
        if (isDir) await walk(path, depth + 1);
        else if (extensions.has(extname(entry.name))) await look(path);
      }),
    );
  };
  const lookAlone = async (path: string): Promise<void> => {
    await look(path);
    const dir = dirname(path);
    const stats = await statOf(dir);
    if (stats !== undefined) seenDirs.set(dir, identityOf(stats));
  };
  await Promise.all([...dirs.map((dir) => walk(dir, 0)), ...files.map(lookAlone)]);
  return { files: found, dirs: seenDirs };
}

/**
 * Reads a file whose state was seen. `undefined` where it changed meanwhile: look again.
 * @throws {Error} if it cannot be read.
 */
export async function readUnchanged(path: string, state: FileState): Promise<string | undefined> {
  if (state.sizeBytes > fileLimitBytes) throw new Error(`is ${state.sizeBytes} bytes long, more than ${fileLimitBytes}`);
  const text = await readFile(path, 'utf8');
  const now = await statOf(path);
  return now !== undefined && stateOf(now).identity === state.identity ? text : undefined;
}

function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

async function statOf(path: string): Promise<BigIntStats | undefined> {
  return stat(path, { bigint: true }).catch(() => undefined);
}

function stateOf(stats: BigIntStats): FileState {
  return {
    identity: `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`,
    modifiedMs: Number(stats.mtimeMs),
    sizeBytes: Number(stats.size),
  };
}
