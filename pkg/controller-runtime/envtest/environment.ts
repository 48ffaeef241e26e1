import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CustomResource, isEstablished, readCustomResources } from './custom-resources.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { freePorts, startProcess, type TestProcess } from './process.ts';
import { type RequestTarget, sendRequest, type TestRequest } from './request.ts';

/** How to start a test environment. */
export interface TestEnvironmentOptions {
  /** Path of the etcd program. */
  readonly etcd: string;
  /** Path of the kube-apiserver program. */
  readonly kubeApiserver: string;
  /** YAML files, or folders of them, with CustomResourceDefinitions to install before the environment is handed out. */
  readonly crds?: readonly string[];
  /** Namespaces to create. */
  readonly namespaces?: readonly string[];
  /** More flags of kube-apiserver; they win over the ones that are set here. */
  readonly apiServerFlags?: readonly string[];
  /** How long etcd and kube-apiserver may take to become ready. Default: 120,000. */
  readonly readyTimeoutMs?: number;
}

/** One rule of a role (`rbac.authorization.k8s.io/v1` PolicyRule). */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** A real API server of one's own, on loopback, without nodes or controllers. Any number may run at a time. */
export interface TestEnvironment extends AsyncDisposable {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  readonly port: number;
  /** A folder for the test's own files; it is removed at the end. */
  readonly directory: string;
  /** Path of a kubeconfig that may do everything. */
  readonly kubeconfig: string;
  /** The certificate to trust, PEM. */
  readonly ca: string;
  /** The bearer token of the administrator. */
  readonly token: string;
  /** Sends a request as the administrator and gives the parsed answer. @throws {TestRequestError} when it is refused */
  request(request: TestRequest): Promise<unknown>;
  /** Installs CustomResourceDefinitions and waits until their kinds are served. */
  installCrds(...paths: readonly string[]): Promise<void>;
  /** Makes a user with the given rights in all namespaces and returns the path of its kubeconfig. */
  addUser(name: string, rules: readonly PolicyRule[]): Promise<string>;
  /** Ends kube-apiserver as a crash would; etcd keeps its data. */
  stopApiServer(): Promise<void>;
  /** Starts kube-apiserver again, on the same port. */
  startApiServer(): Promise<void>;
  /** Makes etcd forget every version but the newest. kube-apiserver goes on from its own memory until it is restarted. */
  compact(): Promise<void>;
  /** Ends both programs and removes the files. May be called twice. */
  stop(): Promise<void>;
}

const adminToken = 'test-administrator';
const attempts = 3;

/**
 * Starts etcd and kube-apiserver and waits until they are ready. Nothing acts on objects: no controller-manager, no
 * garbage collection, and a deleted Namespace stays.
 *
 * @throws if a program does not become ready in time; the message ends with what it wrote last
 */
export async function startTestEnvironment(options: TestEnvironmentOptions): Promise<TestEnvironment> {
  for (let attempt = 1; ; attempt++) {
    const environment = new Environment(options, mkdtempSync(join(tmpdir(), 'envtest-')), await freePorts(3));
    try {
      await environment.start();
      return environment;
    } catch (error) {
      await environment.stop();
      // A port that was free may be taken a moment later.
      if (attempt === attempts || !/address already in use/.test(String(error))) throw error;
    }
  }
}

class Environment implements TestEnvironment {
  readonly directory: string;
  readonly url: string;
  readonly port: number;
  readonly token = adminToken;
  readonly #options: TestEnvironmentOptions;
  readonly #etcdPort: number;
  readonly #peerPort: number;
  readonly #agent = new Agent({ keepAlive: true });
  #etcd: TestProcess | undefined;
  #apiServer: TestProcess | undefined;
  #ca = '';

  constructor(options: TestEnvironmentOptions, directory: string, ports: readonly number[]) {
    this.#options = options;
    this.directory = directory;
    [this.port, this.#etcdPort, this.#peerPort] = ports as [number, number, number];
    this.url = `https://127.0.0.1:${this.port}`;
  }

  get ca(): string {
    return this.#ca;
  }

  get kubeconfig(): string {
    return join(this.directory, 'kubeconfig');
  }

  async start(): Promise<void> {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFileSync(join(this.directory, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
    writeFileSync(join(this.directory, 'sa.key'), privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 });
    writeFileSync(join(this.directory, 'tokens.csv'), `${adminToken},admin,admin,"system:masters"\n`, { mode: 0o600 });
    mkdirSync(join(this.directory, 'certs'));
    this.#etcd = this.#startEtcd();
    await this.startApiServer();
    writeKubeconfig({ path: this.kubeconfig, server: this.url, ca: this.#ca, user: 'admin', token: adminToken });
    for (const name of this.#options.namespaces ?? []) {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      await this.request({ method: 'POST', path: '/api/v1/namespaces', body });
    }
    await this.installCrds(...(this.#options.crds ?? []));
  }

  #startEtcd(): TestProcess {
    const client = `http://127.0.0.1:${this.#etcdPort}`;
    const peer = `http://127.0.0.1:${this.#peerPort}`;
    const args = [
      `--data-dir=${join(this.directory, 'etcd')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      '--unsafe-no-fsync',
    ];
    return startProcess(this.#options.etcd, args, join(this.directory, 'etcd.log'));
  }

  async startApiServer(): Promise<void> {
    const path = (file: string) => join(this.directory, file);
    const args = [
      `--etcd-servers=http://127.0.0.1:${this.#etcdPort}`,
      `--cert-dir=${path('certs')}`,
      `--secure-port=${this.port}`,
      '--bind-address=127.0.0.1',
      // Documentation address: kube-apiserver refuses loopback here, and nobody connects to it.
      '--advertise-address=192.0.2.1',
      '--endpoint-reconciler-type=none',
      '--service-cluster-ip-range=10.0.0.0/16',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${path('sa.pub')}`,
      `--service-account-signing-key-file=${path('sa.key')}`,
      `--token-auth-file=${path('tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--disable-admission-plugins=ServiceAccount',
      '--allow-privileged=true',
      '--profiling=false',
      ...(this.#options.apiServerFlags ?? []),
    ];
    this.#apiServer = startProcess(this.#options.kubeApiserver, args, path('kube-apiserver.log'));
    await this.#untilReady();
  }

  async #untilReady(): Promise<void> {
    const timeoutMs = this.#options.readyTimeoutMs ?? 120_000;
    const deadline = Date.now() + timeoutMs;
    let last = 'no answer';
    while (Date.now() < deadline) {
      for (const program of [this.#etcd, this.#apiServer]) {
        if (program !== undefined && !program.running()) throw new Error(`the API server ended:\n${program.tail()}`);
      }
      try {
        // The server makes its certificate itself when it starts first.
        this.#ca = readFileSync(join(this.directory, 'certs', 'apiserver.crt'), 'utf8');
        await this.request({ method: 'GET', path: '/readyz' });
        return;
      } catch (error) {
        last = String(error);
        await sleep(50);
      }
    }
    throw new Error(`the API server was not ready after ${timeoutMs} ms (${last}):\n${this.#apiServer?.tail() ?? ''}`);
  }

  #target(): RequestTarget {
    return { port: this.port, ca: this.#ca, token: adminToken, agent: this.#agent };
  }

  request(request: TestRequest): Promise<unknown> {
    return sendRequest(this.#target(), request);
  }

  async installCrds(...paths: readonly string[]): Promise<void> {
    const collection = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const resources = paths.flatMap(readCustomResources);
    for (const resource of resources) {
      const path = `${collection}/${resource.metadata.name}?fieldManager=envtest&force=true`;
      await this.request({ method: 'PATCH', path, body: resource, contentType: 'application/apply-patch+yaml' });
    }
    for (const { metadata } of resources) {
      const path = `${collection}/${metadata.name}`;
      while (!isEstablished((await this.request({ method: 'GET', path })) as CustomResource)) await sleep(20);
    }
  }

  async addUser(name: string, rules: readonly PolicyRule[]): Promise<string> {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const metadata = { name };
    await this.request({ method: 'POST', path: accounts, body: { metadata } });
    await this.request({ method: 'POST', path: `${rbac}/clusterroles`, body: { metadata, rules } });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
    const subjects = [{ kind: 'ServiceAccount', namespace: 'default', name }];
    await this.request({ method: 'POST', path: `${rbac}/clusterrolebindings`, body: { metadata, roleRef, subjects } });
    const answer = (await this.request({ method: 'POST', path: `${accounts}/${name}/token`, body: { spec: {} } })) as {
      readonly status: { readonly token: string };
    };
    const path = join(this.directory, `kubeconfig-${name}`);
    return writeKubeconfig({ path, server: this.url, ca: this.#ca, user: name, token: answer.status.token });
  }

  async stopApiServer(): Promise<void> {
    await this.#apiServer?.kill();
    this.#apiServer = undefined;
  }

  async compact(): Promise<void> {
    const ask = async (method: string, body: object): Promise<unknown> => {
      const answer = await fetch(`http://127.0.0.1:${this.#etcdPort}/v3/kv/${method}`, { method: 'POST', body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`etcd ${method}: ${await answer.text()}`);
      return await answer.json();
    };
    const { header } = (await ask('range', { key: btoa('/') })) as { readonly header: { readonly revision: string } };
    await ask('compaction', { revision: header.revision, physical: true });
  }

  async stop(): Promise<void> {
    await this.stopApiServer();
    await this.#etcd?.kill();
    this.#agent.destroy();
    rmSync(this.directory, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
