/**
 * Measures how long statuses wait when the leader of two replicas ends, by `kill -9` and by a clean stop, while objects change and
 * requests go through a real Envoy. Prints a JSON line a handover, and a summary.
 *
 *     node test/bench/handover.ts [--rounds 5] [--rate 10]
 *
 * `rounds` handovers of each kind, with the default times of leader election; `rate` changes of HTTPProxies a second. Measured is the time
 * from the signal until an object that is created when the process has ended has its status. Ends with 1 if a request failed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { TestEnvironment } from '../../pkg/controller-runtime/envtest/environment.ts';
import { Balancer } from '../faults/lib/balancer.ts';
import { Traffic } from '../faults/lib/traffic.ts';
import { startApiServer } from '../lib/api-server.ts';
import { EnvoyProcess, freePort } from '../lib/envoy-process.ts';
import { eventually } from '../lib/eventually.ts';
import { get } from '../lib/http-client.ts';
import { Replica } from '../lib/replica.ts';
import { distribution } from './lib/figures.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' }, rate: { type: 'string', default: '10' } } });
const [rounds, rate] = [Number(values.rounds), Number(values.rate)];
const collection = '/apis/projectcontour.io/v1/namespaces/shop/httpproxies';
const [churned, limitMs, pollMs] = [20, 120_000, 5];
/** It answers itself: an API server takes no endpoint on the loopback device. */
const probe = 'probe.example.com';

type End = 'SIGKILL' | 'SIGTERM';

function proxy(name: string, path: string): object {
  return {
    apiVersion: 'projectcontour.io/v1',
    kind: 'HTTPProxy',
    metadata: { name },
    spec: {
      virtualhost: { fqdn: `${name}.example.com` },
      routes: [{ conditions: [{ prefix: path }], directResponsePolicy: { statusCode: 200 } }],
    },
  };
}

const create = (environment: TestEnvironment, name: string, path = '/') =>
  environment.request({ method: 'POST', path: collection, body: proxy(name, path) });

/** Whether somebody has looked at an HTTPProxy. */
async function isValid(environment: TestEnvironment, name: string): Promise<boolean> {
  const object = await environment.request({ method: 'GET', path: `${collection}/${name}` });
  return (object as { readonly status?: { readonly currentStatus?: string } }).status?.currentStatus === 'valid';
}

/** Changes HTTPProxies until the signal aborts. */
async function churn(environment: TestEnvironment, signal: AbortSignal): Promise<void> {
  for (let i = 0; i < churned; i++) await create(environment, `churned-${i}`);
  for (let i = 0; !signal.aborted; i++) {
    const name = `churned-${i % churned}`;
    const path = `${collection}/${name}`;
    const { spec } = proxy(name, `/v${i}`) as { readonly spec: object };
    await environment.request({ method: 'PATCH', path, body: { spec }, contentType: 'application/merge-patch+json' });
    await sleep(1000 / rate);
  }
}

/** Two replicas behind one address. */
class Pair implements AsyncDisposable {
  readonly balancer: Balancer;
  readonly #environment: TestEnvironment;
  readonly #flags: readonly string[];
  readonly #replicas = new Set<Replica>();

  constructor(environment: TestEnvironment, balancer: Balancer, flags: readonly string[]) {
    [this.#environment, this.balancer, this.#flags] = [environment, balancer, flags];
  }

  /** Starts replicas until there are two of them, and one leads. */
  async complete(): Promise<Replica> {
    while (this.#replicas.size < 2) {
      const replica = await Replica.start(this.#environment, ...this.#flags);
      this.#replicas.add(replica);
      this.balancer.ports.add(replica.xdsPort);
    }
    await eventually('a leader', async () => (await this.#leader()) !== undefined, limitMs);
    return (await this.#leader()) as Replica;
  }

  /** Gives how long a fresh object waited for its status, in milliseconds. */
  async handOver(leader: Replica, how: End, name: string): Promise<number> {
    this.#replicas.delete(leader);
    this.balancer.ports.delete(leader.xdsPort);
    const startMs = performance.now();
    // An object that came before the leader has ended might get its status of it.
    await leader.end(how);
    await create(this.#environment, name);
    while (!(await isValid(this.#environment, name))) await sleep(pollMs);
    return performance.now() - startMs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#replicas].map((replica) => replica[Symbol.asyncDispose]()));
  }

  async #leader(): Promise<Replica | undefined> {
    for (const replica of this.#replicas) if (await replica.isLeader()) return replica;
    return undefined;
  }
}

async function main(): Promise<number> {
  await using environment = await startApiServer({ crds: ['config/crd'], namespaces: ['shop', 'projectcontour'] });
  await create(environment, 'probe');
  const ports = { http: await freePort(), stats: await freePort() };
  await using balancer = await Balancer.start();
  await using pair = new Pair(environment, balancer, [
    '--ingress-status-address=192.0.2.7',
    '--envoy-service-http-address=127.0.0.1',
    `--envoy-service-http-port=${ports.http}`,
    '--stats-address=127.0.0.1',
    `--stats-port=${ports.stats}`,
    '--envoy-http-access-log=/dev/null',
  ]);
  await pair.complete();
  await using envoy = await EnvoyProcess.start({ xdsPort: balancer.port });
  await envoy.ready();
  await eventually('the first answer', async () => (await get({ port: ports.http, host: probe })).status === 200, limitMs);
  await using traffic = new Traffic({ port: ports.http, host: probe });
  const stop = new AbortController();
  const changes = churn(environment, stop.signal);

  const times: Record<End, number[]> = { SIGKILL: [], SIGTERM: [] };
  for (let round = 0; round < rounds; round++) {
    for (const how of ['SIGKILL', 'SIGTERM'] as const) {
      const ms = await pair.handOver(await pair.complete(), how, `fresh-${round}-${how.toLowerCase()}`);
      times[how].push(ms);
      console.log(JSON.stringify({ bench: 'handover', how, ms: Math.round(ms), failedRequests: traffic.failures.length }));
    }
  }
  stop.abort();
  await changes;
  const requests = { requests: traffic.sent, failedRequests: traffic.failures.length };
  const summary = { ...distribution('kill', times.SIGKILL), ...distribution('stop', times.SIGTERM), ...requests };
  console.log(JSON.stringify({ bench: 'handover', summary }));
  for (const failure of traffic.failures.slice(0, 10)) console.error(failure);
  return traffic.failures.length === 0 ? 0 : 1;
}

process.exitCode = await main();
