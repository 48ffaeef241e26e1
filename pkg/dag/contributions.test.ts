import { beforeEach, describe, expect, test } from '@jest/globals';
import type { KubeObject, ObjectRef } from '../apis/meta.ts';
import type { Config } from '../config/config.ts';
import type { Change } from '../kubernetes-cache/changes.ts';
import { KubernetesCache } from '../kubernetes-cache/kubernetes-cache.ts';
import type { Reader } from '../kubernetes-cache/reader.ts';
import { emptyContribution } from './contribution.ts';
import { Contributions, type ContributionsDeps } from './contributions.ts';
import type { VirtualHostPart } from './model/virtual-host.ts';
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

/** Refers to the Services that `spec.services` names, and serves a host that says which of them are there. */
const referring: Processor = {
  kinds: ['HTTPProxy'],
  process: (root: ObjectRef, reader: Reader) => {
    const { services = [], virtualhost } = reader.get('HTTPProxy', root.namespace, root.name)!.spec as unknown as Referring;
    if (virtualhost !== undefined) reader.list('httpproxies-by-fqdn', virtualhost.fqdn);
    const found = services.filter((name) => reader.get('Service', root.namespace, name) !== undefined);
    return { ...emptyContribution, virtualHosts: [{ host: found.join(' ') } as VirtualHostPart] };
  },
};

interface Referring {
  readonly services?: readonly string[];
  readonly virtualhost?: { readonly fqdn: string };
}

const object = (kind: string, name: string, spec: object = {}): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata: { name, namespace: 'demo' }, spec }) as unknown as KubeObject;

function contributions(deps: Partial<ContributionsDeps> = {}): Contributions {
  return new Contributions({ cache, config, processors: [processor], configProcessor, ...deps });
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

describe('Contributions whose roots wait for what they refer to', () => {
  let all: Contributions;
  let generation = 0;

  const proxy = (spec: Referring): void => {
    const { metadata, ...rest } = object('HTTPProxy', 'a', spec);
    cache.apply({ ...rest, metadata: { ...metadata, generation: ++generation } });
  };
  const slice = (service: string, endpoints: readonly object[]): void => {
    const { metadata, ...rest } = object('EndpointSlice', `${service}-1`);
    cache.apply({ ...rest, metadata: { ...metadata, labels: { 'kubernetes.io/service-name': service } }, endpoints } as KubeObject);
  };
  const ready = { addresses: ['192.0.2.1'], conditions: { ready: true } };
  const host = (): string | undefined => all.get('HTTPProxy/demo/a')?.virtualHosts[0]?.host;
  const held = (): readonly string[] => update(all).held.map(({ root }) => root);

  beforeEach(() => {
    all = contributions({ processors: [referring], referenceGrace: true });
    cache.apply(object('Service', 'old'));
    slice('old', [ready]);
    proxy({ services: ['old'] });
    update(all);
  });

  test('keep what they had until the object is there', () => {
    proxy({ services: ['new'] });
    expect([held(), host()]).toEqual([['HTTPProxy/demo/a'], 'old']);
    slice('new', [ready]);
    expect([held(), host()]).toEqual([[], 'old']);
    cache.apply(object('Service', 'new'));
    expect([held(), host(), all.holds.size]).toEqual([[], 'new', 0]);
  });

  test('keep what they had until the Service has a ready endpoint', () => {
    cache.apply(object('Service', 'new'));
    proxy({ services: ['new'] });
    expect([held(), host()]).toEqual([['HTTPProxy/demo/a'], 'old']);
    slice('new', [{ ...ready, conditions: { ready: false } }]);
    expect([held(), host()]).toEqual([[], 'old']);
    slice('new', [ready]);
    expect([held(), host(), all.holds.size]).toEqual([[], 'new', 0]);
    // From now on endpoints are no business of the root.
    slice('new', []);
    expect(update(all).dirty).toBe(0);
  });

  test('do not wait for the endpoints of a name elsewhere', () => {
    cache.apply(object('Service', 'new', { type: 'ExternalName', externalName: 'example.com' }));
    proxy({ services: ['new'] });
    expect([held(), host()]).toEqual([[], 'new']);
  });

  test('tell the truth when it took long enough, and do not wait for the same again', () => {
    proxy({ services: ['new'] });
    update(all);
    cache.graceOver(['HTTPProxy/demo/a']);
    expect([held(), host(), all.holds.size]).toEqual([[], '', 0]);
    proxy({ services: ['new', 'old'] });
    expect([held(), host()]).toEqual([[], 'old']);
  });

  test('do not wait longer because they are edited meanwhile', () => {
    proxy({ services: ['new'] });
    update(all);
    const hold = all.holds.get('HTTPProxy/demo/a');
    proxy({ services: ['newer'] });
    expect([held(), host()]).toEqual([[], 'old']);
    expect(all.holds.get('HTTPProxy/demo/a')?.reads).toBe(hold?.reads);
    proxy({ services: ['newest'] });
    cache.graceOver(['HTTPProxy/demo/a']);
    expect([held(), host()]).toEqual([[], '']);
  });

  test('wait for a Service that is made anew', () => {
    cache.remove('Service', 'demo', 'old');
    expect([held(), host()]).toEqual([['HTTPProxy/demo/a'], 'old']);
    cache.apply(object('Service', 'old'));
    expect([held(), host(), all.holds.size]).toEqual([[], 'old', 0]);
  });

  test('go when they are deleted, and wait for nothing when they are made anew', () => {
    proxy({ services: ['new'] });
    update(all);
    cache.remove('HTTPProxy', 'demo', 'a');
    expect([held(), host(), all.holds.size]).toEqual([[], undefined, 0]);
    proxy({ services: ['new'] });
    expect([held(), host()]).toEqual([[], '']);
  });

  test('do not keep a host that they give up', () => {
    proxy({ services: ['old'], virtualhost: { fqdn: 'one.example.com' } });
    update(all);
    proxy({ services: ['new'], virtualhost: { fqdn: 'two.example.com' } });
    expect([held(), host()]).toEqual([[], '']);
  });
});
