import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What runs. Parts that nobody knows are `unknown`. */
export interface BuildInfo {
  readonly branch: string;
  /** The commit. */
  readonly sha: string;
  readonly version: string;
}

/** Reads the version from the package, and branch and commit from the checkout around it, if there is one. */
export function readBuildInfo(): BuildInfo {
  const root = findRoot(import.meta.dirname);
  const version =
    root === undefined
      ? 'unknown'
      : ((JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version?: string }).version ?? 'unknown');
  const head = root === undefined ? undefined : readText(join(root, '.git', 'HEAD'));
  const ref = head?.startsWith('ref: ') === true ? head.slice('ref: '.length) : undefined;
  const sha = ref === undefined || root === undefined ? head : readRef(join(root, '.git'), ref);
  return { branch: ref?.replace(/^refs\/heads\//, '') ?? 'unknown', sha: sha ?? 'unknown', version };
}

function findRoot(from: string): string | undefined {
  for (let dir = from; ; dir = dirname(dir)) {
    if (readText(join(dir, 'package.json'))?.includes('"name": "isoline"') === true) return dir;
    if (dir === dirname(dir)) return undefined;
  }
}

function readRef(gitDir: string, ref: string): string | undefined {
  const loose = readText(join(gitDir, ref));
  if (loose !== undefined) return loose;
  const packed = readText(join(gitDir, 'packed-refs'))?.split('\n') ?? [];
  return packed.find((line) => line.endsWith(` ${ref}`))?.split(' ', 1)[0];
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
