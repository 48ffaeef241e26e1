/** The whole path in this process: objects in, a real gRPC xDS server out, and where wanted a real Envoy behind it. */
import type { Subscription } from 'rxjs';
import { parseAllDocuments } from 'yaml';
import { type KubeObject, keyOf, objectKey } from '../../pkg/apis/meta.ts';
import { loadCel } from '../../pkg/apis/validate.ts';
import type { Config } from '../../pkg/config/config.ts';
import { systemClock } from '../../pkg/controller-runtime/clock/clock.ts';
import { EventHandler } from '../../pkg/controllers/event-handler.ts';
import { ProxyAnswers } from '../../pkg/controllers/proxy-answers.ts';
import { ReferenceGrace } from '../../pkg/controllers/reference-grace.ts';
import type { Change } from '../../pkg/kubernetes-cache/changes.ts';
import { type BuildResult, Pipeline, type PipelineOptions } from '../../pkg/pipeline/pipeline.ts';
import { verifyIncremental } from '../../pkg/pipeline/verify.ts';
import { admitFromFile } from '../../pkg/provider/file/admission.ts';
import { Stamps } from '../../pkg/provider/file/stamps.ts';
import { secretInspector } from '../../pkg/provider/secret-inspector.ts';
import { XdsServer } from '../../pkg/server/xds-server.ts';
import { type LogFields, silentLogger } from '../../pkg/util/logger.ts';
import { Live } from '../../pkg/xds/live.ts';
import { testConfig } from './config.ts';
import { EnvoyProcess, freePort } from './envoy-process.ts';
import { eventually } from './eventually.ts';
import { type Random, seededRandom } from './random.ts';
import { statusSummary, statusText } from './status-summary.ts';
import { XdsClient } from './xds-client.ts';

/** Stands for loopback in EndpointSlices, where an API server takes none. */
const loopbackPlaceholder = '192.0.2.10';

/** The longest hold-off, in milliseconds: each batch waits for another time below it, so that races show. */
const longestHoldOffMs = 20;

export interface ControlPlaneOptions {
  /** Changes to the configuration, whose ports are free ones of loopback. */
  readonly config?: (config: Config) => Partial<Config>;
  /** What stands in YAML as a value `${name}`: certificates, keys, ports. More may be set later. */
  readonly values?: Readonly<Record<string, string | number>>;
  /** As `--reference-grace`, in milliseconds. Default: 0, the truth at once. */
  readonly referenceGraceMs?: number;
}

export class ControlPlane implements AsyncDisposable {
  readonly pipeline: Pipeline;
  /** What stands in YAML for `${name}`. */
  readonly values: Map<string, string | number>;
  readonly ports: { readonly http: number; readonly https: number };
  readonly server: XdsServer;
  /** Every build, in order. */
  readonly builds: BuildResult[] = [];
  readonly config: Config;
  /** Which proxies have what. */
  readonly live: Live;
  readonly #answers: ProxyAnswers;
  readonly #options: PipelineOptions;
  readonly #graceMs: number;
  readonly #stamps = new Stamps();
  readonly #resources = new AsyncDisposableStack();
  readonly #errors: unknown[] = [];
  readonly #random: Random;
  #emitted = 0;
  #built = 0;
  #nowMs = Date.parse('2026-01-01T00:00:00Z');
  #envoy: EnvoyProcess | undefined;

  private constructor(config: Config, { values = {}, referenceGraceMs = 0 }: ControlPlaneOptions) {
    this.config = config;
    this.#graceMs = referenceGraceMs;
    this.#options = { config, secrets: secretInspector(), referenceGrace: referenceGraceMs > 0 };
    this.pipeline = new Pipeline(this.#options);
    this.values = new Map(Object.entries(values));
    this.ports = { http: config.listener.http.port, https: config.listener.https.port };
    this.server = new XdsServer({
      host: '127.0.0.1',
      port: 0,
      tls: 'insecure',
      snapshot: this.pipeline.snapshot,
      logger: silentLogger,
      onAnswer: (stream, type, answer) => this.#answers.answered(stream, type, answer),
      onClosed: (stream) => this.#answers.closed(stream),
    });
    this.live = new Live({ snapshot: this.pipeline.snapshot, streams: () => this.server.streams });
    this.pipeline.snapshot.subscribe((update) => this.live.changed(update, performance.now()));
    this.#answers = new ProxyAnswers({
      pipeline: this.pipeline,
      live: this.live,
      onResult: (result) => this.builds.push(result),
      log: { error: ({ error }, message) => this.#errors.push(error ?? message) },
      nowMs: () => performance.now(),
      later: (call, delayMs) => void setTimeout(call, delayMs).unref(),
    });
    this.#random = seededRandom();
  }

  /** Starts the control plane with some objects in YAML, which are there before the first build. */
  static async start(options: ControlPlaneOptions = {}, yaml = ''): Promise<ControlPlane> {
    await loadCel();
    const [http, https, stats, admin] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
    const plane = new ControlPlane(localConfig(options, { http, https, stats, admin }), options);
    for (const object of plane.read(yaml)) plane.#put(object);
    await plane.#run();
    return plane;
  }

  get envoy(): EnvoyProcess {
    if (this.#envoy === undefined) throw new Error('no Envoy was started');
    return this.#envoy;
  }

  /** Starts an Envoy and waits until it has everything. */
  async startEnvoy(): Promise<EnvoyProcess> {
    this.#envoy = this.#resources.use(await EnvoyProcess.start({ xdsPort: this.server.address.port }));
    await this.#envoy.ready();
    return this.#envoy;
  }

  /** A connection of another client, which is closed with the control plane. */
  client(): XdsClient {
    return this.#resources.use(new XdsClient(`127.0.0.1:${this.server.address.port}`));
  }

  /** The objects of a text as the API server would keep them. @throws {Error} for one that it would not take. */
  read(yaml: string): readonly KubeObject[] {
    return documents(yaml).flatMap((document) => {
      const admitted = admitFromFile(this.#filled(document) as Readonly<Record<string, unknown>>);
      if (!admitted.ok) throw new Error(`${JSON.stringify(document)}: ${JSON.stringify(admitted.faults)}`);
      return admitted.objects;
    });
  }

  /** Adds or replaces objects, and waits until that is built and every client has answered. */
  async apply(yaml: string): Promise<readonly KubeObject[]> {
    const objects = this.read(yaml);
    for (const object of objects) this.#put(object);
    await this.settled();
    return objects;
  }

  /** As `apply`, for objects that get past the API server, such as those that are older than its rules. */
  async applyUnchecked(yaml: string): Promise<readonly KubeObject[]> {
    const objects = documents(yaml).map((document) => this.#filled(document) as KubeObject);
    for (const object of objects) this.#put(object);
    await this.settled();
    return objects;
  }

  /** Removes objects, given as `Kind namespace/name`, and waits as `apply` does. */
  async remove(...ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const { kind, namespace, name } = parseId(id);
      this.#stamps.apply({ key: objectKey(kind, namespace, name), object: undefined }, this.#nowMs);
      this.pipeline.cache.remove(kind, namespace, name);
    }
    await this.settled();
  }

  /** The status of `Kind namespace/name` in short, as `statusSummary` has it. */
  status(id: string): string {
    return statusSummary(this.#statusOf(id));
  }

  /** All messages of a status, in lines. */
  messages(id: string): string {
    return statusText(this.#statusOf(id));
  }

  /** The whole status; `undefined` where nothing is to be written. */
  wanted(id: string): Readonly<Record<string, unknown>> | undefined {
    return this.#statusOf(id);
  }

  /**
   * Waits until every change is built and every client has answered all that it was sent. What was reached change by change must be
   * what a build from scratch gives.
   *
   * @throws {Error} if it is not, if something failed on the way, or if it takes more than 4 s.
   */
  async settled(): Promise<void> {
    await eventually('all changes to be built', () => this.#built >= this.#emitted);
    // The streams are flushed in a microtask; only then is there something to wait for.
    await new Promise((resolve) => setImmediate(resolve));
    const idle = () => this.server.connections().every(({ types }) => [...types.values()].every(({ pending }) => !pending));
    await eventually('every client to answer', idle);
    const [error] = this.#errors;
    if (error !== undefined) throw new Error('the build failed', { cause: error });
    const differences = verifyIncremental(this.pipeline, this.#options);
    if (differences.length > 0) throw new Error(`the incremental build went astray: ${differences.join('; ')}`);
  }

  /** What clients refused, by name. */
  refused(): readonly string[] {
    const types = this.server.connections().flatMap((connection) => [...connection.types.values()]);
    return types.flatMap(({ refused }) => [...refused].map(([name, refusal]) => `${name}: ${JSON.stringify(refusal)}`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }

  async #run(): Promise<void> {
    const { cache } = this.pipeline;
    cache.advance(this.#nowMs);
    const random = this.#random;
    const fail = ({ error }: LogFields, message: string): void => void this.#errors.push(error ?? message);
    const grace = new ReferenceGrace({ cache, holds: () => this.pipeline.holds, graceMs: this.#graceMs, clock: systemClock });
    const handler = new EventHandler({
      changes: cache.changes,
      buildAll: () => this.pipeline.buildAll(),
      build: (batch) => this.#build(batch),
      observers: [(result) => grace.observe(result), (result) => this.#observe(result)],
      synced: Promise.resolve(),
      holdOff: {
        get delayMs() {
          return random.below(longestHoldOffMs);
        },
        maxDelayMs: 5 * longestHoldOffMs,
      },
      clock: systemClock,
      log: { ...silentLogger, error: fail },
    });
    const stop = new AbortController();
    const running = [handler.run(stop.signal), grace.run(stop.signal)];
    await handler.ready;
    const counting: Subscription = cache.changes.subscribe(() => (this.#emitted += 1));
    await this.server.start();
    this.#resources.defer(async () => {
      counting.unsubscribe();
      stop.abort();
      await Promise.all(running);
    });
    this.#resources.use(this.server);
  }

  #build(batch: readonly Change[]): BuildResult {
    try {
      return this.pipeline.build(batch);
    } finally {
      this.#built += batch.length;
    }
  }

  #observe(result: BuildResult): void {
    this.builds.push(result);
    for (const { error } of result.faults) this.#errors.push(error);
  }

  /** Objects come a second apart, so that the older of two is the one that was put first. */
  #put(object: KubeObject): void {
    this.#nowMs += 1000;
    const local = withLoopback(object);
    this.pipeline.cache.apply(this.#stamps.apply({ key: keyOf(local), object: local }, this.#nowMs) ?? local);
  }

  #filled(document: unknown): unknown {
    const fill = (_: string, value: unknown): unknown => {
      const name = typeof value === 'string' ? /^\$\{([^}]+)\}$/.exec(value)?.[1] : undefined;
      if (name === undefined) return value;
      const filled = this.values.get(name);
      if (filled === undefined) throw new Error(`nothing stands for ${String(value)}`);
      return filled;
    };
    return JSON.parse(JSON.stringify(document), fill) as unknown;
  }

  #statusOf(id: string): Readonly<Record<string, unknown>> | undefined {
    const { kind, namespace, name } = parseId(id);
    return this.pipeline.statuses().find(({ object }) => object.kind === kind && object.namespace === namespace && object.name === name)
      ?.status;
  }
}

interface Ports {
  readonly http: number;
  readonly https: number;
  readonly stats: number;
  readonly admin: number;
}

/** Envoy under test has pipes for its output, and cannot open them for an access log. */
function localConfig({ config }: ControlPlaneOptions, { http, https, stats, admin }: Ports): Config {
  const defaults = testConfig();
  const local = testConfig({
    adminPort: admin,
    stats: { address: '127.0.0.1', port: stats },
    health: { address: '127.0.0.1', port: stats },
    listener: {
      ...defaults.listener,
      http: { address: '127.0.0.1', port: http, accessLog: '/dev/null' },
      https: { address: '127.0.0.1', port: https, accessLog: '/dev/null' },
    },
  });
  return { ...local, ...config?.(local) };
}

function withLoopback(object: KubeObject): KubeObject {
  if (object.kind !== 'EndpointSlice') return object;
  const replace = (_: string, value: unknown): unknown => (value === loopbackPlaceholder ? '127.0.0.1' : value);
  return JSON.parse(JSON.stringify(object), replace) as KubeObject;
}

function documents(yaml: string): readonly unknown[] {
  const parsed = parseAllDocuments(yaml);
  if (!Array.isArray(parsed)) return [];
  const values = parsed.map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS() as unknown;
  });
  return values.filter((value) => value !== null);
}

function parseId(id: string): { readonly kind: string; readonly namespace: string; readonly name: string } {
  const [kind = '', path = ''] = id.split(' ');
  const [namespace, name] = path.includes('/') ? path.split('/') : ['', path];
  return { kind, namespace: namespace ?? '', name: name ?? '' };
}
