import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../../../test/lib/eventually.ts';
import { plainClient } from '../../../test/lib/kubernetes.ts';
import { type ObjectServer, startObjectServer } from '../../../test/lib/object-server.ts';
import type { KubeObject, ResourceKind } from '../client/object.ts';
import { FakeClock } from '../clock/fake-clock.ts';
import type { Event } from '../event/event.ts';
import { generationChanged, resourceVersionChanged } from '../predicate/predicate.ts';
import { Cache } from './cache.ts';
import type { ReflectorProblem } from './reflector.ts';

interface Thing extends KubeObject {
  readonly spec?: { readonly uses?: readonly string[] };
}

const kind: ResourceKind = { kind: 'Thing', group: 'example.com', version: 'v1', plural: 'things', namespaced: true };

let server: ObjectServer;
let clock: FakeClock;
let cache: Cache;
let problems: ReflectorProblem[];
let stop: AbortController;
let run: Promise<void> | undefined;

beforeEach(async () => {
  [clock, problems, stop, run] = [new FakeClock(), [], new AbortController(), undefined];
  server = await startObjectServer();
  cache = new Cache({ rest: plainClient(server.url, clock).rest, clock, random: () => 0, onProblem: (problem) => problems.push(problem) });
});

afterEach(async () => {
  stop.abort();
  await run;
  await server[Symbol.asyncDispose]();
});

const put = (type: 'ADDED' | 'MODIFIED' | 'DELETED', name: string, ...uses: readonly string[]) =>
  server.tell(type, kind, { name, namespace: 'ns' }, { spec: { uses } });
const usesOf = ({ spec }: Thing): readonly string[] => spec?.uses ?? [];
const names = (objects: Iterable<KubeObject>) => [...objects].map(({ metadata }) => metadata.name).toSorted();

function start(resyncMs?: number) {
  const informer = cache.informer<Thing>(kind, resyncMs === undefined ? {} : { resyncMs });
  run = cache.run(stop.signal);
  return informer;
}

describe('an index', () => {
  test('follows every change, whenever it was added', async () => {
    put('ADDED', 'a', 'x', 'y', 'y');
    put('ADDED', 'b', 'x');
    const informer = start();
    informer.addIndex('uses', usesOf);
    await informer.synced;
    informer.addIndex('late', usesOf);
    const found = () => ['x', 'y', 'z'].map((value) => [names(informer.byIndex('uses', value)), names(informer.byIndex('late', value))]);
    expect(found()).toEqual([
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
      [['a'], ['a']],
      [[], []],
    ]);
    put('MODIFIED', 'a', 'z');
    put('DELETED', 'b', 'x');
    await eventually('the changes', () => informer.size === 1 && informer.byIndex('uses', 'z').length === 1);
    expect(found()).toEqual([
      [[], []],
      [[], []],
      [['a'], ['a']],
    ]);
  });

  test('is right by the time handlers are told', async () => {
    const informer = start();
    informer.addIndex('uses', usesOf);
    const seen: string[] = [];
    informer.addHandler(({ type }) => seen.push(`${type}: ${names(informer.byIndex('uses', 'x')).join()}`));
    await informer.synced;
    put('ADDED', 'a', 'x');
    put('MODIFIED', 'a', 'y');
    put('MODIFIED', 'a', 'x');
    put('DELETED', 'a', 'x');
    await eventually('the events', () => seen.length === 4);
    expect(seen).toEqual(['add: a', 'update: ', 'update: a', 'delete: ']);
  });

  test('lacks an object that its function cannot read, and has all others', async () => {
    const informer = start();
    informer.addIndex('uses', (object) => {
      if (usesOf(object).includes('bad')) throw new Error('cannot read it');
      return usesOf(object);
    });
    await informer.synced;
    put('ADDED', 'a', 'x');
    put('ADDED', 'b', 'x');
    put('MODIFIED', 'a', 'bad');
    await eventually('the problem', () => problems.length === 1);
    expect(problems).toMatchObject([{ type: 'object', name: 'ns/a', error: { message: 'cannot read it' } }]);
    expect([names(informer.byIndex('uses', 'x')), names(informer.list())]).toEqual([['b'], ['a', 'b']]);
  });
});

test('a handler that throws is reported, and the others are told', async () => {
  const informer = start();
  const told: string[] = [];
  informer.addHandler(() => {
    throw new Error('cannot handle it');
  });
  informer.addHandler(({ object }) => told.push(object.metadata.name));
  await informer.synced;
  put('ADDED', 'a');
  await eventually('the event', () => told.length === 1);
  expect(problems).toMatchObject([{ type: 'object', name: 'ns/a', error: { message: 'cannot handle it' } }]);
});

describe('a resync', () => {
  test('tells of everything again from time to time, which predicates can tell from changes', async () => {
    put('ADDED', 'a');
    put('ADDED', 'b');
    const informer = start(60_000);
    const events: Event[] = [];
    informer.addHandler((event) => events.push(event));
    await informer.synced;
    await clock.advance(120_000);
    const resyncs = events.slice(2);
    expect(resyncs.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual(['update a', 'update b', 'update a', 'update b']);
    expect(resyncs.filter(generationChanged)).toEqual([]);
    expect(resyncs.filter(resourceVersionChanged)).toEqual([]);
  });

  test('is off unless it is asked for', async () => {
    put('ADDED', 'a');
    const informer = start();
    let events = 0;
    informer.addHandler(() => events++);
    await informer.synced;
    await clock.advance(24 * 3_600_000);
    expect(events).toBe(1);
  });
});

test('a kind that is asked for while the cache runs is listed at once', async () => {
  run = cache.run(stop.signal);
  put('ADDED', 'a');
  const informer = cache.informer<Thing>(kind);
  expect(cache.unsynced()).toEqual([kind]);
  await informer.synced;
  expect([names(informer.list()), cache.unsynced()]).toEqual([['a'], []]);
});
