import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startProcess } from './process.ts';

const module = join(import.meta.dirname, 'process.ts');
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'process-test-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function untilGone(pid: number): Promise<void> {
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A process that starts a program and tells its id. */
async function starter(): Promise<{ readonly process: ChildProcess; readonly pid: number }> {
  const script = `
    const { startProcess } = await import(${JSON.stringify(module)});
    console.log(startProcess('/bin/sleep', ['600'], ${JSON.stringify(join(directory, 'log'))}).pid);
    setInterval(() => undefined, 1000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout as NonNullable<typeof child.stdout>, 'data')) as [Buffer];
  return { process: child, pid: Number(line.toString()) };
}

describe('a program of a test', () => {
  test.each(['SIGKILL', 'SIGTERM'] as const)('ends when the test run is ended by %s', async (signal) => {
    const { process: parent, pid } = await starter();
    expect(isRunning(pid)).toBe(true);
    parent.kill(signal);
    await untilGone(pid);
    expect(isRunning(pid)).toBe(false);
  });

  test('ends when it is told to, and says what it wrote', async () => {
    const program = startProcess('/bin/sh', ['-c', 'echo ready; exec sleep 600'], join(directory, 'log'));
    while (!program.tail().includes('ready')) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(program.running()).toBe(true);
    await program.kill();
    expect([program.running(), isRunning(program.pid), program.tail()]).toEqual([false, false, 'ready']);
  });

  test('that cannot be started has ended, and says why', async () => {
    const program = startProcess('/nowhere/etcd', [], join(directory, 'log'));
    await program.kill();
    expect(program.running()).toBe(false);
    expect(program.tail()).toContain('ENOENT');
  });
});
