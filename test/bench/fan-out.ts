/**
 * How one change reaches many proxies: delta clients in other processes hold what some HTTPProxies make, then one of these is changed again
 * and again. Prints one JSON line: from the change to the last acknowledgement, the controller's CPU for a change, memory a client, the same
 * while a tenth of the clients do not read, and how long it takes until all are up to date after they lost their connections at once.
 *
 * RSS depends on the allocator's settings: run it with those of bin/isoline.
 *
 * Usage: node test/bench/fan-out.ts [--clients 200] [--routes 1000] [--changes 30] [--processes 1] [--storms 3]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { KubeObject } from '../../pkg/apis/meta.ts';
import { ProxyAnswers } from '../../pkg/controllers/proxy-answers.ts';
import type { Change } from '../../pkg/kubernetes-cache/changes.ts';
import { Pipeline } from '../../pkg/pipeline/pipeline.ts';
import { secretInspector } from '../../pkg/provider/secret-inspector.ts';
import { XdsServer } from '../../pkg/server/xds-server.ts';
import { silentLogger } from '../../pkg/util/logger.ts';
import { Live } from '../../pkg/xds/live.ts';
import { typeUrls } from '../../pkg/xdscache/resource.ts';
import { testConfig } from '../lib/config.ts';
import { FanOutClients, type FanOutOrder } from '../lib/fan-out-clients.ts';

/** The controller's part: the pipeline and the xDS server, without Kubernetes. */
class Controller implements AsyncDisposable {
  readonly pipeline = new Pipeline({ config: testConfig(), secrets: secretInspector() });
  readonly server: XdsServer;
  readonly #live: Live;
  readonly #answers: ProxyAnswers;
  #batch: Change[] = [];
  #version = 0;
  /** When the last answer came. */
  answeredMs = 0;

  constructor() {
    const { pipeline } = this;
    this.server = new XdsServer({
      host: '127.0.0.1',
      port: 0,
      tls: 'insecure',
      snapshot: pipeline.snapshot,
      logger: silentLogger,
      onAnswer: (stream, type, answer) => {
        this.answeredMs = performance.now();
        this.#answers.answered(stream, type, answer);
      },
      onClosed: (stream) => this.#answers.closed(stream),
    });
    this.#live = new Live({ snapshot: pipeline.snapshot, streams: () => this.server.streams });
    pipeline.snapshot.subscribe((update) => this.#live.changed(update, performance.now()));
    this.#answers = new ProxyAnswers({
      pipeline,
      log: silentLogger,
      live: this.#live,
      onResult: () => undefined,
      nowMs: () => performance.now(),
      later: (call, delayMs) => void setTimeout(call, delayMs).unref(),
    });
    pipeline.cache.changes.subscribe((change) => this.#batch.push(change));
  }

  put(apiVersion: string, kind: string, name: string, fields: object): void {
    this.#version += 1;
    const metadata = {
      name,
      namespace: 'shop',
      uid: `${kind}-${name}`,
      resourceVersion: String(this.#version),
      generation: this.#version,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(kind === 'EndpointSlice' && { labels: { 'kubernetes.io/service-name': name } }),
    };
    this.pipeline.cache.apply({ apiVersion, kind, metadata, ...fields } as unknown as KubeObject);
  }

  /** A host that leads to a Service of its own. */
  host(index: number, timeoutSeconds: number): void {
    const name = `app-${index}`;
    const routes = [{ services: [{ name, port: 80 }], timeoutPolicy: { response: `${timeoutSeconds}s` } }];
    this.put('projectcontour.io/v1', 'HTTPProxy', name, { spec: { virtualhost: { fqdn: `${name}.example.com` }, routes } });
  }

  service(index: number): void {
    const name = `app-${index}`;
    this.put('v1', 'Service', name, { spec: { ports: [{ name: 'http', port: 80, protocol: 'TCP' }] } });
    const endpoints = [{ addresses: [`10.1.${index >> 8}.${index & 255}`], conditions: { ready: true } }];
    this.put('discovery.k8s.io/v1', 'EndpointSlice', name, {
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      endpoints,
    });
  }

  buildAll(): void {
    this.#batch = [];
    this.pipeline.buildAll();
  }

  build(): void {
    const batch = this.#batch;
    this.#batch = [];
    this.pipeline.build(batch);
  }

  /** Waits until this many clients have everything but for those of some names. */
  async settled(clients: number, except: ReadonlySet<string> = new Set()): Promise<void> {
    const routes = this.pipeline.snapshot.all(typeUrls.scopedRoute).size;
    for (;;) {
      const streams = [...this.server.streams].filter(({ node }) => !except.has(node?.id ?? ''));
      const idle = streams.filter(({ types }) => {
        const has = types.get(typeUrls.scopedRoute)?.acknowledgements.accepted.size === routes && types.has(typeUrls.route);
        return (
          has &&
          types.has(typeUrls.endpoint) &&
          [...types.values()].every((one) => one.acknowledgements.pending === undefined && !one.hasWork)
        );
      });
      if (idle.length === clients && streams.length === clients) return;
      await sleep(2);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop();
  }
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (how: object) => void;

/** Bytes that are in use after a collection that leaves no pages in reserve; RSS with it. */
async function memory(): Promise<{ readonly used: number; readonly rss: number }> {
  for (let i = 0; i < 3; i += 1) {
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    await sleep(100);
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { used: heapUsed + external, rss };
}

const cpuMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
};
const round = (value: number): number => Math.round(value * 10) / 10;
const quantile = (values: readonly number[], part: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      clients: { type: 'string', default: '200' },
      routes: { type: 'string', default: '1000' },
      changes: { type: 'string', default: '30' },
      processes: { type: 'string', default: '1' },
      storms: { type: 'string', default: '3' },
    },
  });
  const [clients, routes, changes] = [Number(values.clients), Number(values.routes), Number(values.changes)];
  await using controller = new Controller();
  for (let i = 0; i < routes; i += 1) {
    controller.service(i);
    controller.host(i, 1);
  }
  controller.buildAll();
  await controller.server.start();
  const workers = Array.from({ length: Number(values.processes) }, () => fork(import.meta.filename, ['--worker']));
  try {
    const names = Array.from({ length: clients }, (_, i) => `proxy-${i}`);
    console.log(JSON.stringify(await measure(controller, { workers, names, changes, storms: Number(values.storms) })));
  } finally {
    for (const worker of workers) worker.kill();
  }
}

interface Run {
  readonly workers: readonly ChildProcess[];
  readonly names: readonly string[];
  readonly changes: number;
  readonly storms: number;
}

async function measure(controller: Controller, run: Run): Promise<object> {
  const { workers, names } = run;
  const order = (order: FanOutOrder): void => {
    for (const worker of workers) worker.send(order);
  };
  const port = controller.server.address.port;
  // One first, so that what is encoded once is there before memory is measured.
  workers[0]?.send({ do: 'open', port, names: ['first'] } satisfies FanOutOrder);
  await controller.settled(1);
  const before = await memory();

  const startedMs = performance.now();
  const startedCpu = process.cpuUsage();
  for (const [i, worker] of workers.entries()) {
    worker.send({ do: 'open', port, names: names.filter((_, at) => at % workers.length === i) } satisfies FanOutOrder);
  }
  const all = names.length + 1;
  await controller.settled(all);
  const start = { allMs: round(performance.now() - startedMs), cpuMs: round(cpuMs(startedCpu)) };
  const after = await memory();
  const kib = (bytes: number): number => round(bytes / names.length / 1_024);
  const quick = await edit(controller, run, new Set());

  const slow = names.slice(0, Math.ceil(names.length / 10));
  order({ do: 'pause', names: slow });
  const withSlow = await edit(controller, run, new Set(slow));
  const held = await memory();
  order({ do: 'resume', names: slow });
  await controller.settled(all);
  const later = await memory();

  const storms: object[] = [];
  for (let i = 0; i < run.storms; i += 1) storms.push(await storm(controller, all, () => order({ do: 'reconnect' })));
  const end = await memory();
  return {
    bench: 'fan-out',
    clients: names.length,
    start,
    kibPerClient: { used: kib(after.used - before.used), rss: kib(after.rss - before.rss) },
    change: quick,
    slowReaders: { count: slow.length, ...withSlow, kibPerSlow: round((held.used - after.used) / slow.length / 1_024) },
    storms,
    kibPerClientAtEnd: { used: kib(end.used - before.used), rss: kib(end.rss - before.rss), afterChanges: kib(later.used - before.used) },
  };
}

/** Changes one host at a time, and waits until all that read have it. */
async function edit(controller: Controller, { names, changes }: Run, except: ReadonlySet<string>): Promise<object> {
  const lastMs: number[] = [];
  const cpu: number[] = [];
  for (let i = 0; i < changes; i += 1) {
    const used = process.cpuUsage();
    const startedMs = performance.now();
    controller.host(i % 100, 2 + i + (except.size > 0 ? changes : 0));
    controller.build();
    await controller.settled(names.length + 1 - except.size, except);
    lastMs.push(controller.answeredMs - startedMs);
    cpu.push(cpuMs(used));
    await sleep(20);
  }
  return {
    lastMs: { p50: quantile(lastMs, 0.5), p99: quantile(lastMs, 0.99) },
    cpuMs: { p50: quantile(cpu, 0.5), p99: quantile(cpu, 0.99) },
  };
}

async function storm(controller: Controller, clients: number, begin: () => void): Promise<object> {
  const used = process.cpuUsage();
  const startedMs = performance.now();
  const old = new Set(controller.server.streams);
  begin();
  while ([...controller.server.streams].some((stream) => old.has(stream))) await sleep(2);
  await controller.settled(clients);
  return { allMs: round(performance.now() - startedMs), cpuMs: round(cpuMs(used)) };
}

if (process.argv.includes('--worker')) {
  const clients = new FanOutClients();
  process.on('message', (order: FanOutOrder) => clients.follow(order));
} else await main();
