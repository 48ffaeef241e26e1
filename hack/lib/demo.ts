/** The demo: two small backends, Isoline over a folder of YAML files, and a real Envoy, all on the loopback device. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findEnvoy } from './binaries.ts';

export interface DemoOptions {
  /** The folder of objects. */
  readonly dir: string;
  /** Where Envoy takes requests. */
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Ports of Isoline: xDS, and metrics with health. */
  readonly xdsPort: number;
  readonly metricsPort: number;
  readonly debugPort: number;
  /** Envoy's own readiness and statistics. */
  readonly statsPort: number;
  /** Backends by name, with the port that a Service in the folder names. */
  readonly backends: Readonly<Record<string, number>>;
  /** Takes each line that Isoline or Envoy writes. */
  readonly onLine: (program: 'isoline' | 'envoy', line: string) => void;
}

export interface Demo extends AsyncDisposable {
  /** Resolves with a sentence when a program ends that should go on. */
  readonly broken: Promise<string>;
}

const root = dirname(dirname(import.meta.dirname));
const readyTimeoutMs = 30_000;
const stopTimeoutMs = 5_000;

/** Starts everything; when it resolves, requests are answered. What was started is stopped if it fails. */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const cleanups: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    for (const [name, port] of Object.entries(options.backends)) {
      const server = await startBackend(name, port);
      cleanups.push(() => stopBackend(server));
    }
    const dir = await mkdtemp(join(tmpdir(), 'isoline-demo-'));
    cleanups.push(() => rm(dir, { recursive: true, force: true }));

    const { onLine } = options;
    const isoline = start('isoline', isolineCommand(serveArguments(options)), onLine);
    cleanups.push(() => stopChild(isoline));
    const bootstrap = join(dir, 'envoy.json');
    const bootstrapped = start(
      'isoline',
      isolineCommand(['bootstrap', bootstrap, `--xds-port=${options.xdsPort}`, `--admin-address=${join(dir, 'admin.sock')}`]),
      onLine,
    );
    if ((await exitCode(bootstrapped)) !== 0) throw new Error('isoline bootstrap failed');
    const envoy = start(
      'envoy',
      [findEnvoy(), '-c', bootstrap, '--disable-hot-restart', '-l', 'error', '--service-node', 'demo', '--service-cluster', 'demo'],
      onLine,
    );
    cleanups.push(() => stopChild(envoy));

    const broken = Promise.race([ended('Isoline', isoline), ended('Envoy', envoy)]);
    await Promise.race([answers(options.statsPort), broken.then((why) => Promise.reject(new Error(why)))]);
    return { broken, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function serveArguments({ dir, httpPort, httpsPort, xdsPort, metricsPort, debugPort, statsPort }: DemoOptions): readonly string[] {
  return [
    'serve',
    `--file-dir=${dir}`,
    '--insecure',
    `--xds-port=${xdsPort}`,
    ...[`--http-address=127.0.0.1`, `--http-port=${metricsPort}`, '--health-address=127.0.0.1', `--health-port=${metricsPort}`],
    `--debug-http-port=${debugPort}`,
    ...['--stats-address=127.0.0.1', `--stats-port=${statsPort}`],
    ...['--envoy-service-http-address=127.0.0.1', `--envoy-service-http-port=${httpPort}`],
    ...['--envoy-service-https-address=127.0.0.1', `--envoy-service-https-port=${httpsPort}`],
    ...['--envoy-http-access-log=/dev/null', '--envoy-https-access-log=/dev/null'],
  ];
}

function isolineCommand(args: readonly string[]): readonly string[] {
  return [process.execPath, '--disable-warning=ExperimentalWarning', join(root, 'cmd/isoline/main.ts'), ...args];
}

function start(program: 'isoline' | 'envoy', [command = '', ...args]: readonly string[], onLine: DemoOptions['onLine']): ChildProcess {
  // A group of its own: a Ctrl-C in the terminal reaches the demo alone, which stops the others in order.
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(program, line);
    });
  }
  return child;
}

async function exitCode(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

async function ended(name: string, child: ChildProcess): Promise<string> {
  const code = await exitCode(child);
  return `${name} has ended (${code === null ? `signal ${child.signalCode}` : `exit code ${code}`})`;
}

async function stopChild(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await exitCode(child);
  clearTimeout(timer);
}

async function startBackend(name: string, port: number): Promise<Server> {
  const server = createServer((incoming, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'x-backend': name });
    response.end(`${name} answers ${incoming.method} ${incoming.headers.host}${incoming.url}\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new Error(`the backend ${name} cannot listen on 127.0.0.1 port ${port}: ${cause.message}`, { cause })),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}

async function stopBackend(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

/** Resolves when Envoy says that it is ready: it has its listeners. */
async function answers(statsPort: number): Promise<void> {
  const end = performance.now() + readyTimeoutMs;
  while (performance.now() < end) {
    if (await isReady(statsPort)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Envoy is not ready after ${readyTimeoutMs / 1000} s`);
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, path: '/ready', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    sent.on('error', () => resolve(false));
    sent.end();
  });
}
