import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** How much of the end of an output is shown. */
const tailBytes = 4_000;

/** A program that runs beside the tests. */
export class Program implements AsyncDisposable {
  readonly #child: ChildProcess;
  #output = '';

  constructor(path: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_OPTIONS: '', ...env } });
    this.#child.on('error', (error) => (this.#output += String(error)));
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.on('data', (text: Buffer) => (this.#output += text.toString()));
  }

  get output(): string {
    return this.#output;
  }

  /** The end of the output, for messages. */
  get tail(): string {
    return this.#output.slice(-tailBytes);
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Waits for its end, at most `limitMs`; gives the exit code, or `undefined` if it still runs. */
  async ended(limitMs: number): Promise<number | undefined> {
    if (!this.running) return this.#child.exitCode ?? 1;
    const signal = AbortSignal.timeout(limitMs);
    // `close` comes when all of the output has.
    const [code] = (await once(this.#child, 'close', { signal }).catch(() => [undefined])) as [number | undefined];
    return code;
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    if (!this.running) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill(signal);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 5_000);
    await exit;
    clearTimeout(timer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
