import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { nowMs } from './clock.ts';
import { type Usage, usageOf } from './usage.ts';

const stopLimitMs = 8_000;
const tailBytes = 2_000;

/** A program under measurement, with what it starts. Its output goes to a file. */
export class MeasuredProcess implements AsyncDisposable {
  readonly startedMs = nowMs();
  readonly #child: ChildProcess;
  readonly #log: string;

  constructor(command: readonly string[], log: string, environment: Readonly<Record<string, string>> = {}) {
    const [program = '', ...args] = command;
    this.#log = log;
    const output = openSync(log, 'w');
    // A group of its own: all of it is ended together.
    const env = { ...process.env, NODE_OPTIONS: '', ...environment };
    this.#child = spawn(program, args, { stdio: ['ignore', output, output], detached: true, env });
    this.#child.on('error', () => undefined); // it has no pid then, and does not run
    closeSync(output);
  }

  get running(): boolean {
    return this.#child.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get usage(): Usage {
    return usageOf(this.#child.pid ?? 0);
  }

  /** @throws {Error} if it has ended; the message has the end of its output */
  check(): void {
    if (this.running) return;
    throw new Error(`${this.#child.spawnfile} ended: ${readFileSync(this.#log, 'utf8').slice(-tailBytes)}`);
  }

  /** Waits for the end of a program that ends by itself. @throws {Error} if it failed */
  async succeeded(): Promise<void> {
    if (this.running) await once(this.#child, 'exit');
    if (this.#child.exitCode !== 0) this.check();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.running) return;
    const exit = once(this.#child, 'exit');
    this.#signal('SIGTERM');
    const timer = setTimeout(() => this.#signal('SIGKILL'), stopLimitMs);
    await exit;
    clearTimeout(timer);
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.#child;
    if (pid !== undefined && this.running) process.kill(-pid, signal);
  }
}
