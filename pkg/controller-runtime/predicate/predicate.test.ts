import { describe, expect, test } from '@jest/globals';
import type { KubeObject, ObjectMeta } from '../client/object.ts';
import type { WatchEvent } from '../event/event.ts';
import { and, not, or, type Predicate, specOrAnnotationsChanged } from './predicate.ts';

const object = (more: Partial<ObjectMeta>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a', generation: 1, ...more },
});
const update = (old: Partial<ObjectMeta>, now: Partial<ObjectMeta>): WatchEvent => ({
  type: 'update',
  old: object(old),
  object: object(now),
});

describe('specOrAnnotationsChanged', () => {
  const cases: readonly { name: string; event: WatchEvent; want: boolean }[] = [
    { name: 'an addition passes', event: { type: 'add', object: object({}) }, want: true },
    { name: 'a deletion passes', event: { type: 'delete', object: object({}) }, want: true },
    { name: 'a new generation passes', event: update({}, { generation: 2 }), want: true },
    { name: 'another annotation passes', event: update({ annotations: { a: '1' } }, { annotations: { a: '2' } }), want: true },
    { name: 'a write of status does not', event: update({ resourceVersion: '1' }, { resourceVersion: '2' }), want: false },
  ];
  test.each(cases)('$name', ({ event, want }) => {
    expect(specOrAnnotationsChanged(event)).toBe(want);
  });
});

test('predicates combine', () => {
  const yes: Predicate<KubeObject> = () => true;
  const no = not(yes);
  const event: WatchEvent = { type: 'add', object: object({}) };
  expect([and(yes, no), and(yes, yes), or(no, yes), or(no, no)].map((predicate) => predicate(event))).toEqual([false, true, true, false]);
});
