import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { silentLogger } from '../../util/logger.ts';
import { ApiError, UnreachableError } from '../client/errors.ts';
import type { KubeObject } from '../client/object.ts';
import { FakeClock, settle } from '../clock/fake-clock.ts';
import type { EventObject } from './event-object.ts';
import { EventRecorder, type EventRecorderOptions } from './event-recorder.ts';

let clock: FakeClock;
let stop: AbortController;
let created: EventObject[];
let patched: { readonly name: string; readonly patch: unknown }[];
let refusal: Error | undefined;
let gone: boolean;
let warnings: string[];
let recorder: EventRecorder;
let run: Promise<void>;

const client = {
  create: async (_kind: unknown, object: unknown) => {
    if (refusal !== undefined) throw refusal;
    created.push(object as EventObject);
    return object;
  },
  patch: async (_kind: unknown, { name }: { readonly name: string }, patch: unknown) => {
    if (gone) throw new ApiError({ verb: 'patch', resource: 'events', group: 'events.k8s.io' }, 404, {});
    patched.push({ name, patch });
    return { ...created[0], ...(patch as object) };
  },
} as unknown as EventRecorderOptions['client'];

beforeEach(() => {
  [clock, stop, created, patched, warnings, refusal, gone] = [new FakeClock(), new AbortController(), [], [], [], undefined, false];
  const log = { ...silentLogger, warn: (_: unknown, message: string) => warnings.push(message) };
  recorder = new EventRecorder({ client, controller: 'example.com/widgets', instance: 'pod-1', clock, log, limit: 2 });
  run = recorder.run(stop.signal);
});

afterEach(async () => {
  stop.abort();
  await run;
});

const widget = (name: string, namespace?: string): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, uid: `uid-of-${name}`, resourceVersion: '7', ...(namespace !== undefined && { namespace }) },
});
const failed = { type: 'Warning', reason: 'Failed', action: 'Resize', note: 'no room' } as const;

describe('an event recorder', () => {
  test('writes an Event about the object at once', async () => {
    recorder.record(widget('a', 'ns'), failed);
    await settle();
    expect(created).toEqual([
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { namespace: 'ns', name: expect.stringMatching(/^a\.[0-9a-f]{14}$/) },
        eventTime: '2030-01-01T00:00:00.000000Z',
        ...failed,
        regarding: { apiVersion: 'example.com/v1', kind: 'Widget', namespace: 'ns', name: 'a', uid: 'uid-of-a', resourceVersion: '7' },
        reportingController: 'example.com/widgets',
        reportingInstance: 'pod-1',
      },
    ]);
  });

  test('counts what happens again, and writes the count now and then', async () => {
    for (let second = 0; second < 25; second++) {
      recorder.record(widget('a', 'ns'), { ...failed, note: `no room for ${second}` });
      await clock.advance(1_000);
    }
    expect(created).toHaveLength(1);
    expect(patched).toEqual([
      { name: created[0]?.metadata.name, patch: { series: { count: 10, lastObservedTime: '2030-01-01T00:00:10.000000Z' } } },
      { name: created[0]?.metadata.name, patch: { series: { count: 20, lastObservedTime: '2030-01-01T00:00:20.000000Z' } } },
    ]);
  });

  test('begins anew for another reason, another object, and after a pause', async () => {
    recorder.record(widget('a', 'ns'), failed);
    recorder.record(widget('a', 'ns'), { ...failed, reason: 'Broken' });
    await settle();
    recorder.record(widget('b', 'ns'), failed);
    await clock.advance(360_000);
    recorder.record(widget('a', 'ns'), failed);
    await settle();
    expect(created.map(({ reason, regarding }) => `${reason} ${regarding.name}`)).toEqual(['Failed a', 'Broken a', 'Failed b', 'Failed a']);
    expect(new Set(created.map(({ metadata }) => metadata.name)).size).toBe(4);
  });

  test('puts Events about cluster-scoped objects into the namespace default', async () => {
    recorder.record(widget('a'), failed);
    await settle();
    expect(created[0]?.metadata.namespace).toBe('default');
    expect(created[0]?.regarding).not.toHaveProperty('namespace');
  });

  test('keeps what is too long within the limits of the API', async () => {
    const [word, note] = ['x'.repeat(500), 'ü'.repeat(700)];
    recorder.record(widget('n'.repeat(253), 'ns'), { reason: word, action: word, note: `a${note}` });
    await settle();
    const [event] = created;
    expect(event?.metadata.name).toHaveLength(253);
    expect([event?.reason.length, event?.action.length]).toEqual([128, 128]);
    expect(event?.note).toBe(`a${'ü'.repeat(511)}`);
  });

  test('goes on with a new Event when the server has thrown the old one away', async () => {
    recorder.record(widget('a', 'ns'), failed);
    await settle();
    gone = true;
    recorder.record(widget('a', 'ns'), failed);
    await clock.advance(10_000);
    expect(created).toHaveLength(2);
    expect(created[1]).toMatchObject({ series: { count: 2 } });
  });

  test('drops Events that may not be written, and says so once', async () => {
    refusal = new ApiError({ verb: 'create', resource: 'events', group: 'events.k8s.io' }, 403, { message: 'no' });
    for (const name of ['a', 'b', 'c']) {
      recorder.record(widget(name, 'ns'), failed);
      await settle();
    }
    refusal = undefined;
    await clock.advance(60_000);
    expect([created.length, warnings]).toEqual([0, ['an event could not be written']]);
  });

  test('tries again while there is no answer, and keeps a bounded number', async () => {
    refusal = new UnreachableError('https://test', new Error('cut'));
    for (const name of ['a', 'b', 'c', 'd']) {
      recorder.record(widget(name, 'ns'), failed);
      await settle();
    }
    refusal = undefined;
    await clock.advance(30_000);
    expect(created.map(({ regarding }) => regarding.name)).toEqual(['a', 'b']);
    expect(warnings).toEqual(['an event could not be written', 'too many events wait to be written; new ones are dropped']);
  });
});
