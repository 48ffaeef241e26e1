import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { isApiError } from '../../pkg/controller-runtime/client/errors.ts';
import { loadKubeconfig } from '../../pkg/controller-runtime/client/kubeconfig.ts';
import type { KubeObject } from '../../pkg/controller-runtime/client/object.ts';
import { systemClock } from '../../pkg/controller-runtime/clock/clock.ts';
import { CachedClient } from '../../pkg/controller-runtime/cluster/cached-client.ts';
import { Cluster, type ClusterOptions } from '../../pkg/controller-runtime/cluster/cluster.ts';
import type { TestEnvironment } from '../../pkg/controller-runtime/envtest/environment.ts';
import { type EventObject, eventKind } from '../../pkg/controller-runtime/events/event-object.ts';
import { EventRecorder } from '../../pkg/controller-runtime/events/event-recorder.ts';
import { Manager } from '../../pkg/controller-runtime/manager/manager.ts';
import { builtInScheme } from '../../pkg/controller-runtime/scheme/scheme.ts';
import { silentLogger } from '../../pkg/util/logger.ts';
import { startApiServer } from '../lib/api-server.ts';
import { eventually } from '../lib/eventually.ts';
import { fastClock } from '../lib/kubernetes.ts';

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}
interface Service extends KubeObject {
  readonly spec: { readonly type: string; readonly ports: readonly { readonly port: number; readonly name?: string }[] };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly { readonly ip: string }[] } };
}

const scheme = builtInScheme();
const configMapKind = scheme.kindOf({ apiVersion: 'v1', kind: 'ConfigMap' });
const secretKind = scheme.kindOf({ apiVersion: 'v1', kind: 'Secret' });
const serviceKind = scheme.kindOf({ apiVersion: 'v1', kind: 'Service' });

let environment: TestEnvironment;
let count = 0;
let namespace: string;
let stop: AbortController;
let runs: Promise<void>[];
let logged: string[];

beforeAll(async () => {
  environment = await startApiServer({ namespaces: ['elsewhere'] });
}, 150_000);

afterAll(() => environment.stop());

beforeEach(async () => {
  namespace = `test-${count++}`;
  [stop, runs, logged] = [new AbortController(), [], []];
  await environment.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
});

afterEach(async () => {
  stop.abort();
  await Promise.all(runs);
});

async function clusterOf(options: Partial<ClusterOptions> = {}, kubeconfig = environment.kubeconfig): Promise<Cluster> {
  const line = (fields: object, message: string) => logged.push(`${message}: ${String((fields as { error?: unknown }).error)}`);
  const log = { ...silentLogger, error: line };
  return new Cluster({ credentials: await loadKubeconfig(kubeconfig), log, scheme, ...options });
}

/** A cluster that runs in a manager, as in a program. */
async function running(options: Partial<ClusterOptions> = {}, kubeconfig?: string): Promise<Cluster> {
  const cluster = await clusterOf(options, kubeconfig);
  const manager = new Manager({ log: silentLogger, clock: systemClock });
  manager.add('cache', cluster);
  runs.push(manager.run(stop.signal));
  await cluster.ready;
  return cluster;
}

const configMap = (
  name: string,
  data: Readonly<Record<string, string>> = {},
  labels: Readonly<Record<string, string>> = {},
): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels },
  data,
});
const service = (name: string): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: { type: 'LoadBalancer', ports: [{ port: 80, name: 'http' }] },
});
const named = (name: string) => ({ namespace, name });
const names = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name).toSorted();

describe('reads', () => {
  test('of a kind that nobody asked for before begin to watch it', async () => {
    const { client, cache } = await running();
    await client.create(configMapKind, configMap('a', { v: '1' }));
    expect(cache.informers()).toEqual([]);
    expect(await client.get<ConfigMap>(configMapKind, named('a'))).toMatchObject({ kind: 'ConfigMap', data: { v: '1' } });
    expect(await client.get(configMapKind, named('missing'))).toBeUndefined();
    await client.create(configMapKind, configMap('b'));
    await eventually('the new object', async () => (await client.get(configMapKind, named('b'))) !== undefined);
    expect(cache.informers().map(({ kind }) => kind)).toEqual([configMapKind]);
  });

  test('find objects by namespace, labels and index', async () => {
    const { client, ...cluster } = await running();
    const { cache } = cluster;
    const informer = cache.informer<ConfigMap>(configMapKind);
    informer.addIndex('tier', ({ data = {} }) => (data['tier'] === undefined ? [] : [data['tier']]));
    for (const [name, tier] of [
      ['a', 'front'],
      ['b', 'front'],
      ['c', 'back'],
    ] as const) {
      await client.create(configMapKind, configMap(name, { tier }, { app: name }));
    }
    await client.create<ConfigMap>(configMapKind, {
      ...configMap('a', { tier: 'front' }),
      metadata: { name: `a-${namespace}`, namespace: 'elsewhere' },
    });
    const front = { name: 'tier', value: 'front' };
    await eventually('all of them', async () => (await client.list(configMapKind, { index: front })).length === 3);
    expect(names(await client.list(configMapKind, { namespace, index: front }))).toEqual(['a', 'b']);
    expect(names(await client.list(configMapKind, { namespace, labelSelector: 'app in (a, c)' }))).toEqual(['a', 'c']);
    expect(names(await client.list(configMapKind, { namespace, index: front, labelSelector: 'app!=a' }))).toEqual(['b']);

    await client.patch(configMapKind, named('a'), { data: { tier: 'back' } });
    await client.delete(configMapKind, named('b'));
    await client.patch(configMapKind, named('c'), { data: { tier: null } });
    await eventually(
      'the changes',
      () => informer.byIndex('tier', 'front').length === 1 && informer.get(namespace, 'c')?.data === undefined,
    );
    expect(names(await client.list(configMapKind, { namespace, index: { name: 'tier', value: 'back' } }))).toEqual(['a']);

    informer.addIndex('keys', ({ data = {} }) => Object.keys(data));
    expect(names(informer.byIndex('keys', 'tier')).filter((name) => name.length === 1)).toEqual(['a']);
    expect(() => informer.byIndex('colour', 'red')).toThrow('ConfigMap has no index "colour"');
    expect(() => informer.addIndex('keys', () => [])).toThrow('ConfigMap has another index "keys" already');
  });

  test('are refused for namespaces that are not watched, and before anything runs', async () => {
    const { client } = await running({ namespaces: [namespace] });
    await client.create(configMapKind, configMap('a'));
    expect(names(await client.list(configMapKind))).toContain('a');
    await expect(client.get(configMapKind, { namespace: 'elsewhere', name: 'a' })).rejects.toThrow('namespace "elsewhere" is not watched');
    const idle = await clusterOf();
    await expect(idle.client.get(configMapKind, named('a'))).rejects.toThrow('before the cache runs');
  });

  test('that are not allowed say which line of a Role is missing', async () => {
    const kubeconfig = await environment.addUser(`reader-${count}`, [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] },
    ]);
    const cluster = await running({}, kubeconfig);
    expect(await cluster.client.get(configMapKind, named('none'))).toBeUndefined();
    const impatient = new CachedClient({ cache: cluster.cache, live: cluster.client.live, syncTimeoutMs: 500 });
    const refused = impatient.get(secretKind, named('none'));
    await expect(refused).rejects.toThrow('Secret could not be read from the API server within 500 ms');
    await expect(refused).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/gives it: - \{apiGroups: \[""\], resources: \["secrets"\], verbs: \["(list|watch)"\]\}$/) },
    });
    expect(logged.filter((line) => line.includes('secrets'))).toHaveLength(1);
  });

  test('end with their signal', async () => {
    const kubeconfig = await environment.addUser(`nobody-${count}`, []);
    const { client } = await running({}, kubeconfig);
    await expect(client.get(secretKind, named('none'), { signal: AbortSignal.timeout(50) })).rejects.toThrow('timeout');
  });
});

describe('writes', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await running();
    await cluster.client.create(serviceKind, service('web'));
  });
  const read = () => cluster.client.live.get<Service>(serviceKind, named('web'));

  test('change objects by every kind of patch', async () => {
    const { client } = cluster;
    await client.patch(serviceKind, named('web'), { metadata: { labels: { a: '1' } } });
    await client.patch(serviceKind, named('web'), [{ op: 'add', path: '/metadata/labels/b', value: '2' }], { type: 'json' });
    // Ports are merged by their number.
    await client.patch(serviceKind, named('web'), { spec: { ports: [{ port: 81, name: 'more' }] } }, { type: 'strategic' });
    expect(await read()).toMatchObject({
      metadata: { labels: { a: '1', b: '2' } },
      spec: { ports: expect.arrayContaining([expect.objectContaining({ port: 80 }), expect.objectContaining({ port: 81 })]) },
    });
  });

  test('apply what one manager wants, and respect what others do', async () => {
    const { client } = cluster;
    const wanted = (data: Readonly<Record<string, string>>): ConfigMap => ({ ...configMap('applied', data) });
    await client.apply(configMapKind, wanted({ a: '1', b: '1' }), { fieldManager: 'first' });
    const applied = await client.apply(configMapKind, wanted({ a: '1' }), { fieldManager: 'first' });
    expect(applied.data).toEqual({ a: '1' });
    const dispute = client.apply(configMapKind, wanted({ a: '2' }), { fieldManager: 'second' });
    await expect(dispute).rejects.toMatchObject({ reason: 'Conflict' });
    expect(await client.apply(configMapKind, wanted({ a: '2' }), { fieldManager: 'second', force: true })).toMatchObject({
      data: { a: '2' },
    });
  });

  test('reach the status apart from the rest', async () => {
    const { client } = cluster;
    await client.patchStatus(serviceKind, named('web'), { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } });
    const found = (await read()) as Service;
    expect(found.status?.loadBalancer?.ingress).toMatchObject([{ ip: '192.0.2.1' }]);
    const changed = { ...found, spec: { ...found.spec, ports: [] }, status: { loadBalancer: { ingress: [{ ip: '192.0.2.2' }] } } };
    await client.updateStatus(serviceKind, changed);
    expect(await read()).toMatchObject({
      spec: { ports: [{ port: 80 }] },
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.2' }] } },
    });
  });

  test('fail in ways that have a type', async () => {
    const { client } = cluster;
    await expect(client.create(serviceKind, service('web'))).rejects.toMatchObject({ reason: 'AlreadyExists' });
    await expect(client.patch(serviceKind, named('none'), {})).rejects.toMatchObject({ reason: 'NotFound' });
    const old = (await read()) as Service;
    await client.patch(serviceKind, named('web'), { metadata: { labels: { a: '1' } } });
    await expect(client.update(serviceKind, old)).rejects.toMatchObject({ reason: 'Conflict' });
    const invalid = client.patch(serviceKind, named('web'), { spec: { ports: [{ port: 70_000 }] } });
    await expect(invalid).rejects.toMatchObject({
      reason: 'Invalid',
      causes: expect.arrayContaining([
        { reason: 'FieldValueInvalid', field: 'spec.ports[0].port', message: expect.stringContaining('between 1 and 65535') },
      ]),
    });
  });

  test('remove the object that is meant, and no other of its name', async () => {
    const { client } = cluster;
    const conflict = client.delete(serviceKind, named('web'), { uid: '00000000-0000-0000-0000-000000000000' });
    await expect(conflict).rejects.toMatchObject({ reason: 'Conflict' });
    const { uid = '' } = (await read())?.metadata ?? {};
    await client.delete(serviceKind, named('web'), { uid, propagationPolicy: 'Background' });
    expect(await read()).toBeUndefined();
    await client.delete(serviceKind, named('web'));
  });

  test('that are not allowed name verb, resource and the line of a Role', async () => {
    const kubeconfig = await environment.addUser(`writer-${count}`, []);
    const { client } = await clusterOf({}, kubeconfig);
    const error: unknown = await client.patchStatus(serviceKind, named('web'), {}).catch((refused) => refused);
    expect(isApiError(error, 'Forbidden')).toBe(true);
    expect(String(error)).toMatch(/no permission for verb "patch" on resource "services\/status" of API group ""/);
    expect(String(error)).toMatch(/- \{apiGroups: \[""\], resources: \["services\/status"\], verbs: \["patch"\]\}$/);
  });
});

test('events of an object are written, and counted where they repeat', async () => {
  const { client } = await running();
  const found = await client.create(configMapKind, configMap('a'));
  const recorder = new EventRecorder({
    client: client.live,
    controller: 'example.com/test',
    instance: 'one',
    clock: fastClock,
    log: silentLogger,
    writeEveryMs: 1_000,
  });
  runs.push(recorder.run(stop.signal));
  const occurrence = { type: 'Warning', reason: 'TooSmall', action: 'Grow', note: 'it is too small' } as const;
  recorder.record(found, occurrence);
  const events = () => client.live.list<EventObject>(eventKind, { namespace });
  await eventually('the event', async () => (await events()).length === 1);
  recorder.record(found, occurrence);
  recorder.record(found, occurrence);
  await eventually('the series', async () => (await events())[0]?.series?.count === 3);
  expect(await events()).toMatchObject([{ ...occurrence, regarding: { kind: 'ConfigMap', name: 'a', uid: found.metadata.uid } }]);
  // What `kubectl describe` reads is the old form of the same object.
  const core = (await environment.request({ method: 'GET', path: `/api/v1/namespaces/${namespace}/events` })) as { items: unknown[] };
  expect(core.items).toMatchObject([{ reason: 'TooSmall', message: 'it is too small', involvedObject: { kind: 'ConfigMap', name: 'a' } }]);
});
