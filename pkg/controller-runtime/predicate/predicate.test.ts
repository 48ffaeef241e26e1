import { describe, expect, test } from '@jest/globals';
import type { KubeObject, ObjectMeta } from '../client/object.ts';
import type { Event } from '../event/event.ts';
import {
  and,
  annotationsChanged,
  generationChanged,
  labelsChanged,
  labelsMatch,
  not,
  or,
  type Predicate,
  resourceVersionChanged,
  specOrAnnotationsChanged,
} from './predicate.ts';

const object = (more: Partial<ObjectMeta>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a', generation: 1, ...more },
});
const update = (old: Partial<ObjectMeta>, now: Partial<ObjectMeta>): Event => ({
  type: 'update',
  old: object(old),
  object: object(now),
});

const changed = { generationChanged, annotationsChanged, labelsChanged, resourceVersionChanged, specOrAnnotationsChanged };

describe('what a change is', () => {
  type Name = keyof typeof changed;
  const every = Object.keys(changed) as Name[];
  const cases: readonly { name: string; event: Event; want: readonly Name[] }[] = [
    { name: 'an addition', event: { type: 'add', object: object({}) }, want: every },
    { name: 'a deletion', event: { type: 'delete', object: object({}) }, want: every },
    { name: 'a generic event', event: { type: 'generic', object: object({}) }, want: every },
    { name: 'a new generation', event: update({}, { generation: 2 }), want: ['generationChanged', 'specOrAnnotationsChanged'] },
    {
      name: 'a deletion that waits',
      event: update({}, { deletionTimestamp: '2030-01-01T00:00:00Z' }),
      want: ['generationChanged', 'specOrAnnotationsChanged'],
    },
    {
      name: 'another annotation',
      event: update({ annotations: { a: '1' } }, { annotations: { a: '2' } }),
      want: ['annotationsChanged', 'specOrAnnotationsChanged'],
    },
    { name: 'another label', event: update({ labels: { a: '1' } }, { labels: { a: '2' } }), want: ['labelsChanged'] },
    { name: 'a write of status', event: update({ resourceVersion: '1' }, { resourceVersion: '2' }), want: ['resourceVersionChanged'] },
    { name: 'a resync', event: update({ resourceVersion: '1' }, { resourceVersion: '1' }), want: [] },
  ];
  test.each(cases)('$name passes $want', ({ event, want }) => {
    expect(every.filter((name) => changed[name](event))).toEqual(want);
  });
});

describe('labelsMatch', () => {
  const web = labelsMatch('app in (web)');

  test('passes what matches, and what did until now', () => {
    expect(web({ type: 'add', object: object({ labels: { app: 'web' } }) })).toBe(true);
    expect(web({ type: 'add', object: object({ labels: { app: 'api' } }) })).toBe(false);
    expect(web(update({ labels: { app: 'web' } }, { labels: { app: 'api' } }))).toBe(true);
    expect(web(update({ labels: { app: 'db' } }, { labels: { app: 'api' } }))).toBe(false);
  });

  test('refuses what is no selector', () => {
    expect(() => labelsMatch('app is web')).toThrow('"app is web" is no term of a label selector');
  });
});

test('predicates combine', () => {
  const yes: Predicate<KubeObject> = () => true;
  const no = not(yes);
  const event: Event = { type: 'add', object: object({}) };
  expect([and(yes, no), and(yes, yes), or(no, yes), or(no, no)].map((predicate) => predicate(event))).toEqual([false, true, true, false]);
});
