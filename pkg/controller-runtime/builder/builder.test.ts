import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../../../test/lib/eventually.ts';
import { plainClient } from '../../../test/lib/kubernetes.ts';
import { type ObjectServer, startObjectServer } from '../../../test/lib/object-server.ts';
import { silentLogger } from '../../util/logger.ts';
import { Cache } from '../cache/cache.ts';
import type { Informer } from '../cache/informer.ts';
import { type KubeObject, nameOf, type ObjectMeta, type ResourceKind } from '../client/object.ts';
import { enqueueObject } from '../handler/handler.ts';
import { controllerReference } from '../handler/owners.ts';
import { labelsMatch, not } from '../predicate/predicate.ts';
import { done, type Reconciler } from '../reconcile/reconcile.ts';
import { channelSource, EventChannel } from '../source/source.ts';
import { type ControllerBuilder, controllerBuilder } from './builder.ts';

const kindOf = (kind: string, plural: string): ResourceKind => ({ kind, group: 'example.com', version: 'v1', plural, namespaced: true });
const widgetKind = kindOf('Widget', 'widgets');
const partKind = kindOf('Part', 'parts');

let server: ObjectServer;
let widgets: Informer;
let parts: Informer;
let stop: AbortController;
let runs: Promise<void>[];
let called: string[];

beforeEach(async () => {
  [stop, runs, called] = [new AbortController(), [], []];
  server = await startObjectServer();
  const cache = new Cache({ rest: plainClient(server.url).rest, onProblem: () => undefined });
  [widgets, parts] = [cache.informer(widgetKind), cache.informer(partKind)];
  runs.push(cache.run(stop.signal));
});

afterEach(async () => {
  stop.abort();
  await Promise.all(runs);
  await server[Symbol.asyncDispose]();
});

const reconciler: Reconciler = async ({ name }) => {
  called.push(name);
  return done;
};

async function start(builder: ControllerBuilder): Promise<void> {
  runs.push(builder.complete(reconciler).run(stop.signal));
  await Promise.all([widgets.synced, parts.synced]);
}

const builder = () => controllerBuilder({ name: 'widget', log: silentLogger });
const add = (kind: ResourceKind, name: string, more: Partial<ObjectMeta> = {}) =>
  server.tell('ADDED', kind, { name, namespace: 'ns', ...more });
const calledFor = (...want: readonly string[]) =>
  eventually(`${want.join()}; called: ${called.join()}`, () => called.join() === want.join());
const object = (name: string, labels: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'ns', uid: `uid-of-${name}`, labels },
});

describe('a controller that was built', () => {
  test('reconciles the objects of its kind, the owners of what it makes, and what a function names', async () => {
    add(widgetKind, 'first');
    const byLabel = ({ metadata }: KubeObject) =>
      (metadata.labels?.['for'] ?? '').split(',').flatMap((name) => (name === '' ? [] : { namespace: 'ns', name }));
    await start(builder().for(widgets).owns(parts).watches(parts, byLabel));
    await calledFor('first');
    add(partKind, 'part', { ownerReferences: [controllerReference(object('owner'), widgetKind, 'ns')] });
    await calledFor('first', 'owner');
    add(partKind, 'other', { labels: { for: 'x,y' } });
    await calledFor('first', 'owner', 'x', 'y');
  });

  test('lets pass what all predicates pass, wherever they were given', async () => {
    const paused = labelsMatch('paused');
    await start(
      builder()
        .for(widgets, labelsMatch('mine'))
        .withPredicates(not(paused))
        .watches(parts, (part) => [nameOf(part)]),
    );
    add(widgetKind, 'not-mine');
    add(widgetKind, 'mine-but-paused', { labels: { mine: '', paused: '' } });
    add(widgetKind, 'mine', { labels: { mine: '' } });
    await calledFor('mine');
    add(partKind, 'paused-part', { labels: { paused: '' } });
    add(partKind, 'part');
    await calledFor('mine', 'part');
  });

  test('hears of what no watch tells, as long as it runs', async () => {
    const channel = new EventChannel();
    channel.send(object('before'));
    await start(
      builder()
        .for(widgets)
        .from(channelSource(channel, enqueueObject, not(labelsMatch('paused')))),
    );
    await eventually('the controller', () => {
      channel.send(object('again'));
      return called.includes('again');
    });
    channel.send(object('paused', { paused: '' }));
    channel.send(object('last'));
    await eventually('the last one', () => called.includes('last'));
    expect(new Set(called)).toEqual(new Set(['again', 'last']));
  });
});

describe('a builder refuses', () => {
  test('owners of a kind that it does not know', () => {
    expect(() => builder().owns(parts)).toThrow('controller widget: "owns" needs the kind of "for" first');
  });

  test('a controller that nothing would wake', () => {
    expect(() => builder().complete(reconciler)).toThrow('controller widget has nothing to watch');
  });
});
