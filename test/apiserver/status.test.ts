import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { kindInfos } from '../../pkg/apis/scheme.ts';
import { Cache } from '../../pkg/controller-runtime/cache/cache.ts';
import type { Informer } from '../../pkg/controller-runtime/cache/informer.ts';
import type { KubeObject, ResourceKind } from '../../pkg/controller-runtime/client/object.ts';
import type { TestEnvironment } from '../../pkg/controller-runtime/envtest/environment.ts';
import { StatusUpdateHandler, type StatusWriteResult } from '../../pkg/controllers/status-update-handler.ts';
import { silentLogger } from '../../pkg/util/logger.ts';
import { startApiServer } from '../lib/api-server.ts';
import { eventually } from '../lib/eventually.ts';
import { type FaultProxy, startFaultProxy, status } from '../lib/fault-proxy.ts';
import { fastClock, plainClient } from '../lib/kubernetes.ts';

interface Proxy extends KubeObject {
  readonly status?: { readonly currentStatus?: string; readonly conditions?: readonly object[]; readonly loadBalancer?: object };
}

const kind = kindInfos.get('HTTPProxy') as ResourceKind;
const collection = '/apis/projectcontour.io/v1/namespaces/shop/httpproxies';

let environment: TestEnvironment;
let proxy: FaultProxy;
let count = 0;
let name: string;
let stop: AbortController;
let runs: Promise<void>[];
let informer: Informer<Proxy>;
let results: StatusWriteResult[];
let logged: string[];
let refusals: string[];

beforeAll(async () => {
  environment = await startApiServer({ namespaces: ['shop'], crds: ['config/crd'] });
  proxy = await startFaultProxy(environment);
}, 150_000);

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await environment.stop();
});

beforeEach(() => {
  name = `proxy-${count++}`;
  [stop, runs, results, logged, refusals] = [new AbortController(), [], [], [], []];
  proxy.rule = undefined;
  proxy.requests.length = 0;
});

afterEach(async () => {
  stop.abort();
  await Promise.all(runs);
});

const send = (method: string, path: string, body: unknown, contentType = 'application/json') =>
  environment.request({ method, path, body, contentType }) as Promise<Proxy>;
const create = () =>
  send('POST', collection, {
    apiVersion: 'projectcontour.io/v1',
    kind: 'HTTPProxy',
    metadata: { name },
    spec: { virtualhost: { fqdn: `${name}.example.com` } },
  });
const read = () => environment.request({ method: 'GET', path: `${collection}/${name}` }) as Promise<Proxy>;
const writes = () => proxy.requests.filter(({ method, path }) => method === 'PATCH' && path.endsWith(`${name}/status`));

/** A handler with its own informer, as the provider has it, not yet leading. */
async function setUp(token?: string): Promise<StatusUpdateHandler> {
  const client = plainClient(proxy.url, fastClock, token);
  const cache = new Cache({ rest: plainClient(proxy.url, fastClock).rest, clock: fastClock, onProblem: () => undefined });
  informer = cache.informer<Proxy>(kind, { namespaces: ['shop'] });
  const line = (fields: object, message: string) =>
    logged.push(`${message} ${JSON.stringify(fields)} ${String((fields as { error?: unknown }).error)}`);
  const handler = new StatusUpdateHandler({
    client,
    fieldManager: 'isoline/test/lease',
    resourceOf: () => kind,
    live: (object) => informer.get(object.namespace, object.name),
    owner: { controllerName: 'ours' },
    clock: fastClock,
    log: { ...silentLogger, warn: line, error: line },
    observer: { wrote: (_, result) => results.push(result), refused: (_, reason) => refusals.push(reason), arrived: () => undefined },
  });
  informer.addHandler((event) => handler.observe(event));
  runs.push(cache.run(stop.signal));
  await informer.synced;
  return handler;
}

const lead = (handler: StatusUpdateHandler) => runs.push(handler.run(stop.signal));

const wanted = (currentStatus: string, generation = 1, more: object = {}) => ({
  object: { kind: 'HTTPProxy', namespace: 'shop', name },
  generation,
  status: {
    conditions: [
      {
        type: 'Valid',
        status: currentStatus === 'valid' ? 'True' : 'False',
        reason: 'R',
        message: 'm',
        observedGeneration: generation,
        ...more,
      },
    ],
    currentStatus,
  },
});

describe('the status update handler', () => {
  test('writes conditions and addresses in one request, and not again', async () => {
    await create();
    const handler = await setUp();
    handler.publishAddresses([{ ip: '192.0.2.7' }]);
    lead(handler);
    handler.want([wanted('valid')]);
    await eventually('our own write to come back', () => results.includes('noop'));
    expect((await read()).status).toMatchObject({
      currentStatus: 'valid',
      conditions: [{ type: 'Valid', status: 'True', lastTransitionTime: expect.stringMatching(/^\d{4}-.*Z$/) }],
      loadBalancer: { ingress: [{ ip: '192.0.2.7' }] },
    });
    handler.want([wanted('valid')]);
    await eventually('another look', () => results.filter((result) => result === 'noop').length === 2);
    expect(writes()).toHaveLength(1);
  });

  test('a follower writes nothing; when it leads it writes what differs', async () => {
    await create();
    const handler = await setUp();
    handler.want([wanted('valid')]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(writes()).toEqual([]);
    lead(handler);
    await eventually('the write', async () => (await read()).status?.currentStatus === 'valid');
    expect(writes()).toHaveLength(1);
  });

  test('the newest wanted status wins over those before it', async () => {
    await create();
    const handler = await setUp();
    for (const each of ['invalid', 'orphaned', 'invalid', 'valid']) handler.want([wanted(each)]);
    lead(handler);
    await eventually('the newest', async () => (await read()).status?.currentStatus === 'valid');
    expect(writes()).toHaveLength(1);
  });

  test('a conflict is tried again with the newer version, and keeps what others wrote (projectcontour/contour#2522)', async () => {
    await create();
    const handler = await setUp();
    const foreign = { type: 'Theirs', status: 'True', reason: 'R', message: 'm', lastTransitionTime: '2020-01-01T00:00:00Z' };
    let first = true;
    proxy.rule = ({ method }) => {
      if (method !== 'PATCH' || !first) return undefined;
      first = false;
      // Somebody else is faster, while our write is on its way.
      void send('PATCH', `${collection}/${name}/status`, { status: { conditions: [foreign] } }, 'application/merge-patch+json');
      return { type: 'delay', delayMs: 200 };
    };
    lead(handler);
    handler.want([wanted('valid')]);
    await eventually('the write', async () => (await read()).status?.currentStatus === 'valid');
    expect(results).toContain('conflict');
    expect((await read()).status?.conditions).toMatchObject([foreign, { type: 'Valid', status: 'True' }]);
  });

  test('a server that fails or is busy gets it later', async () => {
    await create();
    const handler = await setUp();
    const faults = [
      { type: 'answer', status: 500, body: status(500, 'InternalError') },
      { type: 'cut' },
      { type: 'answer', status: 429, headers: { 'retry-after': '1' }, body: status(429, 'TooManyRequests') },
    ] as const;
    let asked = 0;
    proxy.rule = ({ method }) => (method === 'PATCH' ? faults[asked++] : undefined);
    lead(handler);
    handler.want([wanted('valid')]);
    await eventually('the write', async () => (await read()).status?.currentStatus === 'valid');
    expect(writes()).toHaveLength(4);
  });

  test('a status that somebody overwrites is put right', async () => {
    await create();
    const handler = await setUp();
    lead(handler);
    handler.want([wanted('valid')]);
    await eventually('our own write to come back', () => results.includes('noop'));
    await send('PATCH', `${collection}/${name}/status`, { status: { currentStatus: 'theirs' } }, 'application/merge-patch+json');
    await eventually('the repair', async () => writes().length === 2 && (await read()).status?.currentStatus === 'valid');
  });

  test('a status that the server refuses is told with object and field, and not tried again', async () => {
    await create();
    const handler = await setUp();
    lead(handler);
    handler.want([wanted('valid', 1, { status: 'Perhaps' })]);
    await eventually('the refusal', () => results.includes('failed'));
    expect(logged.join()).toContain(name);
    expect(logged.join()).toContain('status.conditions[0].status');
    expect(refusals).toEqual(['Invalid']);
    handler.want([wanted('valid')]);
    await eventually('the next one', async () => (await read()).status?.currentStatus === 'valid');
    expect(writes()).toHaveLength(2);
  });

  test('a status of an older generation is not written', async () => {
    await create();
    await send(
      'PATCH',
      `${collection}/${name}`,
      { spec: { virtualhost: { fqdn: `new-${name}.example.com` } } },
      'application/merge-patch+json',
    );
    const handler = await setUp();
    lead(handler);
    handler.want([wanted('invalid', 1)]);
    handler.want([wanted('valid', 2)]);
    await eventually('the write', async () => (await read()).status?.currentStatus === 'valid');
    expect(writes()).toHaveLength(1);
  });

  test('what we wrote is taken away once when the object is no longer ours, and what others write then stays', async () => {
    await create();
    const handler = await setUp();
    handler.publishAddresses([{ ip: '192.0.2.7' }]);
    lead(handler);
    handler.want([wanted('valid')]);
    await eventually('our own write to come back', () => results.includes('noop'));
    handler.withdraw([wanted('valid')]);
    await eventually('the status to be empty', async () => {
      const { currentStatus, conditions = [], loadBalancer } = (await read()).status ?? {};
      return currentStatus === undefined && conditions.length === 0 && loadBalancer === undefined;
    });
    await send('PATCH', `${collection}/${name}/status`, { status: { currentStatus: 'theirs' } }, 'application/merge-patch+json');
    await eventually('their write', () => informer.get('shop', name)?.status?.currentStatus === 'theirs');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(writes()).toHaveLength(2);
  });

  test('a leader takes away what left while it was a follower', async () => {
    await create();
    const live = {
      conditions: [{ ...wanted('valid').status.conditions[0], lastTransitionTime: '2020-01-01T00:00:00Z' }],
      currentStatus: 'valid',
    };
    await send('PATCH', `${collection}/${name}/status`, { status: live }, 'application/merge-patch+json');
    const handler = await setUp();
    handler.want([wanted('valid')]);
    handler.withdraw([wanted('valid')]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(writes()).toEqual([]);
    lead(handler);
    await eventually('the status to go', async () => (await read()).status?.currentStatus === undefined);
    expect(writes()).toHaveLength(1);
  });

  test('an object that is gone is forgotten', async () => {
    await create();
    const handler = await setUp();
    handler.want([wanted('valid')]);
    await environment.request({ method: 'DELETE', path: `${collection}/${name}` });
    await eventually('the deletion', () => informer.get('shop', name) === undefined);
    lead(handler);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(writes()).toEqual([]);
  });

  test('an object that is made anew between two builds gets what its predecessor had', async () => {
    await create();
    const handler = await setUp();
    lead(handler);
    handler.want([wanted('valid')]);
    await eventually('our own write to come back', () => results.includes('noop'));
    await environment.request({ method: 'DELETE', path: `${collection}/${name}` });
    await create();
    await eventually('the write', async () => (await read()).status?.currentStatus === 'valid');
    expect(writes()).toHaveLength(2);
  });

  test('an object that is made anew does not get the status of a later generation of its predecessor', async () => {
    await create();
    const handler = await setUp();
    lead(handler);
    handler.want([wanted('invalid', 7)]);
    handler.want([wanted('valid', 1)]);
    await eventually('the write', async () => (await read()).status?.currentStatus === 'valid');
    handler.want([wanted('invalid', 7)]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(writes()).toHaveLength(1);
  });

  test('no right to write is told with verb and resource', async () => {
    await create();
    await environment.addUser('reader', [
      { apiGroups: ['projectcontour.io'], resources: ['httpproxies'], verbs: ['get', 'list', 'watch'] },
    ]);
    const { token } = await environment
      .request({
        method: 'POST',
        path: '/api/v1/namespaces/default/serviceaccounts/reader/token',
        body: { spec: {} },
      })
      .then((answer) => (answer as { status: { token: string } }).status);
    const handler = await setUp(token);
    lead(handler);
    handler.want([wanted('valid')]);
    await eventually('the refusal', () => logged.length > 0);
    expect(logged[0]).toContain('no permission for verb "patch" on resource "httpproxies/status" of API group "projectcontour.io"');
    expect(logged[0]).toContain('- {apiGroups: ["projectcontour.io"], resources: ["httpproxies/status"], verbs: ["patch"]}');
    expect(refusals).toEqual(['Forbidden']);
  });
});
