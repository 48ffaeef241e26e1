import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { gatewayApiCrdDir } from '../../../hack/lib/binaries.ts';
import type { PolicyRule, TestEnvironment } from '../../../pkg/controller-runtime/envtest/environment.ts';
import { startApiServer } from '../../lib/api-server.ts';
import { selfSigned } from '../../lib/certificates.ts';
import { EchoBackend } from '../../lib/echo-backend.ts';
import { EnvoyProcess, freePort } from '../../lib/envoy-process.ts';
import { eventually } from '../../lib/eventually.ts';
import { startFaultProxy } from '../../lib/fault-proxy.ts';
import { get } from '../../lib/http-client.ts';
import { seededRandom } from '../../lib/random.ts';
import { Balancer } from './balancer.ts';
import { type FreshView, freshView } from './fresh-controller.ts';
import { Replica, type ReplicaOptions, writeKubeconfig } from './replica.ts';
import { Traffic } from './traffic.ts';
import { backendAddress, backendPlaceholder, namespace, World } from './world.ts';

/** Short, so that tests need not wait; in the same proportions as the defaults. */
const leaseFlags = {
  'leader-election-lease-duration': '3s',
  'leader-election-renew-deadline': '2s',
  'leader-election-retry-period': '400ms',
};

/** How long what is served, and statuses, may take to become right once a fault has ended: back-offs reach half a minute. */
const recoveryMs = 60_000;
/** Longer than the faults hold an event back. */
const settleMs = 1_000;

const configFile = `
gateway: {gatewayRef: {namespace: ${namespace}, name: gateway}}
ingress-status-address: 192.0.2.7
`;

interface EnvoyPorts {
  readonly http: number;
  readonly https: number;
  readonly stats: number;
}

/**
 * A real API server with objects; replicas of Isoline, each behind a fault proxy of its own; a balancer before them; a real Envoy and
 * traffic through it. Everything that was started ends with it.
 */
export class FaultCluster implements AsyncDisposable {
  readonly environment: TestEnvironment;
  readonly world: World;
  readonly balancer: Balancer;
  /** Those that run and were not ended on purpose. */
  readonly replicas = new Set<Replica>();
  readonly traffic: Traffic[] = [];
  readonly #resources: AsyncDisposableStack;
  readonly #ports: EnvoyPorts;
  readonly #kubeconfig: string;
  readonly #flags: Readonly<Record<string, string>>;
  #started = 0;

  private constructor(
    parts: Pick<FaultCluster, 'environment' | 'world' | 'balancer'>,
    ports: EnvoyPorts,
    kubeconfig: string,
    resources: AsyncDisposableStack,
  ) {
    [this.environment, this.world, this.balancer] = [parts.environment, parts.world, parts.balancer];
    [this.#ports, this.#kubeconfig, this.#resources] = [ports, kubeconfig, resources];
    const path = join(this.environment.directory, 'isoline.yaml');
    writeFileSync(path, configFile);
    const address = '127.0.0.1';
    this.#flags = {
      'config-path': path,
      'envoy-service-http-address': address,
      'envoy-service-https-address': address,
      'envoy-http-access-log': '/dev/null',
      'envoy-https-access-log': '/dev/null',
      'stats-address': address,
      'stats-port': String(ports.stats),
    };
  }

  static async start(): Promise<FaultCluster> {
    const resources = new AsyncDisposableStack();
    const crds = ['config/crd', gatewayApiCrdDir('experimental')];
    const environment = resources.use(await startApiServer({ crds, namespaces: ['projectcontour', namespace] }));
    const backend = resources.use(await EchoBackend.start('app', backendAddress));
    const balancer = resources.use(await Balancer.start());
    // The fresh controller reads what the replicas read, but nothing goes wrong on its way.
    const proxy = resources.use(await startFaultProxy(environment, { replace: [backendPlaceholder, backendAddress] }));
    const kubeconfig = join(environment.directory, 'kubeconfig-fresh');
    writeKubeconfig(kubeconfig, proxy.url, { token: environment.token });
    const ports = { http: await freePort(), https: await freePort(), stats: await freePort() };
    const world = new World(environment, seededRandom(), backend.port);
    const { certificate, privateKey } = await selfSigned({ dnsNames: ['secure.example.com'] });
    // Envoy's ports are 8000 above those of the Gateway.
    const gatewayPorts = { http: ports.http - 8000, https: ports.https - 8000 };
    await world.create({ ports: gatewayPorts, backendPort: backend.port, certificate, privateKey });
    return new FaultCluster({ environment, world, balancer }, ports, kubeconfig, resources);
  }

  /** Starts a replica, and waits until it serves unless told otherwise. */
  async replica(options: Partial<Pick<ReplicaOptions, 'user' | 'flags'>> = {}): Promise<Replica> {
    const replica = await this.begin(options);
    await replica.ready();
    return replica;
  }

  /** Starts a replica, which is not yet ready. Envoys go to it as soon as it takes connections. */
  async begin({ flags = {}, ...options }: Partial<Pick<ReplicaOptions, 'user' | 'flags'>> = {}): Promise<Replica> {
    const name = `replica-${this.#started++}`;
    const all = { ...this.#flags, ...leaseFlags, ...flags };
    const replica = this.#resources.use(await Replica.start({ environment: this.environment, name, flags: all, ...options }));
    this.replicas.add(replica);
    this.balancer.ports.add(replica.xdsPort);
    return replica;
  }

  /** Ends a replica at once, as a node that loses power does. */
  async kill(replica: Replica): Promise<void> {
    this.#forget(replica);
    await replica.kill();
  }

  /** Ends a replica as a rolling update does. */
  async stop(replica: Replica): Promise<void> {
    this.#forget(replica);
    expect(await replica.stop()).toBe(0);
  }

  #forget(replica: Replica): void {
    this.replicas.delete(replica);
    this.balancer.ports.delete(replica.xdsPort);
  }

  /** Makes a user with these rights, and gives its token. */
  async tokenOf(name: string, rules: readonly PolicyRule[]): Promise<string> {
    const kubeconfig = JSON.parse(readFileSync(await this.environment.addUser(name, rules), 'utf8')) as {
      readonly users: readonly { readonly user: { readonly token: string } }[];
    };
    return kubeconfig.users[0]?.user.token ?? '';
  }

  /** Starts an Envoy and waits until it has everything. */
  async envoy(): Promise<EnvoyProcess> {
    const envoy = this.#resources.use(await EnvoyProcess.start({ xdsPort: this.balancer.port }));
    await envoy.ready();
    return envoy;
  }

  /** Sends requests from now on, over HTTP and over HTTPS. Waits until both are answered once. */
  async startTraffic(): Promise<void> {
    const { http, https } = this.#ports;
    const secure = { port: https, host: 'secure.example.com' };
    await eventually('the first answer', async () => (await get({ port: http, host: 'app.example.com' })).status === 200);
    await eventually('the first answer over TLS', async () => (await get({ ...secure, sni: secure.host })).status === 200);
    this.traffic.push(new Traffic({ port: http, host: 'app.example.com' }), new Traffic({ ...secure, tls: true }));
    for (const each of this.traffic) this.#resources.use(each);
  }

  /** The replica that holds the Lease; `undefined` if nobody does, or one that has gone. */
  async leader(): Promise<Replica | undefined> {
    const path = '/apis/coordination.k8s.io/v1/namespaces/projectcontour/leases/leader-elect';
    const { spec } = (await this.environment.request({ method: 'GET', path })) as { readonly spec: { readonly holderIdentity?: string } };
    const holder = spec.holderIdentity ?? '';
    if (holder === '') return undefined;
    return [...this.replicas].find(({ proxy }) =>
      proxy.requests.some(({ method, body }) => method !== 'GET' && body.includes(`"holderIdentity":"${holder}"`)),
    );
  }

  /** Waits until one of the replicas leads. */
  async untilLed(): Promise<Replica> {
    await eventually('a leader', async () => (await this.leader().catch(() => undefined)) !== undefined, 20_000);
    return (await this.leader()) as Replica;
  }

  /**
   * What holds after every fault: each replica serves what a fresh controller would, no stream was closed by one that runs, no request
   * failed, every status is there and right.
   */
  async expectAllWell(): Promise<void> {
    await this.#untilRight();
    const fresh = await this.#fresh();
    for (const replica of this.replicas) expect([replica.name, sorted(replica.served())]).toEqual([replica.name, sorted(fresh.served)]);
    expect(fresh.wrongStatuses).toEqual([]);
    expect(fresh.statuses).toBeGreaterThanOrEqual(6);
    await this.expectNothingLost();
  }

  /** No stream was closed by a replica that runs, and no request failed. */
  async expectNothingLost(): Promise<void> {
    for (const replica of this.replicas) {
      const { name, xdsPort } = replica;
      expect([name, replica.running(), await replica.streaming(), this.balancer.lost.get(xdsPort) ?? 0]).toEqual([name, true, true, 0]);
    }
    for (const { failures, sent } of this.traffic) {
      expect(failures.splice(0)).toEqual([]);
      expect(sent).toBeGreaterThan(0);
    }
  }

  /** Gives up after a time: the expectations that follow say what is missing. */
  async #untilRight(): Promise<void> {
    const right = async (): Promise<boolean> => {
      const { served, wrongStatuses } = await this.#fresh();
      const want = JSON.stringify(sorted(served));
      return wrongStatuses.length === 0 && [...this.replicas].every((replica) => JSON.stringify(sorted(replica.served())) === want);
    };
    // A first list may come from a cache of the API server's that lags: only what stays right is right.
    const settled = async (): Promise<boolean> => {
      if (!(await right())) return false;
      await sleep(settleMs);
      return right();
    };
    await eventually('everything to be right', settled, recoveryMs).catch(() => undefined);
  }

  #fresh(): Promise<FreshView> {
    return freshView(this.#kubeconfig, this.#flags);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}

function sorted(versions: ReadonlyMap<string, string>): readonly string[] {
  return Array.from(versions, ([name, version]) => `${name} ${version}`).toSorted();
}
