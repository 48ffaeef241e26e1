import { beforeAll, describe, expect, test } from '@jest/globals';
import { admissionCases } from '../../test/lib/admission-corpus.ts';
import { kindInfos } from './scheme.ts';
import { admit, loadCel } from './validate.ts';

const cases = admissionCases();

describe('admit', () => {
  beforeAll(() => loadCel());

  test.each(cases)('$name', ({ object, refused, warned }) => {
    const admission = admit(object);
    const errors = admission.ok ? [] : admission.errors.map(({ path }) => path);
    expect([...new Set(errors)].sort()).toEqual([...refused].sort());
    if (admission.ok) expect(admission.warnings.map(({ path }) => path).sort()).toEqual([...warned].sort());
  });

  test('leaves the object that it is given as it is', () => {
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, stringData: { b: 'c' } };
    const before = structuredClone(object);
    admit(object);
    expect(object).toEqual(before);
  });

  test('gives the version that is read, the namespace, the defaults', () => {
    const spec = { parentRefs: [{ name: 'gw' }], rules: [{ name: 'a', matches: [{ method: 'GET' }] }] };
    expect(admit({ apiVersion: 'gateway.networking.k8s.io/v1beta1', kind: 'HTTPRoute', metadata: { name: 'a' }, spec })).toEqual({
      ok: true,
      object: {
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'HTTPRoute',
        metadata: { name: 'a', namespace: 'default' },
        spec: {
          parentRefs: [{ name: 'gw', group: 'gateway.networking.k8s.io', kind: 'Gateway' }],
          rules: [{ name: 'a', matches: [{ method: 'GET', path: { type: 'PathPrefix', value: '/' } }] }],
        },
      },
      warnings: [],
    });
  });

  const strangers: readonly { name: string; object: unknown; path: string; message: RegExp }[] = [
    { name: 'nothing', object: null, path: '', message: /must be an object/ },
    { name: 'a list', object: [], path: '', message: /must be an object/ },
    { name: 'no kind', object: { apiVersion: 'v1' }, path: 'kind', message: /is required/ },
    { name: 'no version', object: { kind: 'Service' }, path: 'apiVersion', message: /is required/ },
    { name: 'an unknown kind', object: { apiVersion: 'v1', kind: 'Pod' }, path: 'kind', message: /Pod is not a kind/ },
    {
      name: 'an unknown version',
      object: { apiVersion: 'extensions/v1beta1', kind: 'Ingress' },
      path: 'apiVersion',
      message: /networking\.k8s\.io\/v1/,
    },
    { name: 'a name of every object', object: { apiVersion: 'v1', kind: 'toString' }, path: 'kind', message: /toString is not a kind/ },
  ];
  test.each(strangers)('$name is refused', ({ object, path, message }) => {
    expect(admit(object)).toEqual({ ok: false, errors: [{ path, message: expect.stringMatching(message) }] });
  });

  test('every kind has good and bad cases', () => {
    const verdicts = new Set(cases.map(({ object, refused }) => `${object['kind']} ${refused.length > 0}`));
    for (const kind of kindInfos.keys()) {
      expect(verdicts).toContain(`${kind} false`);
      expect(verdicts).toContain(`${kind} true`);
    }
  });
});
