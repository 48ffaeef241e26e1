import { describe, expect, test } from '@jest/globals';
import { routes, update } from '../../test/lib/xds-fixtures.ts';
import { typeUrls } from './resource.ts';
import { Snapshot } from './snapshot.ts';

describe('Snapshot', () => {
  test('is empty at first', () => {
    const snapshot = new Snapshot();
    expect(snapshot.sequence).toBe(0);
    expect(snapshot.get(typeUrls.route, 'r')).toBeUndefined();
    expect(snapshot.all(typeUrls.route).size).toBe(0);
  });

  test('has what updates set and not what they remove', () => {
    const snapshot = new Snapshot();
    const [a, b] = [routes('a'), routes('b')];
    snapshot.apply(update({ route: [a, b] }));
    snapshot.apply(update({ route: [{ remove: 'a' }, { remove: 'never-there' }] }));
    expect([...snapshot.all(typeUrls.route)]).toEqual([['b', b]]);
    expect(snapshot.sequence).toBe(2);
  });

  test('tells listeners after the whole update was applied, until they leave', () => {
    const snapshot = new Snapshot();
    const seen: unknown[] = [];
    const leave = snapshot.subscribe((changes) => seen.push([changes, snapshot.get(typeUrls.route, 'b')?.name, snapshot.sequence]));
    const changes = update({ route: [routes('a'), routes('b')] });
    snapshot.apply(changes);
    leave();
    snapshot.apply(update({ route: [{ remove: 'a' }] }));
    expect(seen).toEqual([[changes, 'b', 1]]);
  });
});
