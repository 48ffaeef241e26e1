import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const launcher = join(import.meta.dirname, 'isoline');
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'isoline bin-')); // a blank in the path, on purpose
});
afterEach(() => rmSync(dir, { recursive: true }));

function run(program: string, ...programArguments: readonly string[]) {
  return spawnSync(program, programArguments, { cwd: dir, encoding: 'utf8' });
}

describe('bin/isoline', () => {
  test('runs from any folder and through symbolic links', () => {
    symlinkSync(launcher, join(dir, 'first'));
    symlinkSync('first', join(dir, 'second'));
    const { status, stdout, stderr } = run('./second', 'version');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^version: \S+$/m);
  });

  test('hands arguments and the exit code on as they are', () => {
    const { status, stderr } = run(launcher, 'no such command', '*');
    expect(status).toBe(2);
    expect(stderr).toContain('"no such command"');
  });

  test('says how to set the checkout up', () => {
    mkdirSync(join(dir, 'bin'));
    copyFileSync(launcher, join(dir, 'bin/isoline'));
    const { status, stderr } = run('bin/isoline', 'version');
    expect(status).toBe(1);
    expect(stderr).toBe(`isoline: this checkout is not set up; run: make -C '${dir}' envoy-api\n`);
  });
});
