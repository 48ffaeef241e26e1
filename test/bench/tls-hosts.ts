/**
 * What one more TLS host costs Envoy: `node test/bench/tls-hosts.ts [HOSTS] [ADDED]`. One JSON line for each way to serve them: a chain for each host
 * (forced by a protocol bound), shared chains with a certificate for each host, and with one certificate for all. Latency is from the
 * change to the first answer; CPU is that of Envoy alone.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SecretNode } from '../../pkg/dag/model/cluster.ts';
import type { VirtualHost } from '../../pkg/dag/model/virtual-host.ts';
import { selfSigned } from '../lib/certificates.ts';
import { listener, route, secretNode, secureHost } from '../lib/dag.ts';
import { get } from '../lib/http-client.ts';
import { ServedDag } from '../lib/served-dag.ts';

const count = Number(process.argv[2] ?? 2_000);
const added = Number(process.argv[3] ?? 20);
const material = await selfSigned({ dnsNames: ['*.bench.test'] });

type Shape = 'own chains' | 'shared, a certificate each' | 'shared, one certificate';

function host(index: number, shape: Shape): VirtualHost {
  const name = `h${index}.bench.test`;
  const names = { dnsNames: shape === 'shared, one certificate' ? ['*.bench.test'] : [name], keyType: 'ec' };
  const secret: SecretNode = secretNode(shape === 'shared, one certificate' ? 'all' : `s${index}`, { ...material, ...names });
  return secureHost('ingress_https', name, {
    routes: [route('/', { action: { type: 'direct-response', status: 200, body: name } })],
    tls: { type: 'terminate', secrets: [secret], minVersion: '1.2', maxVersion: shape === 'own chains' ? '1.2' : '1.3' },
  });
}

/** Milliseconds of CPU, of which the kernel counts hundredths of a second. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function served(port: number, name: string): Promise<boolean> {
  return get({ port, host: name, sni: name }).then(
    ({ status }) => status === 200,
    () => false,
  );
}

const median = (values: readonly number[]) => Math.round(values.toSorted((a, b) => a - b)[values.length >> 1]! * 10) / 10;

const shapes: readonly Shape[] = ['shared, one certificate', 'shared, a certificate each', 'own chains'];
for (const shape of shapes) {
  await using control = await ServedDag.start();
  const port = control.ports.https;
  const hosts = Array.from({ length: count }, (_, index) => host(index, shape));
  control.change({ listeners: [listener('ingress_https', { port })], hosts });
  await control.startEnvoy();
  await sleep(1_000);
  const before = cpuMs(control.envoy.pid);
  const times: number[] = [];
  for (let index = count; index < count + added; index += 1) {
    const start = performance.now();
    control.change({ hosts: [host(index, shape)] });
    while (!(await served(port, `h${index}.bench.test`))) await sleep(1);
    times.push(performance.now() - start);
    await control.accepted();
  }
  const cpu = (cpuMs(control.envoy.pid) - before) / added;
  const stats = await control.envoy.stats('listener_manager.(total_filter_chains_draining|listener_in_place_updated)');
  console.log(JSON.stringify({ shape, hosts: count, medianMs: median(times), envoyCpuMs: cpu, stats: Object.fromEntries(stats) }));
}
