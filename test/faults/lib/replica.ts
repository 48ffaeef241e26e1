import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestEnvironment } from '../../../pkg/controller-runtime/envtest/environment.ts';
import { typeUrls } from '../../../pkg/xdscache/resource.ts';
import { freePort } from '../../lib/envoy-process.ts';
import { eventually } from '../../lib/eventually.ts';
import { type FaultProxy, startFaultProxy } from '../../lib/fault-proxy.ts';
import { get } from '../../lib/http-client.ts';
import { XdsClient, type XdsClientStream } from '../../lib/xds-client.ts';
import { backendAddress, backendPlaceholder } from './world.ts';

const dateShift = new URL('./date-shift.ts', import.meta.url).pathname;
const isoline = new URL('../../../bin/isoline', import.meta.url).pathname;

export interface ReplicaOptions {
  readonly environment: TestEnvironment;
  readonly name: string;
  /** Of `serve`, without dashes; an empty text stands for a switch. */
  readonly flags: Readonly<Record<string, string>>;
  /** What stands in the kubeconfig for the user. Default: the administrator's token. */
  readonly user?: Readonly<Record<string, string>>;
}

/** A process of `isoline serve` that reaches the API server through a fault proxy of its own, and a client that follows what it serves. */
export class Replica implements AsyncDisposable {
  readonly name: string;
  readonly proxy: FaultProxy;
  readonly xdsPort: number;
  readonly #healthPort: number;
  readonly #shiftFile: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #client: XdsClient | undefined;
  #stream: XdsClientStream | undefined;
  #output = '';

  private constructor(
    { name, shiftFile }: { readonly name: string; readonly shiftFile: string },
    proxy: FaultProxy,
    ports: { readonly xds: number; readonly health: number },
    child: ChildProcess,
  ) {
    this.name = name;
    this.#shiftFile = shiftFile;
    this.proxy = proxy;
    this.xdsPort = ports.xds;
    this.#healthPort = ports.health;
    this.#child = child;
    this.#exited = once(child, 'exit');
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => (this.#output += text.toString()));
  }

  /** Starts one; it is not yet ready. */
  static async start({ environment, name, flags, user = { token: environment.token } }: ReplicaOptions): Promise<Replica> {
    const proxy = await startFaultProxy(environment, { replace: [backendPlaceholder, backendAddress] });
    const [xds, health] = [await freePort(), await freePort()];
    const kubeconfig = join(environment.directory, `kubeconfig-${name}`);
    writeKubeconfig(kubeconfig, proxy.url, user);
    const all = {
      ...flags,
      kubeconfig,
      insecure: '',
      'xds-address': '127.0.0.1',
      'xds-port': String(xds),
      'health-address': '127.0.0.1',
      'health-port': String(health),
      'http-port': '0',
      'debug-http-port': '0',
    };
    const args = Object.entries(all).map(([flag, value]) => (value === '' ? `--${flag}` : `--${flag}=${value}`));
    const shiftFile = join(environment.directory, `date-shift-${name}`);
    writeFileSync(shiftFile, '0');
    const child = spawn(isoline, ['serve', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        CONTOUR_NAMESPACE: 'projectcontour',
        NODE_OPTIONS: `--import=${dateShift}`,
        ISOLINE_TEST_DATE_SHIFT: shiftFile,
      },
    });
    return new Replica({ name, shiftFile }, proxy, { xds, health }, child);
  }

  /** What it logged so far. */
  get output(): string {
    return this.#output;
  }

  running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Waits until it serves everything that it knows, and follows that from then on. */
  async ready(): Promise<void> {
    const ready = async (): Promise<boolean> =>
      !this.running() || (await get({ port: this.#healthPort, host: 'x', path: '/readyz' })).status === 200;
    await eventually(`replica ${this.name} to be ready`, ready, 30_000).catch((cause: unknown) => {
      throw new Error(`replica ${this.name}: ${this.#output}`, { cause });
    });
    if (!this.running()) throw new Error(`replica ${this.name} ended: ${this.#output}`);
    this.#client = new XdsClient(`127.0.0.1:${this.xdsPort}`);
    this.#stream = this.#client.open();
    for (const type of Object.values(typeUrls)) this.#stream.subscribe(type);
    await this.#stream.until('a listener', (stream) => stream.names(typeUrls.listener).length > 0);
  }

  /** Sets its date wrong by so much; timers go on as before. */
  shiftDate(byMs: number): void {
    writeFileSync(this.#shiftFile, String(byMs));
  }

  /** What its client has: versions by `type name`. */
  served(): ReadonlyMap<string, string> {
    return new Map(
      Object.entries(typeUrls).flatMap(([label, type]) =>
        Array.from(this.#stream?.resources(type) ?? [], ([name, { version }]) => [`${label} ${name}`, version] as const),
      ),
    );
  }

  /** Whether the stream of the client is as it was opened. */
  async streaming(): Promise<boolean> {
    const open = { code: 'open' };
    return (await Promise.race([this.#stream?.status, open])) === open;
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  /** Asks it to end, and gives the exit code. */
  async stop(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    await this.#exited;
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.running()) await this.kill();
    await this.#client?.[Symbol.asyncDispose]();
    await this.proxy[Symbol.asyncDispose]();
  }
}

/** A kubeconfig of a cluster that is reached in the clear. */
export function writeKubeconfig(path: string, server: string, user: Readonly<Record<string, string>>): void {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server } }],
    users: [{ name: 'test', user }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 }); // JSON is YAML
}
