import { beforeEach, describe, expect, test } from '@jest/globals';
import type { KubeObject, ObjectRef } from '../apis/meta.ts';
import type { Config } from '../config/config.ts';
import type { Change } from '../kubernetes-cache/changes.ts';
import { KubernetesCache } from '../kubernetes-cache/kubernetes-cache.ts';
import type { Reader } from '../kubernetes-cache/reader.ts';
import { emptyContribution } from './contribution.ts';
import { Contributions } from './contributions.ts';
import type { Processor } from './processor.ts';

const config = {} as Config;
const refused = () => ({ ok: false, error: 'not looked at here' }) as const;
const secrets = { keyPair: refused, caBundle: refused, revocationList: refused };
const configProcessor: Processor = { kinds: [], process: () => emptyContribution };

let built: string[];
let cache: KubernetesCache;
let pending: Change[];

/** Says whether the Service of the proxy's own name exists; throws for a proxy named `broken` with that Service. */
const processor: Processor = {
  kinds: ['HTTPProxy'],
  process: (root: ObjectRef, reader: Reader) => {
    built.push(root.name);
    const service = reader.get('Service', root.namespace, root.name);
    if (root.name === 'broken' && service !== undefined) throw new Error('a bug');
    const errors = service === undefined ? [{ type: 'ServiceError', reason: 'Missing', message: 'no service' }] : [];
    return { ...emptyContribution, statuses: [{ type: 'detailed', object: root, generation: 1, errors, warnings: [] }] };
  },
};

const object = (kind: string, name: string, spec: object = {}): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata: { name, namespace: 'demo' }, spec }) as unknown as KubeObject;

function contributions(): Contributions {
  return new Contributions({ cache, config, processors: [processor], configProcessor });
}

function update(all: Contributions) {
  const touched = pending.flatMap((change) => change.touched);
  [pending, built] = [[], []];
  return all.update(touched);
}

beforeEach(() => {
  [built, pending] = [[], []];
  cache = new KubernetesCache({ keeps: () => true, secrets });
  cache.changes.subscribe((change) => pending.push(change));
});

describe('Contributions', () => {
  test('only roots that read a touched key are built, a missed key included', () => {
    const all = contributions();
    for (const name of ['a', 'b', 'c']) cache.apply(object('HTTPProxy', name));
    expect(update(all).dirty).toBe(3);
    cache.apply(object('Service', 'b'));
    const { changed } = update(all);
    expect(built).toEqual(['b']);
    expect(changed.map(({ root }) => root)).toEqual(['HTTPProxy/demo/b']);
  });

  test('a contribution that comes out equal is no change', () => {
    const all = contributions();
    cache.apply(object('HTTPProxy', 'a'));
    cache.apply(object('Service', 'a'));
    update(all);
    const before = all.get('HTTPProxy/demo/a');
    cache.apply(object('Service', 'a', { ports: [] }));
    expect(update(all).changed).toEqual([]);
    expect(built).toEqual(['a']);
    expect(all.get('HTTPProxy/demo/a')).toBe(before);
  });

  test('a root that is gone gives its contribution back, and wakes no more', () => {
    const all = contributions();
    cache.apply(object('HTTPProxy', 'a'));
    update(all);
    cache.remove('HTTPProxy', 'demo', 'a');
    expect(update(all).changed).toMatchObject([{ root: 'HTTPProxy/demo/a', after: undefined }]);
    cache.apply(object('Service', 'a'));
    expect(update(all).dirty).toBe(0);
  });

  test('a fault keeps the last good contribution of its root, and the others are built', () => {
    const all = contributions();
    for (const name of ['broken', 'fine']) cache.apply(object('HTTPProxy', name));
    update(all);
    const before = all.get('HTTPProxy/demo/broken');
    for (const name of ['broken', 'fine']) cache.apply(object('Service', name));
    const { faults, changed } = update(all);
    expect(faults).toMatchObject([{ root: { name: 'broken' }, error: { message: 'a bug' } }]);
    expect(changed.map(({ root }) => root)).toEqual(['HTTPProxy/demo/fine']);
    expect(all.get('HTTPProxy/demo/broken')).toBe(before);
    cache.remove('Service', 'demo', 'broken');
    expect(update(all).faults).toEqual([]);
  });
});
