/** A whole Isoline as its own process, on a real API server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestEnvironment } from '../../pkg/controller-runtime/envtest/environment.ts';
import type { TypeUrl } from '../../pkg/xdscache/resource.ts';
import { freePort } from './envoy-process.ts';
import { eventually } from './eventually.ts';
import { get } from './http-client.ts';
import { XdsClient, type XdsClientStream } from './xds-client.ts';

const isoline = new URL('../../bin/isoline', import.meta.url).pathname;
const startLimitMs = 20_000;

export class Replica implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #xdsPort: number;
  readonly #httpPort: number;
  readonly #clients: XdsClient[] = [];
  #output = '';

  private constructor(child: ChildProcess, ports: { readonly xds: number; readonly http: number }) {
    this.#child = child;
    [this.#xdsPort, this.#httpPort] = [ports.xds, ports.http];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => (this.#output += text.toString()));
  }

  /** Starts one, with more flags of `serve`, and waits until it is ready. */
  static async start(environment: Pick<TestEnvironment, 'kubeconfig'>, ...flags: readonly string[]): Promise<Replica> {
    const ports = { xds: await freePort(), http: await freePort() };
    const common = [
      `--kubeconfig=${environment.kubeconfig}`,
      '--insecure',
      '--xds-address=127.0.0.1',
      `--xds-port=${ports.xds}`,
      '--http-address=127.0.0.1',
      `--http-port=${ports.http}`,
      '--health-address=127.0.0.1',
      `--health-port=${ports.http}`,
      '--debug-http-port=0',
    ];
    const child = spawn(isoline, ['serve', ...common, ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, CONTOUR_NAMESPACE: 'projectcontour', NODE_OPTIONS: '' },
    });
    const replica = new Replica(child, ports);
    try {
      await eventually('readiness', () => replica.isReady(), startLimitMs);
    } catch (cause) {
      await replica[Symbol.asyncDispose]();
      throw new Error(`the replica does not get ready: ${replica.output}`, { cause });
    }
    return replica;
  }

  /** Everything that it has logged. */
  get output(): string {
    return this.#output;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get xdsPort(): number {
    return this.#xdsPort;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async isReady(): Promise<boolean> {
    return (await this.#get('/readyz')) === 200 && (await this.#get('/healthz')) === 200;
  }

  async isLeader(): Promise<boolean> {
    return (await this.figures('leader_election_master_status')).some(([, value]) => value === 1);
  }

  /** The figures of a metric, by their labels as they are written. */
  async figures(name: string): Promise<readonly (readonly [labels: string, value: number])[]> {
    const { body } = await get({ port: this.#httpPort, host: 'x', path: '/metrics' });
    return body.split('\n').flatMap((line) => {
      const match = /^([a-z_]+)(\{.*\})? (.*)$/.exec(line);
      return match?.[1] === name ? [[match[2] ?? '', Number(match[3])] as const] : [];
    });
  }

  /** Connects as a proxy that wants everything of some types. */
  connect(...types: readonly TypeUrl[]): XdsClientStream {
    const client = new XdsClient(`127.0.0.1:${this.#xdsPort}`);
    this.#clients.push(client);
    const stream = client.open();
    for (const type of types) stream.subscribe(type);
    return stream;
  }

  /** Ends it, by `SIGTERM` or `SIGKILL`, and waits for that. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (!this.running) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill(signal);
    await exit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#clients.map((client) => client[Symbol.asyncDispose]()));
    await this.end('SIGTERM');
  }

  async #get(path: string): Promise<number | undefined> {
    return (await get({ port: this.#httpPort, host: 'x', path }).catch(() => undefined))?.status;
  }
}
