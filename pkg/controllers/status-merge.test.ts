import { describe, expect, test } from '@jest/globals';
import { statusPatch, withdrawalPatch } from './status-merge.ts';

const then = '2020-01-01T00:00:00Z';
const now = new Date('2030-05-06T07:08:09.123Z');
const nowText = '2030-05-06T07:08:09Z';
const options = { controllerName: 'example.com/ours', now };

function patch(live: unknown, wanted: Readonly<Record<string, unknown>>) {
  return statusPatch(
    { apiVersion: 'v1', kind: 'K', metadata: { name: 'a' }, ...(live !== undefined && { status: live }) },
    wanted,
    options,
  );
}

const condition = (type: string, status: string, more: object = {}) => ({
  type,
  status,
  reason: 'R',
  message: 'm',
  observedGeneration: 2,
  ...more,
});

describe('statusPatch', () => {
  test('an object without a status gets all of it, with the present time', () => {
    expect(patch(undefined, { conditions: [condition('Valid', 'True')], currentStatus: 'valid' })).toEqual({
      conditions: [condition('Valid', 'True', { lastTransitionTime: nowText })],
      currentStatus: 'valid',
    });
  });

  test('what is there already needs no patch, whatever its times', () => {
    const live = { conditions: [condition('Valid', 'True', { lastTransitionTime: then })], currentStatus: 'valid' };
    expect(patch(live, { conditions: [condition('Valid', 'True')], currentStatus: 'valid' })).toBeUndefined();
  });

  test('only fields that differ are patched', () => {
    const live = { conditions: [condition('Valid', 'True', { lastTransitionTime: then })], currentStatus: 'invalid' };
    expect(patch(live, { conditions: [condition('Valid', 'True')], currentStatus: 'valid' })).toEqual({ currentStatus: 'valid' });
  });

  test('the time stays while the status stays, and moves with it', () => {
    const live = {
      conditions: [condition('A', 'True', { lastTransitionTime: then }), condition('B', 'True', { lastTransitionTime: then })],
    };
    expect(patch(live, { conditions: [condition('A', 'True', { message: 'new' }), condition('B', 'False')] })).toEqual({
      conditions: [
        condition('A', 'True', { message: 'new', lastTransitionTime: then }),
        condition('B', 'False', { lastTransitionTime: nowText }),
      ],
    });
  });

  test("others' conditions stay where they are", () => {
    const foreign = condition('Theirs', 'False', { lastTransitionTime: then });
    const live = { conditions: [foreign, condition('Valid', 'True', { lastTransitionTime: then })] };
    expect(patch(live, { conditions: [condition('Valid', 'False')] })).toEqual({
      conditions: [foreign, condition('Valid', 'False', { lastTransitionTime: nowText })],
    });
  });

  test('errors of a condition that are over are taken away', () => {
    const live = { conditions: [condition('Valid', 'True', { lastTransitionTime: then, errors: [{ type: 'E' }] })] };
    expect(patch(live, { conditions: [condition('Valid', 'True')] })).toEqual({
      conditions: [condition('Valid', 'True', { lastTransitionTime: then })],
    });
  });

  test('a condition that speaks of a newer generation is left alone', () => {
    const live = { conditions: [condition('Valid', 'False', { lastTransitionTime: then, observedGeneration: 3 })] };
    expect(patch(live, { conditions: [condition('Valid', 'True')] })).toBeUndefined();
  });

  test('another order of conditions is no difference', () => {
    const live = { conditions: ['B', 'A'].map((type) => condition(type, 'True', { lastTransitionTime: then })) };
    expect(patch(live, { conditions: ['A', 'B'].map((type) => condition(type, 'True')) })).toBeUndefined();
  });
});

describe('entries that controllers share', () => {
  const parent = (controllerName: string, name: string, conditions: readonly object[]) => ({
    parentRef: { name },
    controllerName,
    conditions,
  });
  const theirs = parent('example.com/theirs', 'gw', [condition('Accepted', 'False', { lastTransitionTime: then })]);

  test("others' parents stay as they are, ours are replaced, added and removed", () => {
    const accepted = condition('Accepted', 'True', { lastTransitionTime: then });
    const live = {
      parents: [parent(options.controllerName, 'gone', [accepted]), theirs, parent(options.controllerName, 'gw', [accepted])],
    };
    const wanted = ['gw', 'new'].map((name) => parent(options.controllerName, name, [condition('Accepted', 'True', { reason: 'Other' })]));
    expect(patch(live, { parents: wanted })).toEqual({
      parents: [
        theirs,
        parent(options.controllerName, 'gw', [condition('Accepted', 'True', { reason: 'Other', lastTransitionTime: then })]),
        parent(options.controllerName, 'new', [condition('Accepted', 'True', { reason: 'Other', lastTransitionTime: nowText })]),
      ],
    });
  });

  test('defaults that the server adds to a reference are no difference', () => {
    const live = {
      parents: [
        {
          ...parent(options.controllerName, 'gw', [condition('Accepted', 'True', { lastTransitionTime: then })]),
          parentRef: { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'gw' },
        },
      ],
    };
    expect(patch(live, { parents: [parent(options.controllerName, 'gw', [condition('Accepted', 'True')])] })).toBeUndefined();
  });

  test('a condition of ours that we no longer want is taken away', () => {
    const all = ['Accepted', 'PartiallyInvalid'].map((type) => condition(type, 'True', { lastTransitionTime: then }));
    const live = { parents: [parent(options.controllerName, 'gw', all)] };
    expect(patch(live, { parents: [parent(options.controllerName, 'gw', [condition('Accepted', 'True')])] })).toEqual({
      parents: [parent(options.controllerName, 'gw', all.slice(0, 1))],
    });
  });

  test('listeners of a Gateway are ours, and keep their times by name', () => {
    const listener = (name: string, attachedRoutes: number, more: object = {}) => ({
      name,
      attachedRoutes,
      conditions: [condition('Accepted', 'True', more)],
    });
    const live = { listeners: [listener('old', 1, { lastTransitionTime: then }), listener('http', 1, { lastTransitionTime: then })] };
    expect(patch(live, { listeners: [listener('http', 2)] })).toEqual({ listeners: [listener('http', 2, { lastTransitionTime: then })] });
  });
});

describe('entries of another Gateway of the same controller', () => {
  const gateway = { namespace: 'infra', name: 'gw' };
  const route = (parents: readonly object[]) => ({
    apiVersion: 'v1',
    kind: 'HTTPRoute',
    metadata: { namespace: 'shop', name: 'a' },
    status: { parents },
  });
  const entry = (parentRef: object) => ({ parentRef, controllerName: options.controllerName, conditions: [] });
  const other = entry({ namespace: 'other', name: 'gw' });
  const sameNamespace = entry({ name: 'gw' });
  const ours = entry({ namespace: 'infra', name: 'gw' });

  test('stay; ours goes when the route no longer names it', () => {
    const live = route([other, ours, sameNamespace]);
    expect(statusPatch(live, { parents: [] }, { ...options, gateway })).toEqual({ parents: [other, sameNamespace] });
  });

  test('a route that names none of ours gets no status', () => {
    const live = { ...route([]), status: undefined };
    expect(statusPatch(live, { parents: [] }, { ...options, gateway })).toBeUndefined();
  });
});

describe('withdrawalPatch', () => {
  const proxy = (status: object) => ({ apiVersion: 'v1', kind: 'HTTPProxy', metadata: { namespace: 'shop', name: 'a' }, status });
  const valid = condition('Valid', 'True', { lastTransitionTime: then });
  const theirs = condition('Theirs', 'True', { lastTransitionTime: then });
  const last = { conditions: [condition('Valid', 'True')], currentStatus: 'valid', loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } };
  const left = proxy({ conditions: [theirs, valid], currentStatus: 'valid', loadBalancer: last.loadBalancer, more: 'x' });

  test("takes away what is ours, and leaves others' conditions and fields", () => {
    expect(withdrawalPatch(left, left, last, options)).toEqual({ conditions: [theirs], currentStatus: null, loadBalancer: null });
  });

  test('leaves what somebody else has written since', () => {
    const taken = proxy({
      conditions: [condition('Valid', 'False', { lastTransitionTime: nowText })],
      currentStatus: 'invalid',
      loadBalancer: last.loadBalancer,
    });
    expect(withdrawalPatch(taken, left, last, options)).toEqual({ loadBalancer: null });
  });

  test('nothing of ours needs no patch', () => {
    expect(withdrawalPatch(proxy({ conditions: [theirs], more: 'x' }), left, last, options)).toBeUndefined();
  });

  test('parents of ours go, others stay', () => {
    const parents = [
      { parentRef: { name: 'gw' }, controllerName: options.controllerName },
      { parentRef: { name: 'gw' }, controllerName: 'example.com/theirs' },
    ];
    const route = proxy({ parents });
    expect(withdrawalPatch(route, route, { parents: [] }, options)).toEqual({ parents: parents.slice(1) });
  });
});
