import { describe, expect, test } from '@jest/globals';
import { kindAdmissions } from './admissions.ts';
import { findKind, kindInfos } from './scheme.ts';

describe('the scheme', () => {
  test('finds a kind in every version that is served', () => {
    expect(findKind('gateway.networking.k8s.io/v1', 'ReferenceGrant')).toBe(kindInfos.get('ReferenceGrant'));
    expect(findKind('gateway.networking.k8s.io/v1beta1', 'ReferenceGrant')).toBe(kindInfos.get('ReferenceGrant'));
  });

  test('finds no kind in the group of another', () => {
    expect(findKind('v1', 'Ingress')).toBeUndefined();
    expect(findKind('projectcontour.io/v1', 'ExtensionService')).toBeUndefined();
  });

  test('every kind can be admitted', () => {
    expect([...kindAdmissions.keys()].sort()).toEqual([...kindInfos.keys()].sort());
  });
});
