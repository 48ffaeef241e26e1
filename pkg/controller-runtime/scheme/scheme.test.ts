import { describe, expect, test } from '@jest/globals';
import type { ResourceKind } from '../client/object.ts';
import { builtInScheme, Scheme } from './scheme.ts';

const widget: ResourceKind = { kind: 'Widget', group: 'example.com', version: 'v1', plural: 'widgets', namespaced: true };

describe('a scheme', () => {
  test('knows where the kinds of every cluster are kept', () => {
    const scheme = builtInScheme();
    expect(scheme.kindOf({ apiVersion: 'v1', kind: 'ConfigMap' })).toMatchObject({ group: '', plural: 'configmaps', namespaced: true });
    expect(scheme.kindOf({ apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass' })).toMatchObject({
      plural: 'ingressclasses',
      namespaced: false,
    });
    expect(scheme.findResource('apps', 'v1', 'deployments')?.kind).toBe('Deployment');
  });

  test('takes more kinds, the same one twice', () => {
    const scheme = builtInScheme()
      .add(widget)
      .add({ ...widget });
    expect(scheme.find({ apiVersion: 'example.com/v1', kind: 'Widget' })).toBe(widget);
    expect(scheme.find({ apiVersion: 'example.com/v2', kind: 'Widget' })).toBeUndefined();
    expect(scheme.kinds().filter(({ kind }) => kind === 'Widget')).toHaveLength(1);
  });

  test('refuses one kind in two places', () => {
    const scheme = new Scheme([widget]);
    expect(() => scheme.add({ ...widget, namespaced: false })).toThrow(
      'example.com/v1 Widget is in the scheme as namespaced widgets and cannot be cluster-scoped widgets too',
    );
  });

  test('names the kind that it lacks', () => {
    expect(() => new Scheme().kindOf({ apiVersion: 'example.com/v1', kind: 'Widget' })).toThrow(
      'the scheme has no kind example.com/v1 Widget; add it first',
    );
  });

  test.each([
    { ...widget, plural: '../secrets' },
    { ...widget, plural: '' },
    { ...widget, group: 'a/b' },
    { ...widget, version: 'v1?x' },
    { ...widget, kind: 'widget' },
  ])('refuses names that break a path: $group/$version/$plural $kind', (kind) => {
    expect(() => new Scheme([kind])).toThrow('no kind can be called');
  });

  test('has each built-in kind once', () => {
    const kinds = builtInScheme().kinds();
    expect(new Set(kinds.map(({ group, plural }) => `${group}/${plural}`)).size).toBe(kinds.length);
  });
});
