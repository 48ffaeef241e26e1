import { describe, expect, test } from '@jest/globals';
import type { KubeObject, ObjectMeta, OwnerReference, ResourceKind } from '../client/object.ts';
import { enqueueMapped, enqueueObject, enqueueOwner } from './handler.ts';
import { controllerReference } from './owners.ts';

const widgetKind: ResourceKind = { kind: 'Widget', group: 'example.com', version: 'v1', plural: 'widgets', namespaced: true };
const nodeKind: ResourceKind = { kind: 'Node', group: '', version: 'v1', plural: 'nodes', namespaced: false };

const object = (metadata: Partial<ObjectMeta>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'ns', ...metadata },
});
const owner = (name: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  name,
  uid: name,
  controller: true,
  ...more,
});
const owned = (...ownerReferences: readonly OwnerReference[]) => object({ ownerReferences });

test('the object itself', () => {
  expect(enqueueObject({ type: 'generic', object: object({}) })).toEqual([{ namespace: 'ns', name: 'a' }]);
  expect(enqueueObject({ type: 'add', object: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } } })).toEqual([
    { namespace: '', name: 'n' },
  ]);
});

test('what a function names, for both versions of an update', () => {
  const byLabel = enqueueMapped<KubeObject>(({ metadata }) => [{ namespace: '', name: metadata.labels?.['for'] ?? '' }]);
  const names = byLabel({ type: 'update', old: object({ labels: { for: 'x' } }), object: object({ labels: { for: 'y' } }) });
  expect(names.map(({ name }) => name)).toEqual(['x', 'y']);
  expect(byLabel({ type: 'delete', object: object({ labels: { for: 'x' } }) }).map(({ name }) => name)).toEqual(['x']);
});

describe('the owner', () => {
  test('of the kind, in any version, that manages the object', () => {
    const others = [owner('other-kind', { kind: 'Gadget' }), owner('other-group', { apiVersion: 'v1' })];
    const event = { type: 'add', object: owned(...others, owner('old', { apiVersion: 'example.com/v1beta1' })) } as const;
    expect(enqueueOwner(widgetKind)(event)).toEqual([{ namespace: 'ns', name: 'old' }]);
  });

  test('that does not manage it counts only if asked for', () => {
    const event = { type: 'add', object: owned(owner('w', { controller: false })) } as const;
    expect(enqueueOwner(widgetKind)(event)).toEqual([]);
    expect(enqueueOwner(widgetKind, { everyOwner: true })(event)).toEqual([{ namespace: 'ns', name: 'w' }]);
  });

  test('that is cluster-scoped has no namespace', () => {
    const event = { type: 'add', object: owned(owner('n', { apiVersion: 'v1', kind: 'Node' })) } as const;
    expect(enqueueOwner(nodeKind)(event)).toEqual([{ namespace: '', name: 'n' }]);
  });

  test('wakes when an object is taken from it', () => {
    const event = { type: 'update', old: owned(owner('before')), object: owned(owner('after')) } as const;
    expect(enqueueOwner(widgetKind)(event).map(({ name }) => name)).toEqual(['before', 'after']);
  });
});

describe('a reference to an owner', () => {
  const widget: KubeObject = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'ns', uid: 'u' } };

  test('is what the garbage collector reads', () => {
    expect(controllerReference(widget, widgetKind, 'ns')).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      name: 'w',
      uid: 'u',
      controller: true,
      blockOwnerDeletion: true,
    });
  });

  test('cannot lead into another namespace, or to what is not there', () => {
    expect(() => controllerReference(widget, widgetKind, 'other')).toThrow('Widget ns/w cannot own what is in namespace "other"');
    const unsaved = { ...widget, metadata: { name: 'w', namespace: 'ns' } };
    expect(() => controllerReference(unsaved, widgetKind, 'ns')).toThrow('Widget w has no uid');
  });
});
