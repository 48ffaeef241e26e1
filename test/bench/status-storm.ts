/**
 * Applies thousands of HTTPProxies at once to a real API server, and measures how long it takes until each has its
 * status, how many writes that needs, how fast routes reach a proxy meanwhile, and what it costs to keep them
 * (projectcontour/contour#5001, #3845, #2979, #4058).
 *
 *     node_modules/.bin/node test/bench/status-storm.ts [objects]
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cache } from '../../pkg/controller-runtime/cache/cache.ts';
import type { Informer } from '../../pkg/controller-runtime/cache/informer.ts';
import type { KubeObject } from '../../pkg/controller-runtime/client/object.ts';
import type { RestClient } from '../../pkg/controller-runtime/client/rest-client.ts';
import type { TestEnvironment } from '../../pkg/controller-runtime/envtest/environment.ts';
import { type RequestTarget, sendRequest } from '../../pkg/controller-runtime/envtest/request.ts';
import { openConnection } from '../../pkg/provider/kubernetes/connection.ts';
import { infoOf } from '../../pkg/provider/kubernetes/kinds.ts';
import { silentLogger } from '../../pkg/util/logger.ts';
import { typeUrls } from '../../pkg/xdscache/resource.ts';
import { startApiServer } from '../lib/api-server.ts';
import { freePort } from '../lib/envoy-process.ts';
import { get } from '../lib/http-client.ts';
import { XdsClient, type XdsClientStream } from '../lib/xds-client.ts';

const isoline = new URL('../../bin/isoline', import.meta.url).pathname;
const collection = '/apis/projectcontour.io/v1/namespaces/shop/httpproxies';
const appliers = 16;
const idleProbes = 30;
const pauseMs = 100;
const restMs = 20_000;

interface Job {
  readonly target: Omit<RequestTarget, 'agent'>;
  readonly count: number;
}

interface Proxy extends KubeObject {
  readonly status?: { readonly currentStatus?: string; readonly loadBalancer?: object };
}

const proxy = (name: string): object => ({
  apiVersion: 'projectcontour.io/v1',
  kind: 'HTTPProxy',
  metadata: { name },
  spec: { virtualhost: { fqdn: `${name}.example.com` }, routes: [{ services: [{ name: 'app', port: 80 }] }] },
});

/** The process that applies: it must not take the turn of the one that measures. */
async function applyAll({ target, count }: Job): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  let next = 0;
  const work = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) {
      await sendRequest({ ...target, agent }, { method: 'POST', path: collection, body: proxy(`storm-${i}`) });
    }
  };
  await Promise.all(Array.from({ length: appliers }, work));
  agent.destroy();
}

/** What a watch of our own sees: the statuses, and when objects come. */
class Witness {
  readonly #informer: Informer<Proxy>;
  readonly #cache: Cache;
  readonly #stop = new AbortController();
  readonly #seenMs = new Map<string, number>();
  readonly #valid = new Set<string>();
  #run: Promise<void> = Promise.resolve();

  constructor(rest: RestClient) {
    this.#cache = new Cache({ rest, onProblem: (problem) => console.error(problem) });
    this.#informer = this.#cache.informer<Proxy>(infoOf('HTTPProxy'));
    this.#informer.addHandler(({ type, object: { metadata, status } }) => {
      if (type === 'add') this.#seenMs.set(metadata.name, performance.now());
      if (status?.currentStatus === 'valid' && status.loadBalancer !== undefined) this.#valid.add(metadata.name);
    });
  }

  /** How many HTTPProxies have all of their status. */
  get valid(): number {
    return this.#valid.size;
  }

  get size(): number {
    return this.#informer.size;
  }

  seenMs(name: string): number | undefined {
    return this.#seenMs.get(name);
  }

  async start(): Promise<void> {
    this.#run = this.#cache.run(this.#stop.signal);
    await this.#informer.synced;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#run;
  }
}

interface Propagation {
  /** From the API server's answer until a proxy has the route. */
  readonly proxyMs: number;
  /** Until a plain watch has the object: the API server's part. */
  readonly watchMs: number;
}

/** Adds a host and waits until the proxy has it. */
async function probe({ environment, witness, stream }: Bench, name: string): Promise<Propagation> {
  const arrived = stream.until(name, () => stream.names(typeUrls.scopedRoute).some((scope) => scope.includes(`${name}.example.com`)));
  const arrivedMs = arrived.then(() => performance.now());
  await environment.request({ method: 'POST', path: collection, body: proxy(name) });
  const startMs = performance.now();
  const proxyMs = Math.max(0, (await arrivedMs) - startMs);
  let watchedMs = witness.seenMs(name);
  for (; watchedMs === undefined; watchedMs = witness.seenMs(name)) await sleep(1);
  return { proxyMs, watchMs: Math.max(0, watchedMs - startMs) };
}

interface Bench {
  readonly environment: TestEnvironment;
  readonly witness: Witness;
  readonly stream: XdsClientStream;
  readonly metrics: number;
}

const percentile = (sorted: readonly number[], p: number): string => (sorted[Math.floor((sorted.length - 1) * p)] ?? 0).toFixed(1);

function tell(what: string, times: readonly Propagation[]): void {
  const figures = (part: (time: Propagation) => number): string => {
    const sorted = times.map(part).toSorted((a, b) => a - b);
    return [0.5, 0.9, 1].map((p) => percentile(sorted, p)).join(' / ');
  };
  const [proxyMs, watchMs] = [figures((time) => time.proxyMs), figures((time) => time.watchMs)];
  console.log(`${what}, p50 / p90 / max of ${times.length}: ${proxyMs} ms to a proxy; ${watchMs} ms to a plain watch`);
}

/** User and system time of a process, in seconds. */
function cpuSeconds({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function metric(port: number, name: string): Promise<number> {
  const { body } = await get({ port, host: 'x', path: '/metrics' });
  const lines = body.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

async function startIsoline(
  environment: TestEnvironment,
  ports: { readonly xds: number; readonly metrics: number },
): Promise<ChildProcess> {
  const child = spawn(
    isoline,
    [
      'serve',
      `--kubeconfig=${environment.kubeconfig}`,
      '--disable-leader-election',
      '--insecure',
      '--xds-address=127.0.0.1',
      `--xds-port=${ports.xds}`,
      '--http-address=127.0.0.1',
      `--http-port=${ports.metrics}`,
      '--health-address=127.0.0.1',
      `--health-port=${ports.metrics}`,
      '--debug-http-port=0',
      '--ingress-status-address=192.0.2.7',
      ...(process.env['ISOLINE_FLAGS']?.split(' ') ?? []),
    ],
    {
      stdio: 'inherit',
      env: { ...process.env, CONTOUR_NAMESPACE: 'projectcontour', NODE_OPTIONS: process.env['ISOLINE_NODE_OPTIONS'] ?? '' },
    },
  );
  while ((await get({ port: ports.metrics, host: 'x', path: '/readyz' }).catch(() => undefined))?.status !== 200) {
    if (child.exitCode !== null) throw new Error(`isoline ended with code ${child.exitCode}`);
    await sleep(50);
  }
  return child;
}

async function storm(bench: Bench, job: Job): Promise<void> {
  const applier = fork(new URL(import.meta.url), ['--apply'], { env: { ...process.env, JOB: JSON.stringify(job) } });
  const exit = once(applier, 'exit');
  const startMs = performance.now();
  let appliedMs = Number.NaN;
  void exit.then(() => {
    appliedMs = performance.now();
  });
  const times: Propagation[] = [];
  const afterwards: Propagation[] = [];
  const { witness } = bench;
  const expected = (): number => job.count + idleProbes + times.length + afterwards.length;
  while (witness.valid < expected()) {
    const time = await probe(bench, `during-${times.length + afterwards.length}`);
    (Number.isNaN(appliedMs) ? times : afterwards).push(time);
    await sleep(pauseMs);
  }
  const lateMs = performance.now() - appliedMs;
  console.log(`applied in ${((appliedMs - startMs) / 1000).toFixed(1)} s; all statuses ${(lateMs / 1000).toFixed(1)} s later`);
  tell('propagation while they are applied', times);
  if (afterwards.length > 0) tell('propagation while statuses are written', afterwards);
}

async function verify({ witness, metrics }: Bench): Promise<void> {
  await sleep(1_000);
  const [success, failed, conflict, noop] = await Promise.all(
    ['success', 'failed', 'conflict', 'noop'].map((result) => metric(metrics, `contour_status_update_${result}_total`)),
  );
  console.log(
    `${witness.valid} of ${witness.size} have their status; writes: ${success} done, ${failed} failed, ${conflict} conflicts; ${noop} looks`,
  );
}

async function main(count: number): Promise<void> {
  await using environment = await startApiServer({ crds: ['config/crd'], namespaces: ['shop', 'projectcontour'] });
  await environment.request({
    method: 'POST',
    path: '/api/v1/namespaces/shop/services',
    body: { metadata: { name: 'app' }, spec: { ports: [{ name: 'http', port: 80 }] } },
  });
  const { kubeconfig, port, ca, token } = environment;
  const deps = { environment: {}, userAgent: 'bench', log: silentLogger };
  const witness = new Witness((await openConnection({ inCluster: false, kubeconfig }, deps)).reads);
  await witness.start();
  const [xds, metrics] = [await freePort(), await freePort()];
  const child = await startIsoline(environment, { xds, metrics });
  const client = new XdsClient(`127.0.0.1:${xds}`);
  const stream = client.open();
  for (const type of [typeUrls.cluster, typeUrls.listener, typeUrls.scopedRoute]) stream.subscribe(type);
  const bench = { environment, witness, stream, metrics };

  const idle: Propagation[] = [];
  for (let i = 0; i < idleProbes; i++) {
    idle.push(await probe(bench, `idle-${i}`));
    await sleep(pauseMs);
  }
  tell('propagation while idle', idle);
  const cpu = cpuSeconds(child);
  await storm(bench, { target: { port, ca, token }, count });
  console.log(`isoline used ${(cpuSeconds(child) - cpu).toFixed(1)} s of CPU`);
  await verify(bench);
  const restCpu = cpuSeconds(child);
  await sleep(restMs);
  console.log(`at rest: ${(((cpuSeconds(child) - restCpu) * 60_000) / restMs).toFixed(2)} s of CPU a minute`);
  await client[Symbol.asyncDispose]();
  await witness.stop();
  child.kill('SIGTERM');
  await once(child, 'exit');
}

if (process.argv[2] === '--apply') await applyAll(JSON.parse(process.env['JOB'] ?? '{}') as Job);
else await main(Number(process.argv[2] ?? 5_000));
