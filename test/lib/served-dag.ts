/** A DAG that is translated and served to a real Envoy, with backends that tell what reached them. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EndpointSlice } from '../../pkg/apis/discovery/v1/endpoint-slice.ts';
import type { Config } from '../../pkg/config/config.ts';
import { XdsServer } from '../../pkg/server/xds-server.ts';
import { silentLogger } from '../../pkg/util/logger.ts';
import { Quarantine, type QuarantineEffects } from '../../pkg/xdscache/quarantine/quarantine.ts';
import { Snapshot } from '../../pkg/xdscache/snapshot.ts';
import { createXdsCache, type XdsCache } from '../../pkg/xdscache/xds-cache.ts';
import { testConfig } from './config.ts';
import { endpointSlice, TestDag } from './dag.ts';
import { EnvoyProcess, freePort } from './envoy-process.ts';
import { eventually } from './eventually.ts';

type DagStep = Parameters<TestDag['change']>[0];

export interface Ports {
  readonly http: number;
  readonly https: number;
  readonly tcp: number;
}

export class ServedDag implements AsyncDisposable {
  readonly ports: Ports;
  readonly server: XdsServer;
  readonly snapshot: Snapshot;
  readonly #dag = new TestDag();
  readonly #cache: XdsCache;
  readonly #backends: Server[] = [];
  readonly #resources = new AsyncDisposableStack();
  #envoy: EnvoyProcess | undefined;

  /** Present where refusals are kept from others. */
  readonly quarantine: Quarantine | undefined;

  private constructor(ports: Ports, cache: XdsCache, { quarantined }: { readonly quarantined: boolean }) {
    this.snapshot = quarantined ? new Snapshot((update) => this.quarantine?.guard(update) ?? update) : new Snapshot();
    this.quarantine = quarantined ? new Quarantine(this.snapshot) : undefined;
    const { snapshot } = this;
    this.ports = ports;
    this.#cache = cache;
    this.server = new XdsServer({
      host: '127.0.0.1',
      port: 0,
      tls: 'insecure',
      snapshot,
      logger: silentLogger,
      onAnswer: (stream, type, answer) => {
        if (answer.kind === 'refused' && answer.searching) return;
        const common = { stream, node: stream.node?.id ?? '', source: stream.source, type, sent: answer.sent };
        const refused = answer.kind === 'refused' && { refused: { names: answer.names, message: answer.error.message } };
        this.#apply(this.quarantine?.answered({ ...common, ...refused }));
      },
    });
  }

  /** A control plane that listens, without Envoy. */
  static async start(
    change: (config: Config) => Partial<Config> = () => ({}),
    options: { readonly quarantined: boolean } = { quarantined: false },
  ): Promise<ServedDag> {
    const [http, https, tcp, stats] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
    const fixed = testConfig({ adminPort: 0, stats: { address: '127.0.0.1', port: stats }, health: { address: '127.0.0.1', port: stats } });
    const logging = { ...fixed.logging, level: 'disabled' } as const;
    const config = { ...fixed, logging, ...change(fixed) };
    const served = new ServedDag({ http, https, tcp }, createXdsCache(config), options);
    await served.server.start();
    served.#resources.use(served.server);
    return served;
  }

  get envoy(): EnvoyProcess {
    if (this.#envoy === undefined) throw new Error('no Envoy was started');
    return this.#envoy;
  }

  /** Starts an Envoy and waits until it has everything. */
  async startEnvoy(change?: (bootstrap: Record<string, unknown>) => void): Promise<void> {
    this.#envoy = await EnvoyProcess.start({ xdsPort: this.server.address.port }, change);
    this.#resources.use(this.#envoy);
    await this.#envoy.ready();
  }

  /**
   * A backend for a Service of the namespace `ns`: it answers with its name, and the path and headers that it got; after `wait`
   * milliseconds if the query says so.
   */
  async backend(service: string): Promise<void> {
    const server = createServer((request, response) => {
      const answer = () => response.setHeader('x-backend', service).end(JSON.stringify({ service, path: request.url, ...request.headers }));
      setTimeout(answer, Number(new URL(request.url ?? '/', 'http://backend').searchParams.get('wait') ?? 0));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.#backends.push(server);
    const { port } = server.address() as AddressInfo;
    this.endpoints(endpointSlice(service, ['127.0.0.1'], { ports: [{ name: '', port, protocol: 'TCP' }] }));
  }

  endpoints(slice: EndpointSlice): void {
    this.#cache.applyEndpointSlice(undefined, slice);
    this.snapshot.apply(this.#cache.takeEndpoints());
  }

  change(step: DagStep): void {
    const wanted = this.#dag.change(step);
    const changes = this.quarantine?.filter(wanted) ?? wanted;
    this.snapshot.apply(this.#cache.update(this.quarantine?.served(this.#dag, changes) ?? this.#dag, changes));
  }

  #apply(effects: QuarantineEffects | undefined): void {
    if (effects === undefined) return;
    const { hosts, resources } = effects;
    const none = this.#dag.change({});
    if (hosts.length > 0) this.snapshot.apply(this.#cache.update(this.#dag, { ...none, virtualHosts: hosts }));
    if (resources.size > 0) this.snapshot.apply(resources);
  }

  /** Changes the DAG and waits until every proxy has accepted all of it. */
  async changed(step: DagStep): Promise<void> {
    this.change(step);
    await this.accepted();
  }

  async accepted(): Promise<void> {
    // The stream is flushed in a microtask; only then is there something to wait for.
    await new Promise((resolve) => setImmediate(resolve));
    const idle = () => this.server.connections().every(({ types }) => [...types.values()].every(({ pending }) => !pending));
    await eventually('envoy to accept the change', idle);
  }

  /** What Envoy refused, by name. */
  refused(): readonly string[] {
    return this.server
      .connections()
      .flatMap(({ types }) =>
        [...types.values()].flatMap(({ refused }) => [...refused].map(([name, refusal]) => `${name}: ${JSON.stringify(refusal)}`)),
      );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
    for (const server of this.#backends) {
      server.closeAllConnections();
      server.close();
    }
  }
}
