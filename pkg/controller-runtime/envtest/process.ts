import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** A program that runs for a test; its output is in a file. */
export interface TestProcess {
  readonly pid: number;
  /** False once the program has ended, for whatever reason. */
  running(): boolean;
  /** The last lines that it wrote, for error messages. */
  tail(): string;
  /** Ends it at once. Its data is thrown away, so nothing is lost. */
  kill(): Promise<void>;
}

const children = new Set<ChildProcess>();
let hooked = false;

/** No program outlives the test run, even when a test forgets to stop it. */
function killAtExit(child: ChildProcess): void {
  children.add(child);
  child.once('exit', () => children.delete(child));
  if (hooked) return;
  hooked = true;
  process.once('exit', () => {
    for (const running of children) running.kill('SIGKILL');
  });
}

/**
 * Ends a program when this process is gone, even if it was killed and could do nothing itself: a shell reads from a pipe
 * that only we hold open. It is in a group of its own, so that what ends us does not end it first.
 */
function killAtOurDeath(child: ChildProcess): void {
  if (child.pid === undefined) return;
  const script = 'read -r nothing; kill -9 "$1"';
  const guard = spawn('/bin/sh', ['-c', script, 'guard', String(child.pid)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  // Where there is no shell, there is only the hook at our exit.
  guard.once('error', () => undefined);
  guard.stdin?.once('error', () => undefined);
  guard.unref();
  (guard.stdin as unknown as { unref?(): void } | null)?.unref?.();
  child.once('exit', () => guard.kill('SIGKILL'));
}

/** Starts a program with its output in `logPath`. It does not outlive this process. */
export function startProcess(command: string, args: readonly string[], logPath: string): TestProcess {
  const log = openSync(logPath, 'a');
  const child = spawn(command, args, { stdio: ['ignore', log, log] });
  closeSync(log);
  killAtExit(child);
  killAtOurDeath(child);
  let ended = false;
  let failure = '';
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      ended = true;
      resolve();
    });
    child.once('error', (error) => {
      failure = error.message;
      ended = true;
      resolve();
    });
  });
  return {
    pid: child.pid ?? -1,
    running: () => !ended,
    tail: () => [failure, ...readFileSync(logPath, 'utf8').split('\n').slice(-20)].join('\n').trim(),
    kill: async () => {
      if (!ended) child.kill('SIGKILL');
      await exited;
    },
  };
}

/** TCP ports on 127.0.0.1 that nobody uses at the moment. Another program may still take one: callers try again. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(0, '127.0.0.1', resolve);
      });
      return server;
    }),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
