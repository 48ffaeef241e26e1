import { describe, expect, test } from '@jest/globals';
import { secretNode, servicePort } from '../../test/lib/dag.ts';
import { endpointsName, hashName, secretName, secureRouteName, serviceClusterName } from './names.ts';

const long = 'a-name-with-a-length-of-sixty-three-characters-as-kubernetes-has';

describe('hashName', () => {
  test('joins what is short', () => {
    expect(hashName(60, 'ns', 'name', '80')).toBe('ns/name/80');
  });

  test('a name of just the limit is shortened', () => {
    expect(hashName(60, 'x'.repeat(59))).toBe('x'.repeat(59));
    expect(hashName(60, 'x'.repeat(60))).not.toBe('x'.repeat(60));
  });

  test('shortens from the last part on, and keeps what fits', () => {
    const name = hashName(60, 'ns', long, '80', 'da39a3ee5e');
    expect(name).toMatch(/^ns\/a-name-w-[0-9a-f]{6}\/80\/da39a3ee5e$/);
  });

  test('names that differ only in what is cut off stay apart', () => {
    expect(hashName(60, `${long}x`)).not.toBe(hashName(60, `${long}y`));
    expect(hashName(60, `${long}x`).length).toBeLessThanOrEqual(60);
  });
});

test('names are as Contour has them', () => {
  expect(serviceClusterName(servicePort('web'), '')).toBe('ns/web/80/da39a3ee5e');
  expect(endpointsName(servicePort('web'))).toBe('ns/web');
  expect(endpointsName(servicePort('web', { portName: 'http' }))).toBe('ns/web/http');
  expect(secureRouteName('ingress_https', 'a.com')).toBe('https/a.com');
  expect(secureRouteName('https-443', 'a.com')).toBe('https-443/a.com');
});

test('a renewed certificate keeps its name', () => {
  expect(secretName(secretNode('tls'))).toBe('ns/tls');
  expect(secretName(secretNode('tls', { certificate: 'renewed' }))).toBe('ns/tls');
});
