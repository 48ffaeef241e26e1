import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { loadKubeconfig } from '../../pkg/controller-runtime/client/kubeconfig.ts';
import type { KubeObject, ResourceKind } from '../../pkg/controller-runtime/client/object.ts';
import { Cluster } from '../../pkg/controller-runtime/cluster/cluster.ts';
import type { Controller } from '../../pkg/controller-runtime/controller/controller.ts';
import type { TestEnvironment } from '../../pkg/controller-runtime/envtest/environment.ts';
import { freePorts } from '../../pkg/controller-runtime/envtest/process.ts';
import { type EventObject, eventKind } from '../../pkg/controller-runtime/events/event-object.ts';
import { EventRecorder } from '../../pkg/controller-runtime/events/event-recorder.ts';
import { type Bucket, bucketController, bucketKind, type Storage } from '../../pkg/controller-runtime/examples/bucket.ts';
import { secretUsers } from '../../pkg/controller-runtime/examples/secret-users.ts';
import { leaseKind } from '../../pkg/controller-runtime/leaderelection/lease.ts';
import { Manager } from '../../pkg/controller-runtime/manager/manager.ts';
import { silentLogger } from '../../pkg/util/logger.ts';
import { startApiServer } from '../lib/api-server.ts';
import { eventually } from '../lib/eventually.ts';

const examples = 'pkg/controller-runtime/examples';
const copierFile = `${examples}/config-map-copier.ts`;

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

let environment: TestEnvironment;
let cluster: Cluster;
let stop: AbortController;
let runs: Promise<void>[];
let logged: string[];

beforeAll(async () => {
  environment = await startApiServer({ namespaces: ['shop', 'one', 'two', 'three'] });
}, 150_000);

afterAll(() => environment.stop());

beforeEach(async () => {
  [stop, runs, logged] = [new AbortController(), [], []];
  const info = (fields: object, message: string) => logged.push(`${message} ${JSON.stringify(fields)}`);
  cluster = new Cluster({ credentials: await loadKubeconfig(environment.kubeconfig), log: { ...silentLogger, info } });
});

afterEach(async () => {
  stop.abort();
  await Promise.all(runs);
});

function runInManager(...controllers: readonly Pick<Controller, 'name' | 'run'>[]): void {
  const manager = new Manager({ log: silentLogger });
  manager.add('cache', cluster);
  for (const controller of controllers) manager.add('leader', controller);
  runs.push(manager.run(stop.signal));
}

describe('the ConfigMap copier', () => {
  const kind = () => cluster.scheme.kindOf({ apiVersion: 'v1', kind: 'ConfigMap' });
  const live = () => cluster.client.live;
  const copyIn = async (namespace: string) => (await live().get<ConfigMap>(kind(), { namespace, name: 'settings' }))?.data?.['v'];
  let programs: ChildProcess[] = [];

  /** The example as the program that it is, with no more rights than its text asks for. */
  async function startProgram(
    kubeconfig: string,
  ): Promise<{ readonly program: ChildProcess; readonly port: number; readonly output: () => string }> {
    const [port = 0] = await freePorts(1);
    const env = { ...process.env, KUBECONFIG: kubeconfig, PORT: String(port), NODE_OPTIONS: '' };
    const program = spawn(process.execPath, [copierFile], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    programs.push(program);
    let output = '';
    program.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    return { program, port, output: () => output };
  }

  afterEach(() => {
    for (const program of programs) program.kill('SIGKILL');
    programs = [];
  });

  test('has at most 60 lines, and is the one of the README', () => {
    const text = readFileSync(copierFile, 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
    expect(readFileSync('pkg/controller-runtime/README.md', 'utf8')).toContain(text);
  });

  test('copies, repairs and removes, and hands over at once when it is stopped', async () => {
    const kubeconfig = await environment.addUser('copier', [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch', 'create', 'patch', 'delete'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'watch', 'create', 'update'] },
    ]);
    const first = await startProgram(kubeconfig);
    await eventually('the first leader', () => first.output().includes('became the leader'), 15_000);
    const second = await startProgram(kubeconfig);
    await eventually(
      'the second one to be ready',
      async () => (await fetch(`http://127.0.0.1:${second.port}/readyz`)).status === 200,
      15_000,
    );

    const metadata = { name: 'settings', namespace: 'shop', labels: { 'copy-to': '' }, annotations: { 'copy-to': 'one, two' } };
    await live().create<ConfigMap>(kind(), { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { v: '1' } });
    await eventually('the copies', async () => (await copyIn('one')) === '1' && (await copyIn('two')) === '1');
    await live().patch(kind(), { namespace: 'one', name: 'settings' }, { data: { v: 'spoilt' } });
    await live().delete(kind(), { namespace: 'two', name: 'settings' });
    await eventually('the repaired copies', async () => (await copyIn('one')) === '1' && (await copyIn('two')) === '1');

    first.program.kill('SIGTERM');
    expect(await once(first.program, 'exit')).toEqual([0, null]);
    // Sooner than it would have asked again.
    await eventually('the next leader', () => second.output().includes('became the leader'), 1_500);
    const lease = { namespace: 'default', name: 'config-map-copier' };
    expect(await live().get(leaseKind, lease)).toMatchObject({ spec: { leaseTransitions: 1 } });

    await live().patch(
      kind(),
      { namespace: 'shop', name: 'settings' },
      { metadata: { annotations: { 'copy-to': 'two,three' } }, data: { v: '2' } },
    );
    await eventually('other copies', async () => (await copyIn('two')) === '2' && (await copyIn('three')) === '2');
    await eventually('the end of a copy', async () => (await copyIn('one')) === undefined);
    await live().delete(kind(), { namespace: 'shop', name: 'settings' });
    await eventually('the end of all copies', async () => (await copyIn('two')) === undefined && (await copyIn('three')) === undefined);
    expect(second.output()).not.toContain('"level":"error"');
  }, 50_000);
});

describe('the Bucket', () => {
  const outside = new Map<string, number>();
  const storage: Storage = {
    ensure: async (id, sizeGb) => {
      outside.set(id, sizeGb);
      return `https://storage.example.com/${id}`;
    },
    remove: async (id) => {
      outside.delete(id);
    },
  };

  test('has a status, and goes when what it stands for has gone; its kind may come late', async () => {
    const events = new EventRecorder({
      client: cluster.client.live,
      controller: 'storage.example.com/bucket',
      instance: 'one',
      log: silentLogger,
    });
    runInManager(bucketController({ cluster, storage, events, log: silentLogger }), events);
    await eventually('the missing kind', () => logged.some((line) => line.includes('is not installed')));
    await environment.installCrds(`${examples}/bucket-crd.yaml`);
    await eventually('the kind', () => logged.some((line) => line.includes('the kind is there now')), 15_000);

    const { live } = cluster.client;
    const name = { namespace: 'shop', name: 'photos' };
    const metadata = { ...name };
    await live.create<Bucket>(bucketKind, { apiVersion: 'storage.example.com/v1', kind: 'Bucket', metadata, spec: { sizeGb: 5 } });
    const status = async () => (await live.get<Bucket>(bucketKind, name))?.status;
    await eventually('the status', async () => (await status())?.phase === 'Ready');
    const made = (await live.get<Bucket>(bucketKind, name)) as Bucket;
    expect(made.status).toEqual({ phase: 'Ready', address: `https://storage.example.com/${made.metadata.uid}`, observedGeneration: 1 });
    expect([...outside]).toEqual([[made.metadata.uid, 5]]);

    await live.patch(bucketKind, name, { spec: { sizeGb: 5_000 } });
    await eventually('the refusal', async () => (await status())?.phase === 'Refused');
    expect(await status()).toEqual({ phase: 'Refused', observedGeneration: 2 });
    await eventually('the event', async () => {
      const [event] = await live.list<EventObject>(eventKind, { namespace: 'shop' });
      return event?.reason === 'TooLarge' && event.regarding.uid === made.metadata.uid;
    });

    await live.delete(bucketKind, name);
    await eventually('its end', async () => (await live.get(bucketKind, name)) === undefined);
    expect(outside.size).toBe(0);
  }, 30_000);
});

describe('the users of a Secret', () => {
  let deploymentKind: ResourceKind;
  let secretKind: ResourceKind;

  async function createDeployment(name: string, ...secrets: readonly string[]): Promise<void> {
    const labels = { app: name };
    const envFrom = secrets.map((secret) => ({ secretRef: { name: secret } }));
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'example.com/image', envFrom }] } };
    const spec = { selector: { matchLabels: labels }, template };
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'shop' }, spec };
    await cluster.client.live.create<KubeObject>(deploymentKind, object);
  }

  async function hashOf(name: string): Promise<string | undefined> {
    const found = await cluster.client.live.get<KubeObject & { readonly spec: { readonly template: KubeObject } }>(deploymentKind, {
      namespace: 'shop',
      name,
    });
    return found?.spec.template.metadata.annotations?.['example.com/secrets-hash'];
  }

  test('are started anew when it changes, and nobody else is', async () => {
    deploymentKind = cluster.scheme.kindOf({ apiVersion: 'apps/v1', kind: 'Deployment' });
    secretKind = cluster.scheme.kindOf({ apiVersion: 'v1', kind: 'Secret' });
    const { live } = cluster.client;
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'password', namespace: 'shop' }, stringData: { v: '1' } };
    await live.create<KubeObject>(secretKind, secret);
    await createDeployment('user', 'password');
    await createDeployment('other', 'another');
    await createDeployment('nobody');
    runInManager(secretUsers(cluster, silentLogger));
    await eventually('the hashes', async () => (await hashOf('user')) !== undefined && (await hashOf('other')) !== undefined);
    const [user, other] = [await hashOf('user'), await hashOf('other')];
    expect([await hashOf('nobody'), user === other]).toEqual([undefined, false]);

    await live.patch(secretKind, { namespace: 'shop', name: 'password' }, { stringData: { v: '2' } });
    await eventually('another hash', async () => (await hashOf('user')) !== user);
    await live.patch(secretKind, { namespace: 'shop', name: 'password' }, { stringData: { v: '1' } });
    await eventually('the first hash', async () => (await hashOf('user')) === user);
    expect(await hashOf('other')).toBe(other);
    // Of the Secret, the cache keeps nothing that anybody could read.
    expect(JSON.stringify([...cluster.informer(secretKind).list()])).not.toContain(Buffer.from('1').toString('base64'));
  }, 30_000);
});
