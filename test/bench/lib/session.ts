import { join } from 'node:path';
import type { BenchCluster } from './bench-cluster.ts';
import { type Driver, type RouteKind, variables } from './driver.ts';
import type { Figures } from './figures.ts';
import type { HostToSweep, Prober } from './prober.ts';
import { Stack } from './stack.ts';
import { StatusWatch } from './status-watch.ts';
import { addressPair, baseName, host, Workload } from './workload.ts';

/** How much a scenario does. */
export interface Settings {
  readonly kind: RouteKind;
  /** Routes that are there all the time. */
  readonly objects: number;
  /** Propagation: changes of each sort. */
  readonly changes: number;
  /** Storm: routes at once. */
  readonly routes: number;
  /** Churn: endpoint changes a second, and for how long. */
  readonly rate: number;
  readonly seconds: number;
}

/** Measures one thing. The controller runs and is at rest before and after it. */
export type Scenario = (session: Session) => Promise<Figures>;

const restMs = 3_000;
const settleLimitMs = 180_000;
const sweepConnections = 4;

export const defaultGateway = ['projectcontour', 'contour'] as const;

/** One controller, started and restarted on a cluster that stays. */
export class Session implements AsyncDisposable {
  readonly cluster: BenchCluster;
  readonly prober: Prober;
  readonly settings: Settings;
  readonly workload: Workload;
  readonly #driver: Driver;
  #stack: Stack | undefined;
  #statuses: StatusWatch | undefined;

  constructor(parts: { cluster: BenchCluster; prober: Prober }, driver: Driver, settings: Settings) {
    [this.cluster, this.prober] = [parts.cluster, parts.prober];
    [this.settings, this.#driver] = [settings, driver];
    this.workload = new Workload(settings.kind, driver.gateway ?? defaultGateway);
  }

  get stack(): Stack {
    if (this.#stack === undefined) throw new Error('the controller was not started');
    return this.#stack;
  }

  get statuses(): StatusWatch {
    if (this.#statuses === undefined) throw new Error('the controller was not started');
    return this.#statuses;
  }

  /** Starts the controller and an Envoy, once more if they run. */
  async start(): Promise<Stack> {
    await this.stop();
    const { directory, kubeconfig } = this.cluster.environment;
    const { kind } = this.settings;
    const dir = join(directory, this.#driver.name);
    await this.cluster.prepare(this.#driver, variables({ dir, kind, kubeconfig }));
    this.#statuses = await StatusWatch.start(this.cluster.environment, this.workload);
    this.#stack = await Stack.start({ driver: this.#driver, kind, kubeconfig, dir });
    return this.#stack;
  }

  /** Waits until all of the base is served, and statuses have been written. */
  async settled(): Promise<void> {
    await this.sweepBase();
    await this.statuses.quiet(restMs, settleLimitMs);
  }

  /** Asks for every host of the base. @throws {Error} if some is not served, or the controller or Envoy ends */
  async sweepBase(): Promise<{ readonly firstMs: number; readonly lastMs: number }> {
    const hosts = Array.from({ length: this.settings.objects }, (_, i): HostToSweep => {
      return { host: host(baseName(i)), wanted: { status: 200, backends: addressPair('base', i) } };
    });
    const swept = await this.prober.sweep({ hosts, connections: sweepConnections, limitMs: settleLimitMs });
    this.stack.controller.check();
    this.stack.envoy.check();
    if (swept.missing > 0) throw new Error(`${swept.missing} of ${hosts.length} hosts are not served`);
    return swept;
  }

  async stop(): Promise<void> {
    await this.#stack?.[Symbol.asyncDispose]();
    await this.#statuses?.[Symbol.asyncDispose]();
    this.#stack = undefined;
    this.#statuses = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
