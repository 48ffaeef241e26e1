import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findEnvoy } from '../../../hack/lib/binaries.ts';
import { nowMs } from './clock.ts';
import { type Driver, expand, type RouteKind, variables } from './driver.ts';
import { MeasuredProcess } from './measured-process.ts';
import { ports } from './ports.ts';

const startLimitMs = 120_000;
const envoyThreads = 2;

export interface StackOptions {
  readonly driver: Driver;
  readonly kind: RouteKind;
  readonly kubeconfig: string;
  /** Folder for the files of the driver, and for logs. */
  readonly dir: string;
}

/** A controller and its Envoy. */
export class Stack implements AsyncDisposable {
  readonly controller: MeasuredProcess;
  readonly envoy: MeasuredProcess;
  /** When the controller took connections of proxies. */
  readonly xdsUpMs: number;
  readonly #adminSocket: string;
  readonly #statistic: string;

  private constructor(parts: { controller: MeasuredProcess; envoy: MeasuredProcess; xdsUpMs: number }, { driver, dir }: StackOptions) {
    this.controller = parts.controller;
    this.envoy = parts.envoy;
    this.xdsUpMs = parts.xdsUpMs;
    this.#adminSocket = join(dir, 'admin.sock');
    this.#statistic = `^cluster\\.${driver.xdsCluster ?? '[^.]*contour[^.]*'}\\.upstream_cx_rx_bytes_total$`;
  }

  /**
   * Starts both. Envoy comes when the controller takes its connection: the waits of its attempts to connect, up to seconds and by
   * chance, would be most of the figure else.
   *
   * @throws {Error} if the controller ends, or does not listen in time
   */
  static async start(options: StackOptions): Promise<Stack> {
    const { dir, kind, kubeconfig } = options;
    await mkdir(dir, { recursive: true });
    const driver = expand(options.driver, variables({ dir, kind, kubeconfig }));
    for (const [name, text] of Object.entries(driver.files ?? {})) await writeFile(join(dir, name), text);
    await new MeasuredProcess(driver.bootstrap, join(dir, 'bootstrap.log'), driver.environment).succeeded();
    await rm(join(dir, 'admin.sock'), { force: true });
    const command = [...driver.controller, ...(driver.kindArguments?.[kind] ?? [])];
    await using stack = new AsyncDisposableStack();
    const controller = stack.use(new MeasuredProcess(command, join(dir, 'controller.log'), driver.environment));
    while (!(await accepts(ports.xds))) {
      controller.check();
      if (nowMs() - controller.startedMs > startLimitMs) throw new Error(`${driver.name} does not listen on the port of xDS`);
      await sleep(2);
    }
    const xdsUpMs = nowMs();
    const settings = ['--concurrency', String(envoyThreads), '--disable-hot-restart', '--log-level', 'warning'];
    const envoyCommand = [findEnvoy(), '-c', join(dir, 'envoy.json'), ...settings, ...(driver.envoyArguments ?? [])];
    const envoy = stack.use(new MeasuredProcess(envoyCommand, join(dir, 'envoy.log')));
    stack.move();
    return new Stack({ controller, envoy, xdsUpMs }, options);
  }

  /** Bytes that Envoy has received from the controller. */
  async receivedBytes(): Promise<number> {
    const path = `/stats?filter=${encodeURIComponent(this.#statistic)}`;
    const call = request({ socketPath: this.#adminSocket, path, agent: false });
    call.end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    let body = '';
    for await (const chunk of response) body += String(chunk);
    return [...body.matchAll(/: (\d+)/g)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.envoy[Symbol.asyncDispose]();
    await this.controller[Symbol.asyncDispose]();
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  const event = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'close').then(() => false)]).catch(() => false);
  socket.destroy();
  return event;
}
