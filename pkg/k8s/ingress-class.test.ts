import { describe, expect, test } from '@jest/globals';
import { type ClassedObject, ingressClassMatches, ingressClassOf } from './ingress-class.ts';

const ours = 'projectcontour.io/ingress.class';
const common = 'kubernetes.io/ingress.class';
const proxy = (annotations: Record<string, string> = {}, ingressClassName?: string): ClassedObject => ({
  apiVersion: 'projectcontour.io/v1',
  kind: 'HTTPProxy',
  metadata: { name: 'app', annotations },
  spec: ingressClassName === undefined ? {} : { ingressClassName },
});

describe('ingressClassOf', () => {
  test.each([
    { name: 'nothing', object: proxy(), want: '' },
    { name: 'the field', object: proxy({}, 'f'), want: 'f' },
    { name: 'an annotation beats the field', object: proxy({ [common]: 'a' }, 'f'), want: 'a' },
    { name: 'our annotation beats the common one', object: proxy({ [common]: 'a', [ours]: 'b' }), want: 'b' },
    { name: 'an empty annotation leaves the field', object: proxy({ [ours]: '' }, 'f'), want: 'f' },
    { name: 'our empty annotation hides the common one', object: proxy({ [ours]: '', [common]: 'a' }), want: '' },
  ])('$name: $want', ({ object, want }) => expect(ingressClassOf(object)).toBe(want));
});

describe('ingressClassMatches', () => {
  test.each([
    { className: undefined, names: [], want: true },
    { className: 'contour', names: [], want: true },
    { className: 'nginx', names: [], want: false },
    { className: 'inner', names: ['inner', 'outer'], want: true },
    { className: undefined, names: ['inner'], want: false },
    { className: 'contour', names: ['inner'], want: false },
  ])('class $className with $names: $want', ({ className, names, want }) => {
    expect(ingressClassMatches(proxy({}, className), names)).toBe(want);
  });
});
