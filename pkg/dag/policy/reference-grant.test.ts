import { expect, test } from '@jest/globals';
import { memoryReader, object } from '../../../test/lib/memory-reader.ts';
import { isReferenceGranted } from './reference-grant.ts';

const from = { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: 'demo' };
const to = { group: '', kind: 'Service', namespace: 'other', name: 'echo' };
const grant = (spec: object, id = 'other/g') => object('ReferenceGrant', id, { spec });

test.each([
  { name: 'a fitting grant', spec: { from: [from], to: [{ group: '', kind: 'Service', name: 'echo' }] }, want: true },
  { name: 'a grant for every name', spec: { from: [from], to: [{ group: '', kind: 'Service' }] }, want: true },
  { name: 'another name', spec: { from: [from], to: [{ group: '', kind: 'Service', name: 'x' }] }, want: false },
  { name: 'another target kind', spec: { from: [from], to: [{ group: '', kind: 'Secret' }] }, want: false },
  { name: 'another kind that refers', spec: { from: [{ ...from, kind: 'GRPCRoute' }], to: [{ group: '', kind: 'Service' }] }, want: false },
  {
    name: 'another namespace that refers',
    spec: { from: [{ ...from, namespace: 'x' }], to: [{ group: '', kind: 'Service' }] },
    want: false,
  },
])('$name: $want', ({ spec, want }) => {
  expect(isReferenceGranted(from, to, memoryReader([grant(spec)]))).toBe(want);
});

test('a grant in the namespace of who refers grants nothing', () => {
  const spec = { from: [from], to: [{ group: '', kind: 'Service' }] };
  expect(isReferenceGranted(from, to, memoryReader([grant(spec, 'demo/g')]))).toBe(false);
});

test('within a namespace no grant is needed', () => {
  expect(isReferenceGranted(from, { ...to, namespace: 'demo' }, memoryReader([]))).toBe(true);
});
