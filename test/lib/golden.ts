import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from '@jest/globals';

/** `make golden` sets it: goldens are written, not compared. */
const writes = process.env['GOLDEN'] === 'write';

/** The names of the cases below a folder (`area/name`): every file `area/name.in.yaml`. */
export function goldenCases(dir: URL): readonly string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.in.yaml'))
    .map((file) => file.slice(0, -'.in.yaml'.length))
    .sort();
}

/** Compares a text with a golden file, or writes it. */
export function expectGolden(file: URL, text: string): void {
  if (writes) {
    writeFileSync(file, text);
    return;
  }
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '(no golden: run `make golden` and read what it wrote)').toBe(text);
}

/** Finds goldens whose case is gone; `make golden` deletes them. */
export function staleGoldens(dir: URL, suffixes: readonly string[]): readonly string[] {
  const cases = new Set(goldenCases(dir));
  const stale = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((file) =>
    suffixes.some((suffix) => file.endsWith(suffix) && !cases.has(file.slice(0, -suffix.length))),
  );
  if (!writes) return stale;
  for (const file of stale) rmSync(new URL(file, dir));
  return [];
}
