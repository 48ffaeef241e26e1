/** What the cases run on: an API server, the servers behind Envoy, and for each configuration the controller and an Envoy. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findEnvoy, gatewayApiCrdDir } from '../../../hack/lib/binaries.ts';
import { startApiServer } from '../../lib/api-server.ts';
import { eventually } from '../../lib/eventually.ts';
import { get } from '../../lib/http-client.ts';
import { ask } from './ask.ts';
import { type CallLog, startBackends } from './backends.ts';
import { addresses, type Case, type Command, expandObjects, expandRequest, lastingNamespaces, type Values } from './case.ts';
import type { RequestTools } from './check-request.ts';
import { Cluster } from './cluster.ts';
import { type KeyMaterial, makeKeyMaterial } from './key-material.ts';
import { startNameServer } from './name-server.ts';
import { Program } from './program.ts';

const isoline = new URL('../../../bin/isoline', import.meta.url).pathname;
const contourCrds = new URL('../../../config/crd', import.meta.url).pathname;
const ports = { http: 8080, https: 8443, xds: 18_001, metrics: 18_000, health: 18_005, debug: 16_060, stats: 18_002 } as const;
const environmentVariables = { CONTOUR_NAMESPACE: 'projectcontour' };
const baseNamespace = 'bt-base';

/** Opens both listeners, so that a host that is not known is a 404 or a failed handshake. */
const base: readonly Values[] = [
  {
    kind: 'Secret',
    name: 'base',
    type: 'kubernetes.io/tls',
    stringData: { 'tls.crt': '${pem:default.crt}', 'tls.key': '${pem:default.key}' },
  },
  {
    kind: 'HTTPProxy',
    name: 'base',
    spec: {
      virtualhost: { fqdn: 'base.behaviour', tls: { secretName: 'base' } },
      routes: [{ permitInsecure: true, directResponsePolicy: { statusCode: 200, body: 'base' } }],
    },
  },
];

export class Rig implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly calls: CallLog;
  readonly #material: KeyMaterial;
  readonly #folder: string;
  readonly #stack: AsyncDisposableStack;
  #serveArguments: readonly string[] = [];
  #controller: Program | undefined;
  #envoy: Program | undefined;

  private constructor(cluster: Cluster, calls: CallLog, material: KeyMaterial, stack: AsyncDisposableStack) {
    this.cluster = cluster;
    this.calls = calls;
    this.#material = material;
    this.#folder = cluster.environment.directory;
    this.#stack = stack;
  }

  /** Starts what all configurations share. */
  static async start(): Promise<Rig> {
    await using stack = new AsyncDisposableStack();
    const material = await makeKeyMaterial();
    const calls = stack.use(await startBackends(material));
    stack.use(await startNameServer(addresses[0]));
    // The experimental channel serves the fields and the older versions that cases use.
    const environment = stack.use(await startApiServer({ crds: [contourCrds, gatewayApiCrdDir('experimental')] }));
    const cluster = await Cluster.connect(environment);
    for (const namespace of lastingNamespaces) await cluster.applyNamespace(namespace);
    const gatewayClass = { kind: 'GatewayClass', name: 'gc', spec: { controllerName: 'projectcontour.io/gateway-controller' } };
    for (const object of expandObjects([gatewayClass], '')) await cluster.apply(object);
    return new Rig(cluster, calls, material, stack.move());
  }

  get tools(): RequestTools {
    return { calls: this.calls, target: { ports, material: this.#material } };
  }

  /** Starts the controller and Envoy with the configuration of a case. */
  async serve({ config, flags, bare }: Pick<Case, 'config' | 'flags' | 'bare'>): Promise<void> {
    await this.stop();
    const file = join(this.#folder, 'isoline.yaml');
    await writeFile(file, Object.keys(config).length === 0 ? '' : JSON.stringify(config));
    this.#serveArguments = [...serveArguments(this.cluster.environment.kubeconfig, file), ...flags];
    const wantsBase = !bare && config['gateway'] === undefined;
    const objects = expandObjects(this.fill(base), baseNamespace);
    if (wantsBase) for (const object of objects) await this.cluster.apply(object);
    else for (const { kind, metadata } of objects) await this.cluster.delete({ kind, namespace: baseNamespace, name: metadata.name });
    await this.startController();
    await this.startEnvoy();
    if (wantsBase) await this.#baseServed();
  }

  /** Starts the controller with what it was last started with. */
  async startController(): Promise<void> {
    await this.#controller?.stop();
    const controller = new Program(isoline, ['serve', ...this.#serveArguments], environmentVariables);
    this.#controller = controller;
    const isReady = async (): Promise<boolean> => {
      if (!controller.running) throw new Error(`the controller ended: ${controller.tail}`);
      return (await get({ port: ports.health, host: 'x', path: '/readyz' })).status === 200;
    };
    await eventually('the controller to be ready', isReady).catch((cause: unknown) => {
      throw new Error(`the controller does not get ready: ${controller.tail}`, { cause });
    });
  }

  async startEnvoy(): Promise<void> {
    await this.#envoy?.stop('SIGKILL');
    const folder = await mkdtemp(join(tmpdir(), 'isoline-behaviour-'));
    this.#stack.defer(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'envoy.json');
    const admin = `--admin-address=${join(folder, 'admin.sock')}`;
    const bootstrap = new Program(isoline, ['bootstrap', file, admin, '--xds-address=127.0.0.1', `--xds-port=${ports.xds}`]);
    const limitMs = 20_000;
    if ((await bootstrap.ended(limitMs)) !== 0) throw new Error(`bootstrap failed: ${bootstrap.tail}`);
    const common = ['--service-cluster', 'behaviour', '--service-node', 'envoy-1', '--log-level', 'warning', '--concurrency', '1'];
    const envoy = new Program(findEnvoy(), ['-c', file, ...common, '--disable-hot-restart', '--drain-time-s', '1']);
    this.#envoy = envoy;
    const isReady = async (): Promise<boolean> => {
      if (!envoy.running) throw new Error(`Envoy ended: ${envoy.tail}`);
      return (await get({ port: ports.stats, host: 'x', path: '/ready' })).status === 200;
    };
    await eventually('Envoy to be ready', isReady);
  }

  /** Ends the controller and Envoy. */
  async stop(): Promise<void> {
    await this.#envoy?.stop('SIGKILL');
    await this.#controller?.stop();
    this.#envoy = this.#controller = undefined;
  }

  /** What ended although nobody stopped it, with the last that it said. */
  ended(): readonly string[] {
    const programs = { controller: this.#controller, Envoy: this.#envoy };
    return Object.entries(programs).flatMap(([name, program]) => (program?.running === false ? [`${name} ended: ${program.tail}`] : []));
  }

  /** How many updates Envoy has refused, by statistic. */
  async refusals(): Promise<ReadonlyMap<string, number>> {
    const { body } = await get({ port: ports.stats, host: 'x', path: '/stats?filter=update_rejected' });
    return new Map(
      body
        .split('\n')
        .filter((line) => line.includes(': '))
        .map((line) => line.split(': '))
        .map(([name = '', value]) => [name, Number(value)] as const),
    );
  }

  /** Puts key material and tokens for `${pem:FILE}` and `${jwt:NAME}`, anywhere in a value. Before short forms are expanded: Secrets are encoded then. */
  fill<T>(value: T): T {
    const replaced = (text: string): string =>
      text.replace(/\$\{(pem|jwt):([\w./-]+)\}/g, (_, kind: string, name: string) =>
        this.#material.file(kind === 'jwt' ? `${name}.jwt` : name),
      );
    const reviver = (_: string, item: unknown): unknown => (typeof item === 'string' ? replaced(item) : item);
    return JSON.parse(JSON.stringify(value), reviver) as T;
  }

  /** Runs the program once more, beside the one that serves; gives what is not as the case wants. */
  async run({ args: [name = '', ...args], config, raw, secure, exit, within, output = [] }: Command): Promise<readonly string[]> {
    const file = join(this.#folder, 'command.yaml');
    await writeFile(file, raw ?? (config === undefined ? '' : JSON.stringify(config)));
    const serving = [
      `--kubeconfig=${this.cluster.environment.kubeconfig}`,
      ...['--xds-port=18201', '--http-port=18202', '--health-port=18202', '--debug-http-port=18203'],
      ...['--disable-leader-election', `--config-path=${file}`, ...(secure === true ? [] : ['--insecure'])],
    ];
    const given = args.map((arg) => arg.replaceAll('${out}', join(this.#folder, 'command.json')));
    await using program = new Program(isoline, [name, ...(name === 'serve' ? serving : []), ...given], environmentVariables);
    const code = await program.ended((within ?? (exit === 'running' ? 3 : 15)) * 1000);
    const state = code === undefined ? 'running' : code === 0 ? 'ok' : 'error';
    const wrong = state === exit ? [] : [`${name} ${args.join(' ')}: want ${exit}, got ${state}: ${program.tail}`];
    return [...wrong, ...output.filter((text) => !program.output.includes(text)).map((text) => `no "${text}" in: ${program.tail}`)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#stack.disposeAsync();
  }

  async #baseServed(): Promise<void> {
    const requests = ['base.behaviour/', 'https://base.behaviour/'].map((get) => expandRequest({ get }));
    const served = async (): Promise<boolean> => {
      const results = await Promise.all(requests.map((request) => ask(request, this.tools.target)));
      return results.every(({ status }) => status === 200);
    };
    await eventually('the base host to be served', served).catch((cause: unknown) => {
      throw new Error(`the base host is not served: ${this.#controller?.tail} ${this.#envoy?.tail}`, { cause });
    });
  }
}

function serveArguments(kubeconfig: string, file: string): readonly string[] {
  return [
    ...[`--kubeconfig=${kubeconfig}`, '--insecure', '--xds-address=127.0.0.1', `--xds-port=${ports.xds}`],
    ...['--http-address=127.0.0.1', `--http-port=${ports.metrics}`, '--health-address=127.0.0.1', `--health-port=${ports.health}`],
    ...[`--debug-http-port=${ports.debug}`, '--stats-address=127.0.0.1', `--stats-port=${ports.stats}`],
    ...['--envoy-service-http-address=0.0.0.0', `--envoy-service-http-port=${ports.http}`, '--envoy-http-access-log=/dev/null'],
    ...['--envoy-service-https-address=0.0.0.0', `--envoy-service-https-port=${ports.https}`, '--envoy-https-access-log=/dev/null'],
    ...['--disable-leader-election', '--kubernetes-client-qps=200', '--kubernetes-client-burst=400', `--config-path=${file}`],
  ];
}

/** An object by the short names of cases: `Kind/name` or `Kind/namespace/name`. */
export function referenceOf(text: string, namespace: string): { readonly kind: string; readonly namespace: string; readonly name: string } {
  const [kind = '', ...path] = text.split('/');
  const [first = '', second] = path;
  return second === undefined ? { kind, namespace, name: first } : { kind, namespace: first, name: second };
}
