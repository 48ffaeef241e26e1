import { beforeEach, describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../apis/meta.ts';
import type { Change } from './changes.ts';
import { KubernetesCache } from './kubernetes-cache.ts';
import type { Key } from './reader.ts';
import type { SecretInspector } from './secret-inspector.ts';

const secrets: SecretInspector = {
  keyPair: () => ({ ok: false, error: 'not looked at here' }),
  caBundle: () => ({ ok: false, error: 'not looked at here' }),
  revocationList: () => ({ ok: false, error: 'not looked at here' }),
};

function proxy(name: string, fqdn: string, more: Partial<KubeObject['metadata']> = {}, status?: object): KubeObject {
  const metadata = { name, namespace: 'demo', generation: 1, ...more };
  return { apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy', metadata, spec: { virtualhost: { fqdn } }, status } as KubeObject;
}

let changes: Change[];
let cache: KubernetesCache;

beforeEach(() => {
  changes = [];
  cache = new KubernetesCache({ keeps: (object) => object.metadata.labels?.['ours'] !== 'no', secrets });
  cache.changes.subscribe((change) => changes.push(change));
});

describe('KubernetesCache', () => {
  test('tells of an added object with the index entries that it enters', () => {
    cache.apply(proxy('a', 'App.example.com'));
    expect(changes).toMatchObject([{ op: 'add', touched: ['HTTPProxy/demo/a', 'index:httpproxies-by-fqdn/app.example.com'] }]);
  });

  test('an update touches only the entries that it enters or leaves', () => {
    cache.apply(proxy('a', 'one.example.com'));
    cache.apply(proxy('a', 'one.example.com', { generation: 2 }));
    cache.apply(proxy('a', 'two.example.com', { generation: 3 }));
    expect(changes[1]?.touched).toEqual(['HTTPProxy/demo/a']);
    expect(changes[2]?.touched).toEqual([
      'HTTPProxy/demo/a',
      'index:httpproxies-by-fqdn/one.example.com',
      'index:httpproxies-by-fqdn/two.example.com',
    ]);
  });

  test('a status write is kept but told to nobody', () => {
    cache.apply(proxy('a', 'one.example.com'));
    const written = proxy('a', 'one.example.com', { resourceVersion: '2' }, { currentStatus: 'valid' });
    cache.apply(written);
    expect(changes).toHaveLength(1);
    expect(cache.get('HTTPProxy', 'demo', 'a')).toBe(written);
  });

  test('an object that stops to matter is removed', () => {
    cache.apply(proxy('a', 'one.example.com'));
    cache.apply(proxy('a', 'one.example.com', { labels: { ours: 'no' } }));
    expect(changes.map((change) => change.op)).toEqual(['add', 'delete']);
    expect(cache.get('HTTPProxy', 'demo', 'a')).toBeUndefined();
  });

  test('removing what is not there is no change', () => {
    cache.remove('HTTPProxy', 'demo', 'a');
    expect(changes).toEqual([]);
  });
});

describe('a reader', () => {
  test('records what it finds and what it misses', () => {
    cache.apply(proxy('a', 'one.example.com'));
    const reads: Key[] = [];
    const reader = cache.reader((key) => reads.push(key));
    expect(reader.get('HTTPProxy', 'demo', 'a')).toBeDefined();
    expect(reader.get('Secret', 'demo', 'missing')).toBeUndefined();
    expect(reader.list('httpproxies-by-fqdn', 'one.example.com')).toEqual([{ kind: 'HTTPProxy', namespace: 'demo', name: 'a' }]);
    expect(reads).toEqual(['HTTPProxy/demo/a', 'Secret/demo/missing', 'index:httpproxies-by-fqdn/one.example.com']);
  });

  test('lists members in order, whatever the order of arrival', () => {
    for (const name of ['c', 'a', 'b']) cache.apply(proxy(name, 'one.example.com'));
    const members = cache.reader(() => {}).list('httpproxies-by-fqdn', 'one.example.com');
    expect(members.map((member) => member.name)).toEqual(['a', 'b', 'c']);
  });

  test('a moment that was asked for is touched once it passes', () => {
    const reader = cache.reader(() => {});
    expect(reader.hasPassed(1000)).toBe(false);
    expect(cache.nextMoment()).toBe(1000);
    cache.advance(999);
    expect(changes).toEqual([]);
    cache.advance(1000);
    expect(changes).toEqual([{ op: 'time', touched: ['time:1000'] }]);
    expect(reader.hasPassed(1000)).toBe(true);
    expect(cache.nextMoment()).toBeUndefined();
  });

  test('a moment that had passed is touched when the date is set back before it, and is waited for again', () => {
    const reader = cache.reader(() => {});
    cache.advance(5000);
    expect(reader.hasPassed(1000)).toBe(true);
    cache.advance(2000);
    expect(changes).toEqual([]);
    cache.advance(500);
    expect(changes).toEqual([{ op: 'time', touched: ['time:1000'] }]);
    expect(reader.hasPassed(1000)).toBe(false);
    expect(cache.nextMoment()).toBe(1000);
  });
});
