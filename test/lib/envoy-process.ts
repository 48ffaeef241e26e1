/** A real Envoy that is told what to do by an xDS server of this process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findEnvoy } from '../../hack/lib/binaries.ts';
import { bootstrap } from '../../pkg/envoy/bootstrap/bootstrap.ts';
import { type BootstrapOptions, bootstrapDefaults } from '../../pkg/envoy/bootstrap/options.ts';
import { toJson } from '../../pkg/envoy/json.ts';
import { encode } from '../../pkg/envoy/protobuf.ts';
import { Bootstrap } from '../../pkg/envoy-api/envoy/config/bootstrap/v3/bootstrap.ts';
import { eventually } from './eventually.ts';

/** A TCP port of the loopback device that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** The settings of a bootstrap for tests, with some changed. */
export function bootstrapOptions(changes: Partial<BootstrapOptions>): BootstrapOptions {
  return { ...bootstrapDefaults, ...changes };
}

export class EnvoyProcess implements AsyncDisposable {
  readonly #dir: string;
  readonly #child: ChildProcess;
  #output = '';

  private constructor(dir: string, child: ChildProcess) {
    this.#dir = dir;
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => (this.#output += text.toString()));
  }

  /** Starts an Envoy; `change` may alter the bootstrap. It is not yet ready. */
  static async start(
    options: Partial<BootstrapOptions>,
    change: (json: Record<string, unknown>) => void = () => undefined,
  ): Promise<EnvoyProcess> {
    const dir = await mkdtemp(join(tmpdir(), 'isoline-envoy-'));
    const message = bootstrap(bootstrapOptions({ adminAddress: join(dir, 'admin.sock'), ...options }));
    const json = toJson(Bootstrap.$type, encode(Bootstrap, message)) as Record<string, unknown>;
    change(json);
    await writeFile(join(dir, 'envoy.json'), JSON.stringify(json));
    const args = [
      '-c',
      join(dir, 'envoy.json'),
      '--disable-hot-restart',
      '--concurrency',
      '1',
      '-l',
      'warning',
      '--service-node',
      'test',
      '--service-cluster',
      'test',
    ];
    return new EnvoyProcess(dir, spawn(findEnvoy(), args, { stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  /** The number of the process. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** What it logged so far. */
  get output(): string {
    return this.#output;
  }

  /** The answer of the admin interface. */
  async admin(path: string): Promise<{ readonly status: number; readonly body: string }> {
    const call = request({ socketPath: join(this.#dir, 'admin.sock'), path, agent: false });
    call.end();
    const [response] = (await once(call, 'response')) as [import('node:http').IncomingMessage];
    let body = '';
    for await (const chunk of response) body += String(chunk);
    return { status: response.statusCode ?? 0, body };
  }

  /** The values of the statistics whose names match. */
  async stats(filter: string): Promise<ReadonlyMap<string, number>> {
    const { body } = await this.admin(`/stats?format=json&filter=${encodeURIComponent(filter)}`);
    const { stats } = JSON.parse(body) as { readonly stats: readonly { readonly name?: string; readonly value?: number }[] };
    return new Map(stats.flatMap(({ name, value }) => (name === undefined || value === undefined ? [] : [[name, value] as const])));
  }

  /** Waits until it serves, having its whole configuration. */
  async ready(): Promise<void> {
    const isReady = async (): Promise<boolean> => this.#child.exitCode !== null || (await this.admin('/ready')).status === 200;
    await eventually('envoy to be ready', isReady, 20_000).catch((cause: unknown) => {
      throw new Error(`envoy is not ready: ${this.#output}`, { cause });
    });
    if (this.#child.exitCode !== null) throw new Error(`envoy ended: ${this.#output}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGKILL');
      await ended;
    }
    await rm(this.#dir, { recursive: true, force: true });
  }
}
