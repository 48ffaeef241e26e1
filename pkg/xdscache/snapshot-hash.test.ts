import { describe, expect, test } from '@jest/globals';
import { encodedBytes } from './lazy-resource.ts';
import { encodedResource, type Resource, typeUrls } from './resource.ts';
import { Snapshot } from './snapshot.ts';
import { SnapshotHash } from './snapshot-hash.ts';

const resource = (name: string, text: string): Resource => encodedResource(name, [], encodedBytes(new TextEncoder().encode(text)));

function snapshotOf(...updates: readonly Readonly<Record<string, string | undefined>>[]): { snapshot: Snapshot; hash: SnapshotHash } {
  const snapshot = new Snapshot();
  const hash = new SnapshotHash(snapshot);
  for (const update of updates) apply(snapshot, update);
  return { snapshot, hash };
}

function apply(snapshot: Snapshot, update: Readonly<Record<string, string | undefined>>): void {
  const resources = Object.entries(update).map(([name, text]) => [name, text === undefined ? undefined : resource(name, text)] as const);
  snapshot.apply(new Map([[typeUrls.cluster, new Map(resources)]]));
}

const clusters = ({ hash }: { readonly hash: SnapshotHash }): number | undefined => hash.values().get(typeUrls.cluster);

describe('SnapshotHash', () => {
  test('the same resources have the same hash, whatever the way to them', () => {
    const straight = snapshotOf({ a: '1', b: '2' });
    const around = snapshotOf({ b: '9', c: '3' }, { a: '1' }, { b: '2', c: undefined });
    expect(clusters(around)).toBe(clusters(straight));
  });

  test('it does not depend on when it is asked for', () => {
    const asked = snapshotOf({ a: '1' });
    clusters(asked);
    apply(asked.snapshot, { a: '2' });
    expect(clusters(asked)).toBe(clusters(snapshotOf({ a: '2' })));
  });

  test('other bytes, names or types have another', () => {
    const first = clusters(snapshotOf({ a: '1', b: '2' }));
    expect(clusters(snapshotOf({ a: '2', b: '1' }))).not.toBe(first);
    expect(clusters(snapshotOf({ a: '1', c: '2' }))).not.toBe(first);
    const { snapshot, hash } = snapshotOf();
    snapshot.apply(new Map([[typeUrls.endpoint, new Map([['a', resource('a', '1')]])]]));
    expect(hash.values().get(typeUrls.endpoint)).not.toBe(clusters(snapshotOf({ a: '1' })));
  });

  test('nothing is 0, and so is what is gone', () => {
    expect(clusters(snapshotOf())).toBe(0);
    expect(clusters(snapshotOf({ a: '1' }, { a: undefined }))).toBe(0);
  });

  test('what was there before counts', () => {
    const { snapshot, hash } = snapshotOf({ a: '1' });
    expect(new SnapshotHash(snapshot).values()).toEqual(hash.values());
  });

  test('it is a whole number that a metric can carry', () => {
    const value = clusters(snapshotOf({ a: '1', b: '2' })) ?? 0;
    expect(Number.isSafeInteger(value)).toBe(true);
    expect(value).toBeGreaterThan(0);
    expect(value).toBeLessThan(2 ** 48);
  });
});
