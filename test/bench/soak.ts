/**
 * Keeps Isoline, as a user runs it, with a real API server and a real Envoy under endpoint churn for a long time, then leaves it alone for
 * a while. Prints one JSON line a minute, and a summary: whether memory grows, and what nothing at all costs.
 *
 *     node test/bench/soak.ts [--objects 5000] [--rate 10] [--minutes 30] [--rest 3]
 *
 * `objects` HTTPProxies on HTTPS, each with a Service and an EndpointSlice; `rate` changes of slices a second; `minutes` of churn; `rest`
 * minutes without a change. Ends with 1 if a request failed, something was written at rest, or changes were not followed.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { TestEnvironment } from '../../pkg/controller-runtime/envtest/environment.ts';
import { Traffic } from '../faults/lib/traffic.ts';
import { startApiServer } from '../lib/api-server.ts';
import { selfSigned } from '../lib/certificates.ts';
import { EnvoyProcess, freePort } from '../lib/envoy-process.ts';
import { eventually } from '../lib/eventually.ts';
import { get } from '../lib/http-client.ts';
import { Replica } from '../lib/replica.ts';

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '5000' },
    rate: { type: 'string', default: '10' },
    minutes: { type: 'string', default: '30' },
    rest: { type: 'string', default: '3' },
  },
});
const [objects, rate, minutes, rest] = [Number(values.objects), Number(values.rate), Number(values.minutes), Number(values.rest)];
const [appliers, minuteMs] = [32, 60_000];
/** A busy machine is no reason to give up after the objects were made. */
const startLimitMs = 10 * minuteMs;
const mebibyte = 1024 * 1024;
/** It answers itself: an API server takes no endpoint on the loopback device. */
const probe = 'probe.example.com';

const paths = {
  services: '/api/v1/namespaces/shop/services',
  slices: '/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices',
  proxies: '/apis/projectcontour.io/v1/namespaces/shop/httpproxies',
  secrets: '/api/v1/namespaces/shop/secrets',
};

/** How a process stands, and what passed since the minute before. */
interface Minute {
  readonly phase: 'churn' | 'rest';
  readonly minute: number;
  readonly rssMiB: number;
  readonly heapMiB: number;
  readonly cpuSeconds: number;
  readonly writes: number;
  readonly changes: number;
  readonly requests: number;
  readonly failedRequests: number;
  readonly snapshot: string;
}

interface Totals {
  readonly cpuSeconds: number;
  readonly writes: number;
  readonly changes: number;
  readonly requests: number;
  readonly failedRequests: number;
}

function proxy(name: string, route: object): object {
  return {
    apiVersion: 'projectcontour.io/v1',
    kind: 'HTTPProxy',
    metadata: { name },
    spec: { virtualhost: { fqdn: `${name}.example.com`, tls: { secretName: 'certificate' } }, routes: [route] },
  };
}

/** The addresses are of a block for documentation: nobody sends requests there. */
function slice(i: number, version: number): object {
  const addresses = [`192.0.2.${1 + (version % 250)}`];
  return {
    metadata: { name: `app-${i}`, labels: { 'kubernetes.io/service-name': `app-${i}` } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080 }],
    endpoints: [{ addresses, conditions: { ready: true } }],
  };
}

async function createObjects(environment: TestEnvironment): Promise<void> {
  const post = (path: string, body: object) => environment.request({ method: 'POST', path, body });
  const { certificate, privateKey } = await selfSigned({ dnsNames: ['*.example.com'] });
  const data = { 'tls.crt': btoa(certificate), 'tls.key': btoa(privateKey) };
  await post(paths.secrets, { metadata: { name: 'certificate' }, type: 'kubernetes.io/tls', data });
  await post(paths.proxies, proxy('probe', { directResponsePolicy: { statusCode: 200 } }));
  let next = 0;
  const work = async (): Promise<void> => {
    for (let i = next++; i < objects; i = next++) {
      await post(paths.services, { metadata: { name: `app-${i}` }, spec: { ports: [{ name: 'http', port: 80 }] } });
      await post(paths.slices, slice(i, 0));
      await post(paths.proxies, proxy(`app-${i}`, { services: [{ name: `app-${i}`, port: 80 }] }));
    }
  };
  await Promise.all(Array.from({ length: appliers }, work));
}

/** Changes slices at a steady rate, one after the other. */
class Churn {
  changes = 0;
  #stopped = false;
  #run: Promise<void> = Promise.resolve();

  start(environment: TestEnvironment): void {
    this.#run = this.#change(environment);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#run;
  }

  async #change(environment: TestEnvironment): Promise<void> {
    const startMs = performance.now();
    for (let next = 1; !this.#stopped; next++) {
      const i = (next * 7919) % objects;
      // A slice that is as it was would be no change: each time that its turn comes it gets another version.
      const version = 1 + Math.floor((next - 1) / objects);
      await environment.request({ method: 'PUT', path: `${paths.slices}/app-${i}`, body: slice(i, version) });
      this.changes++;
      await sleep(Math.max(0, startMs + (next * 1000) / rate - performance.now()));
    }
  }
}

/** User and system time of a process. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function residentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

class Watcher {
  readonly minutes: Minute[] = [];
  readonly #replica: Replica;
  readonly #traffic: Traffic;
  readonly #churn: Churn;
  #last: Totals = { cpuSeconds: 0, writes: 0, changes: 0, requests: 0, failedRequests: 0 };

  constructor(parts: { readonly replica: Replica; readonly traffic: Traffic; readonly churn: Churn }) {
    [this.#replica, this.#traffic, this.#churn] = [parts.replica, parts.traffic, parts.churn];
  }

  /** Watches for so many minutes, and prints each. */
  async watch(phase: Minute['phase'], count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      this.#last = await this.#totals();
      await sleep(minuteMs);
      const minute = await this.#minute(phase, this.minutes.length + 1);
      this.minutes.push(minute);
      console.log(JSON.stringify({ bench: 'soak', ...minute }));
    }
  }

  async #minute(phase: Minute['phase'], minute: number): Promise<Minute> {
    const [heap] = await this.#replica.figures('nodejs_heap_size_used_bytes');
    const hashes = await this.#replica.figures('isoline_snapshot_hash');
    const now = await this.#totals();
    const { pid } = this.#replica;
    return {
      phase,
      minute,
      rssMiB: round(residentMiB(pid)),
      heapMiB: round((heap?.[1] ?? 0) / mebibyte),
      cpuSeconds: round(now.cpuSeconds - this.#last.cpuSeconds),
      writes: now.writes - this.#last.writes,
      changes: now.changes - this.#last.changes,
      requests: now.requests - this.#last.requests,
      failedRequests: now.failedRequests - this.#last.failedRequests,
      snapshot: hashes.map(([, hash]) => hash.toString(16)).join('-'),
    };
  }

  async #totals(): Promise<Totals> {
    const requests = await this.#replica.figures('rest_client_requests_total');
    const writes = requests.filter(([labels]) => !labels.includes('method="GET"')).reduce((sum, [, count]) => sum + count, 0);
    return {
      cpuSeconds: cpuSeconds(this.#replica.pid),
      writes,
      changes: this.#churn.changes,
      requests: this.#traffic.sent,
      failedRequests: this.#traffic.failures.length,
    };
  }
}

/** What the minutes say as a whole; growth is the last quarter of the churn over its second one. */
function summaryOf(all: readonly Minute[]): {
  readonly failedRequests: number;
  readonly writesAtRest: number;
  readonly deafMinutes: number;
} {
  const churn = all.filter(({ phase }) => phase === 'churn');
  const still = all.filter(({ phase }) => phase === 'rest');
  const quarter = (n: number) => churn.slice(Math.floor((churn.length * (n - 1)) / 4), Math.floor((churn.length * n) / 4));
  const growth = (part: (minute: Minute) => number) => round(mean(quarter(4).map(part)) / mean(quarter(2).map(part)), 3);
  const summary = {
    objects,
    rate,
    minutes: churn.length,
    rssGrowth: growth(({ rssMiB }) => rssMiB),
    heapGrowth: growth(({ heapMiB }) => heapMiB),
    rssMiB: round(mean(quarter(4).map(({ rssMiB }) => rssMiB))),
    churnCpuSeconds: round(mean(churn.map((minute) => minute.cpuSeconds))),
    restCpuSeconds: round(mean(still.map((minute) => minute.cpuSeconds)), 2),
    writesInChurn: churn.reduce((sum, { writes }) => sum + writes, 0),
    writesAtRest: still.reduce((sum, { writes }) => sum + writes, 0),
    requests: all.reduce((sum, { requests }) => sum + requests, 0),
    failedRequests: all.reduce((sum, { failedRequests }) => sum + failedRequests, 0),
    // Minutes of changes that changed nothing of what is served: the objects are not followed.
    deafMinutes: churn.filter(({ snapshot }, i) => snapshot === churn[i - 1]?.snapshot).length,
  };
  console.log(JSON.stringify({ bench: 'soak', summary }));
  return summary;
}

function mean(figures: readonly number[]): number {
  return figures.length === 0 ? Number.NaN : figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}

function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}

async function main(): Promise<number> {
  await using environment = await startApiServer({ crds: ['config/crd'], namespaces: ['shop', 'projectcontour'] });
  await createObjects(environment);
  const ports = { http: await freePort(), https: await freePort(), stats: await freePort() };
  const address = '127.0.0.1';
  await using replica = await Replica.start(
    environment,
    // A Lease is renewed by writes, at rest too.
    '--disable-leader-election',
    '--ingress-status-address=192.0.2.7',
    `--envoy-service-http-address=${address}`,
    `--envoy-service-http-port=${ports.http}`,
    `--envoy-service-https-address=${address}`,
    `--envoy-service-https-port=${ports.https}`,
    `--stats-address=${address}`,
    `--stats-port=${ports.stats}`,
    '--envoy-http-access-log=/dev/null',
    '--envoy-https-access-log=/dev/null',
  );
  await using envoy = await EnvoyProcess.start({ xdsPort: replica.xdsPort });
  await envoy.ready();
  const answers = async (): Promise<boolean> => (await get({ port: ports.https, host: probe, sni: probe })).status === 200;
  await eventually('the first answer', () => answers().catch(() => false), startLimitMs);
  const statuses = async (): Promise<number> =>
    (await replica.figures('contour_status_update_success_total')).reduce((sum, [, count]) => sum + count, 0);
  await eventually('all statuses', async () => (await statuses()) > objects, startLimitMs);

  await using traffic = new Traffic({ port: ports.https, host: probe, tls: true });
  const churn = new Churn();
  const watcher = new Watcher({ replica, traffic, churn });
  churn.start(environment);
  await watcher.watch('churn', minutes);
  await churn.stop();
  await watcher.watch('rest', rest);
  const { failedRequests, writesAtRest, deafMinutes } = summaryOf(watcher.minutes);
  for (const failure of traffic.failures.slice(0, 10)) console.error(failure);
  return failedRequests + writesAtRest + deafMinutes === 0 ? 0 : 1;
}

process.exitCode = await main();
