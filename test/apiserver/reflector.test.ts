import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Cache } from '../../pkg/controller-runtime/cache/cache.ts';
import type { Informer, InformerOptions } from '../../pkg/controller-runtime/cache/informer.ts';
import type { ReflectorProblem } from '../../pkg/controller-runtime/cache/reflector.ts';
import type { KubeObject, ResourceKind } from '../../pkg/controller-runtime/client/object.ts';
import type { TestEnvironment } from '../../pkg/controller-runtime/envtest/environment.ts';
import { startApiServer } from '../lib/api-server.ts';
import { eventually } from '../lib/eventually.ts';
import { type Fault, type FaultProxy, type ProxiedRequest, startFaultProxy, status } from '../lib/fault-proxy.ts';
import { fastClock, plainClient } from '../lib/kubernetes.ts';

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const configMapKind: ResourceKind = { kind: 'ConfigMap', group: '', version: 'v1', plural: 'configmaps', namespaced: true };
const widgetKind: ResourceKind = { kind: 'Widget', group: 'example.com', version: 'v1', plural: 'widgets', namespaced: true };

let environment: TestEnvironment;
let proxy: FaultProxy;
let namespaceCount = 0;
let namespace: string;
let stop: AbortController;
let run: Promise<void> | undefined;
let events: string[];
let problems: ReflectorProblem[];

beforeAll(async () => {
  environment = await startApiServer({ namespaces: ['elsewhere'] });
  proxy = await startFaultProxy(environment);
}, 150_000);

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await environment.stop();
});

beforeEach(async () => {
  namespace = `test-${namespaceCount++}`;
  [stop, run, events, problems] = [new AbortController(), undefined, [], []];
  proxy.rule = undefined;
  proxy.requests.length = 0;
  await environment.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
});

afterEach(async () => {
  stop.abort();
  await run;
});

function watchKind(
  kind: ResourceKind = configMapKind,
  options: InformerOptions<ConfigMap> = { namespaces: [namespace] },
): Informer<ConfigMap> {
  const cache = new Cache({
    rest: plainClient(proxy.url, fastClock).rest,
    clock: fastClock,
    random: () => 0,
    onProblem: (problem) => problems.push(problem),
  });
  const informer = cache.informer<ConfigMap>(kind, options);
  informer.addHandler((event) => {
    const old = event.type === 'update' ? `${event.old.data?.['v']}->` : '';
    events.push(`${event.type} ${event.object.metadata.name} ${old}${event.object.data?.['v']}`);
  });
  run = cache.run(stop.signal);
  return informer;
}

const configMap = (name: string, v: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data: { v },
});
const create = (name: string, v: string) =>
  environment.request({ method: 'POST', path: `/api/v1/namespaces/${namespace}/configmaps`, body: configMap(name, v) });
const change = (name: string, v: string) =>
  environment.request({
    method: 'PATCH',
    path: `/api/v1/namespaces/${namespace}/configmaps/${name}`,
    body: { data: { v } },
    contentType: 'application/merge-patch+json',
  });
const remove = (name: string) => environment.request({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}/configmaps/${name}` });
const told = (...want: readonly string[]) =>
  eventually(`${want.join(', ')}; told: ${events.join(', ')}`, () => events.join() === want.join());
const lists = () => proxy.requests.filter(({ path, watch }) => path.endsWith('/configmaps') && !watch);
const watches = () =>
  proxy.requests.filter(({ path, watch, query }) => path.endsWith('/configmaps') && watch && !query.has('sendInitialEvents'));
const watching = () => eventually('an open watch', () => proxy.openWatches('/configmaps') > 0);

describe('a reflector', () => {
  test('tells of what is there, then of each change with the version before', async () => {
    await create('a', '1');
    const informer = watchKind();
    await informer.synced;
    expect(events).toEqual(['add a 1']);
    await create('b', '1');
    await change('a', '2');
    await remove('b');
    await told('add a 1', 'add b 1', 'update a 1->2', 'delete b 1');
    expect(informer.get(namespace, 'a')).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { v: '2' } });
    expect(problems).toEqual([]);
  });

  test('goes on where it was when a watch is cut, and reads no list again', async () => {
    for (const name of ['a', 'b']) await create(name, '1');
    await watchKind().synced;
    await watching();
    const listed = lists().length;
    proxy.rule = ({ watch }) => (watch ? { type: 'cut' } : undefined);
    proxy.cutWatches('/configmaps');
    await change('a', '2');
    await remove('b');
    await create('c', '1');
    proxy.rule = undefined;
    await told('add a 1', 'add b 1', 'update a 1->2', 'delete b 1', 'add c 1');
    expect(lists()).toHaveLength(listed);
  });

  test('reads the list again when the server has forgotten the version, and tells of what it missed', async () => {
    for (const name of ['a', 'b', 'c']) await create(name, '1');
    await watchKind().synced;
    await watching();
    let refusals = 1;
    proxy.rule = ({ watch }) => (watch && refusals-- > 0 ? { type: 'answer', status: 410, body: status(410, 'Expired') } : undefined);
    proxy.cutWatches('/configmaps');
    await change('a', '2');
    await remove('b');
    await eventually('the missed events', () => events.length === 5);
    expect(events.slice(3).toSorted()).toEqual(['delete b 1', 'update a 1->2']);
  });

  test('takes an error line of the watch as the answer that it is', async () => {
    await create('a', '1');
    await watchKind().synced;
    await watching();
    const listed = lists().length;
    proxy.cutWatches('/configmaps', `${JSON.stringify({ type: 'ERROR', object: status(410, 'Gone') })}\n`);
    await eventually('another list', () => lists().length > listed);
    await change('a', '2');
    await told('add a 1', 'update a 1->2');
  });

  test('reports a line that it cannot read, and asks for what the line may have said', async () => {
    await create('a', '1');
    await watchKind().synced;
    await watching();
    proxy.cutWatches('/configmaps', '{"type":"MODIFIED","object":\n');
    await change('a', '2');
    await told('add a 1', 'update a 1->2');
    expect(problems.map((problem) => problem.type === 'retry' && String(problem.error))).toEqual([
      expect.stringContaining('a line of the watch cannot be parsed: {"type":"MODIFIED"'),
    ]);
  });

  test('takes half a line before a cut for nothing', async () => {
    await create('a', '1');
    await watchKind().synced;
    await watching();
    const listed = lists().length;
    proxy.cutWatches('/configmaps', '{"type":"DELETED","object":{"meta');
    await change('a', '2');
    await told('add a 1', 'update a 1->2');
    expect(lists()).toHaveLength(listed);
  });

  test('resumes from the version of a bookmark', async () => {
    await watchKind().synced;
    await watching();
    const made = (await environment.request({
      method: 'POST',
      path: '/api/v1/namespaces/elsewhere/configmaps',
      body: { metadata: { name: namespace } },
    })) as KubeObject;
    const resourceVersion = made.metadata.resourceVersion;
    const bookmark = { type: 'BOOKMARK', object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion } } };
    proxy.cutWatches('/configmaps', `${JSON.stringify(bookmark)}\n`);
    await eventually('another watch', () => watches().length > 1);
    expect(watches().at(-1)?.query.get('resourceVersion')).toBe(resourceVersion);
    expect(watches().at(-1)?.query.get('allowWatchBookmarks')).toBe('true');
  });

  test('waits as long as a busy server asks for, and reads slow lists', async () => {
    await create('a', '1');
    const faults = [
      { type: 'answer', status: 429, headers: { 'retry-after': '7' }, body: status(429, 'TooManyRequests') },
      { type: 'answer', status: 500, body: status(500, 'InternalError') },
      { type: 'delay', delayMs: 100 },
    ] as const;
    let asked = 0;
    proxy.rule = ({ watch, query }) => (watch && !query.has('sendInitialEvents') ? undefined : faults[asked++]);
    await watchKind().synced;
    await told('add a 1');
    expect(asked).toBeGreaterThanOrEqual(3);
  });

  test('goes on after the API server was away', async () => {
    await create('a', '1');
    await watchKind().synced;
    await watching();
    await environment.stopApiServer();
    await environment.startApiServer();
    await change('a', '2');
    await eventually('the change', () => events.includes('update a 1->2'), 20_000);
  }, 60_000);
});

describe('a list that is not streamed', () => {
  const expired = { type: 'answer', status: 410, body: status(410, 'Expired') } as const;
  /** This is the way for servers that do not stream lists. */
  const noStreams = ({ query }: ProxiedRequest): Fault | undefined =>
    query.has('sendInitialEvents') ? { type: 'answer', status: 422, body: status(422, 'Invalid') } : undefined;
  const asked = () => lists().map(({ query }) => [query.get('limit'), query.get('resourceVersion'), query.has('continue')]);

  test('comes from the cache first; later ones page by page, and in one piece if the server forgets it in between', async () => {
    const names = Array.from({ length: 1_100 }, (_, i) => `m${i}`);
    for (let i = 0; i < names.length; i += 50) await Promise.all(names.slice(i, i + 50).map((name) => create(name, '1')));
    proxy.rule = noStreams;
    const informer = watchKind();
    await informer.synced;
    await watching();
    expect(informer.size).toBe(1_100);
    expect(asked()).toEqual([['500', '0', false]]);

    let forgotten = 3;
    proxy.rule = (request) => {
      const isWatch = request.watch && !request.query.has('sendInitialEvents');
      // The watch is refused at first, then the second page of the list.
      if ((isWatch && forgotten === 3) || (request.query.has('continue') && forgotten === 1)) {
        forgotten--;
        return expired;
      }
      if (request.query.has('continue') && forgotten === 2) forgotten--;
      return noStreams(request);
    };
    proxy.requests.length = 0;
    proxy.cutWatches('/configmaps');
    await remove('m7');
    await eventually('the missed deletion', () => events.at(-1) === 'delete m7 1');
    expect(asked()).toEqual([
      ['500', null, false],
      ['500', null, true],
      ['500', null, true],
      [null, null, false],
    ]);
    expect(events).toHaveLength(1_101);
  }, 60_000);
});

describe('what is selected', () => {
  test('namespaces are listed and watched one by one', async () => {
    await create('a', '1');
    await environment.request({
      method: 'POST',
      path: '/api/v1/namespaces/elsewhere/configmaps',
      body: { metadata: { name: `x-${namespace}` }, data: { v: '0' } },
    });
    const informer = watchKind(configMapKind, { namespaces: [namespace, 'elsewhere'], fieldSelector: `metadata.name!=kube-root-ca.crt` });
    await informer.synced;
    expect(events).toEqual(expect.arrayContaining(['add a 1', `add x-${namespace} 0`]));
    expect(informer.get('elsewhere', `x-${namespace}`)?.data).toEqual({ v: '0' });
    expect(new Set(lists().map(({ path }) => path))).toEqual(
      new Set([namespace, 'elsewhere'].map((name) => `/api/v1/namespaces/${name}/configmaps`)),
    );
  });

  test('an object that leaves the selection is told as deleted', async () => {
    await create('a', '1');
    await environment.request({
      method: 'PATCH',
      path: `/api/v1/namespaces/${namespace}/configmaps/a`,
      body: { metadata: { labels: { app: 'x' } } },
      contentType: 'application/merge-patch+json',
    });
    await watchKind(configMapKind, { namespaces: [namespace], labelSelector: 'app=x' }).synced;
    await environment.request({
      method: 'PATCH',
      path: `/api/v1/namespaces/${namespace}/configmaps/a`,
      body: { metadata: { labels: { app: 'y' } } },
      contentType: 'application/merge-patch+json',
    });
    await told('add a 1', 'delete a 1');
  });

  test('what a transform leaves out is not kept, and one object that it cannot take stops no other', async () => {
    for (const name of ['a', 'bad', 'c']) await create(name, '1');
    const informer = watchKind(configMapKind, {
      namespaces: [namespace],
      transform: ({ apiVersion, kind, metadata, data = {} }) => {
        if (metadata.name === 'bad') throw new Error('cannot take it');
        return { apiVersion, kind, metadata: { name: metadata.name, namespace }, data };
      },
    });
    await informer.synced;
    expect(informer.get(namespace, 'a')).toEqual(configMap('a', '1'));
    expect([...informer.list()].map(({ metadata }) => metadata.name).toSorted()).toEqual(['a', 'c']);
    expect(problems).toMatchObject([{ type: 'object', name: `${namespace}/bad` }]);
  });
});

describe('a kind that is not installed', () => {
  /** Installs Widgets of a group, served in the given versions. */
  async function install(group: string, ...versions: readonly string[]): Promise<void> {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const spec = {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: versions.map((name, index) => ({ name, served: true, storage: index === 0, schema })),
    };
    const body = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `widgets.${group}` }, spec };
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${group}?fieldManager=test`;
    await environment.request({ method: 'PATCH', path, body, contentType: 'application/apply-patch+yaml' });
  }

  async function arrives(group: string): Promise<void> {
    await eventually('the kind', () => problems.some(({ type }) => type === 'found'), 15_000);
    const widget = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'w' }, data: { v: '1' } };
    await environment.request({ method: 'POST', path: `/apis/${group}/v1/namespaces/${namespace}/widgets`, body: widget });
    await told('add w 1');
    expect(problems.filter(({ type }) => type !== 'retry').map(({ type }) => type)).toEqual(['missing', 'found']);
  }

  const problemText = () => problems.map((problem) => ('error' in problem ? String(problem.error) : problem.type));
  const requestsOf = (text: string) => proxy.requests.filter(({ path }) => path.includes(text));

  test('counts as empty, is told of once, and is found by a watch of its definition', async () => {
    const informer = watchKind({ ...widgetKind, group: 'watched.example.com' }, {});
    await informer.synced;
    expect(informer.size).toBe(0);
    expect(problemText()).toEqual(['Error: Widget (widgets.watched.example.com) is not installed']);
    await eventually('the watch', () => proxy.openWatches('/customresourcedefinitions') > 0);
    const listed = requestsOf('/widgets').length;
    // The polls go on seldom, for kinds that come from elsewhere.
    await eventually('a poll', () => requestsOf('/apis/watched.example.com/v1').length > 0);
    expect(requestsOf('/widgets')).toHaveLength(listed);
    await install('watched.example.com', 'v1');
    await arrives('watched.example.com');
    await eventually('the end of the watch', () => proxy.openWatches('/customresourcedefinitions') === 0);
  }, 30_000);

  test('is found by polls where its definition may not be watched', async () => {
    proxy.rule = ({ path }) =>
      path.includes('customresourcedefinitions') ? { type: 'answer', status: 403, body: status(403, 'Forbidden') } : undefined;
    await watchKind({ ...widgetKind, group: 'polled.example.com' }, {}).synced;
    await eventually('polls', () => requestsOf('/apis/polled.example.com/v1').length > 2);
    expect(requestsOf('customresourcedefinitions')).toHaveLength(1);
    await install('polled.example.com', 'v1');
    await arrives('polled.example.com');
  }, 30_000);

  test('is searched for once, in however many namespaces it is watched', async () => {
    await watchKind({ ...widgetKind, group: 'shared.example.com' }, { namespaces: [namespace, 'elsewhere', 'default'] }).synced;
    await eventually('polls', () => requestsOf('/apis/shared.example.com/v1').filter(({ path }) => !path.includes('widgets')).length > 1);
    expect(proxy.openWatches('/customresourcedefinitions')).toBe(1);
    // And it has stayed open.
    expect(requestsOf('/customresourcedefinitions').filter(({ watch }) => watch)).toHaveLength(1);
    expect(requestsOf('/apis/shared.example.com').filter(({ path }) => path === '/apis/shared.example.com')).toHaveLength(1);
    await install('shared.example.com', 'v1');
    await eventually('the kind in each namespace', () => problems.filter(({ type }) => type === 'found').length === 3, 15_000);
    await eventually('the end of the watch', () => proxy.openWatches('/customresourcedefinitions') === 0);
  }, 30_000);

  test('but in another version is told of with that version, and found when its own is served', async () => {
    await install('versions.example.com', 'v1beta1');
    await eventually('the other version', async () => {
      const path = '/apis/versions.example.com/v1beta1/widgets';
      return (await environment.request({ method: 'GET', path }).catch(() => undefined)) !== undefined;
    });
    await watchKind({ ...widgetKind, group: 'versions.example.com' }, {}).synced;
    expect(problemText()).toEqual(['Error: Widget (widgets.versions.example.com) is served in version v1beta1, and v1 is needed']);
    await install('versions.example.com', 'v1beta1', 'v1');
    await arrives('versions.example.com');
  }, 30_000);
});
