/**
 * What it costs Envoy to find a host by scope, beside one table of all hosts: `node test/bench/route-cost.ts [HOSTS] [REQUESTS]`. One worker,
 * direct responses, the same requests; the table is what a proxy without an aggregated stream gets. One JSON line with CPU a request.
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { listener, route, virtualHost } from '../lib/dag.ts';
import { EnvoyProcess } from '../lib/envoy-process.ts';
import { ServedDag } from '../lib/served-dag.ts';

const count = Number(process.argv[2] ?? 1_000);
const requests = Number(process.argv[3] ?? 20_000);
const rounds = 5;
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function ask(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, agent, headers: { host } }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    call.once('error', reject).end();
  });
}

async function spend(port: number, pid: number): Promise<number> {
  const before = cpuMs(pid);
  let next = 0;
  const worker = async () => {
    while (next < requests) {
      const status = await ask(port, `h${next++ % count}.bench.test`);
      if (status !== 200) throw new Error(`status ${status}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return ((cpuMs(pid) - before) * 1_000) / requests;
}

await using control = await ServedDag.start();
const name = 'ingress_http';
const answer = { type: 'direct-response', status: 200, body: 'x' } as const;
const hosts = Array.from({ length: count }, (_, index) =>
  virtualHost(name, `h${index}.bench.test`, { routes: [route('/', { action: answer })] }),
);
control.change({ listeners: [listener(name, { port: control.ports.http })], hosts });

/** Starts an Envoy, measures, and ends it: both would listen on one port. */
async function measured(change?: (bootstrap: Record<string, unknown>) => void): Promise<number> {
  await using envoy = await EnvoyProcess.start({ xdsPort: control.server.address.port }, change);
  await envoy.ready();
  await spend(control.ports.http, envoy.pid);
  const values: number[] = [];
  for (let round = 0; round < rounds; round += 1) values.push(await spend(control.ports.http, envoy.pid));
  return Math.min(...values);
}

/** A stream for each type, as Contour's bootstrap asks for: no scopes. */
function withoutAds(bootstrap: Record<string, unknown>): void {
  const api = {
    api_type: 'GRPC',
    transport_api_version: 'V3',
    grpc_services: [{ envoy_grpc: { cluster_name: 'contour', authority: 'contour' } }],
  };
  const source = { resource_api_version: 'V3', api_config_source: api };
  bootstrap['dynamic_resources'] = { lds_config: source, cds_config: source };
  // The runtime layer comes over the aggregated stream too, and bounds nothing here.
  delete bootstrap['layered_runtime'];
}

const scopedUs = await measured();
const tableUs = await measured(withoutAds);
agent.destroy();
console.log(
  JSON.stringify({ hosts: count, requests: requests * rounds, scopedUs, tableUs, ratio: Math.round((scopedUs / tableUs) * 1_000) / 1_000 }),
);
