import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ObjectRef } from '../apis/meta.ts';
import type { Notice } from '../dag/contribution.ts';
import type { WantedStatus } from '../status/wanted.ts';
import type { Problem } from '../util/outcome.ts';
import { ObjectEvents } from './object-events.ts';

const ingress: ObjectRef = { kind: 'Ingress', namespace: 'demo', name: 'app' };
const proxy: ObjectRef = { kind: 'HTTPProxy', namespace: 'demo', name: 'app' };
const notice = (object: ObjectRef, message: string, reason = 'AnnotationNotValid'): Notice => ({
  object,
  problem: { type: 'AnnotationError', reason, message },
});

function status(...errors: readonly Problem[]): WantedStatus {
  const conditions = [{ type: 'Valid', status: errors.length === 0 ? 'True' : 'False', ...(errors.length > 0 && { errors }) }];
  return { object: proxy, generation: 1, status: { conditions } };
}
const missing = (name: string): Problem => ({ type: 'ServiceError', reason: 'ServiceUnresolvedReference', message: `no service ${name}` });

let recorded: string[];
let leading: boolean;
let gone: boolean;
let events: ObjectEvents;

function build(
  notices: readonly Notice[],
  statuses: readonly WantedStatus[] = [],
  withdrawn: readonly WantedStatus[] = [],
): readonly string[] {
  recorded = [];
  events.observe({ notices, statuses, withdrawn });
  return recorded;
}

beforeEach(() => {
  [leading, gone] = [true, false];
  events = new ObjectEvents({
    recorder: {
      record: ({ kind }, { type, reason, action, note }) => recorded.push(`${kind} ${type} ${reason} ${action} ${note}`),
    },
    live: ({ kind, ...metadata }) => (gone ? undefined : { apiVersion: 'v1', kind, metadata }),
    leading: () => leading,
  });
});

describe('Events about objects', () => {
  test('tell of notices, those of one object and reason together', () => {
    build([]);
    expect(build([notice(ingress, 'one'), notice(ingress, 'two'), notice(ingress, 'three', 'Other')])).toEqual([
      'Ingress Warning AnnotationNotValid Configure one; two',
      'Ingress Warning Other Configure three',
    ]);
  });

  test('tell that a proxy has become invalid, once for the same reason', () => {
    build([]);
    const told = 'HTTPProxy Warning ServiceUnresolvedReference Configure no service';
    expect(build([], [status(missing('a'))])).toEqual([`${told} a`]);
    expect(build([], [status(missing('a'))])).toEqual([]);
    expect(build([], [status(missing('b'))])).toEqual([`${told} b`]);
    expect(build([], [status()])).toEqual([]);
    expect(build([], [status(missing('b'))])).toEqual([`${told} b`]);
    build([], [], [status()]);
    expect(build([], [status(missing('b'))])).toEqual([`${told} b`]);
  });

  test('do not tell of a proxy that nothing includes yet', () => {
    build([]);
    expect(build([], [status({ type: 'Orphaned', reason: 'Orphaned', message: 'not included' })])).toEqual([]);
  });

  test('do not tell of what was so at the start', () => {
    expect(build([notice(ingress, 'old')], [status(missing('a'))])).toEqual([]);
    expect(build([], [status(missing('a'))])).toEqual([]);
  });

  test('are those of the leader, who does not repeat what was told before', () => {
    leading = false;
    build([]);
    expect(build([notice(ingress, 'one')], [status(missing('a'))])).toEqual([]);
    leading = true;
    expect(build([], [status(missing('a'))])).toEqual([]);
    expect(build([notice(ingress, 'two')])).toHaveLength(1);
  });

  test('are not made of objects that are gone', () => {
    build([]);
    gone = true;
    expect(build([notice(ingress, 'one')])).toEqual([]);
  });
});
