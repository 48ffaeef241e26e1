import { describe, expect, test } from '@jest/globals';
import { testConfig } from '../../../test/lib/config.ts';
import { memoryReader, object, tlsSecretObject } from '../../../test/lib/memory-reader.ts';
import type { Key } from '../../kubernetes-cache/reader.ts';
import { clientCertificate } from './cluster.ts';
import { isDelegated, secretRef } from './delegation.ts';
import { tlsSecret } from './secret.ts';
import { upstreamValidation } from './upstream-validation.ts';

const origin = { kind: 'HTTPProxy', namespace: 'ns', name: 'app', path: 'spec' };
const delegation = (secretName: string, targetNamespaces: readonly string[], id = 'other/d') =>
  object('TLSCertificateDelegation', id, { spec: { delegations: [{ secretName, targetNamespaces }] } });

describe('secretRef', () => {
  test.each([
    ['tls', { namespace: 'ns', name: 'tls' }],
    ['other/tls', { namespace: 'other', name: 'tls' }],
  ])('%s', (text, want) => expect(secretRef(text, 'ns')).toEqual(want));
});

describe('isDelegated', () => {
  const secret = { namespace: 'other', name: 'tls' };
  test.each([
    { name: 'to the namespace', objects: [delegation('tls', ['x', 'ns'])], want: true },
    { name: 'to all', objects: [delegation('tls', ['*'])], want: true },
    { name: 'to all and one more is to nobody else', objects: [delegation('tls', ['*', 'x'])], want: false },
    { name: 'to another namespace', objects: [delegation('tls', ['x'])], want: false },
    { name: 'of another secret', objects: [delegation('other', ['*'])], want: false },
    { name: 'from a namespace that the secret is not in', objects: [delegation('tls', ['*'], 'ns/d')], want: false },
    { name: 'by the second of two', objects: [delegation('other', ['*']), delegation('tls', ['ns'], 'other/e')], want: true },
    { name: 'by nobody', objects: [], want: false },
  ])('$name: $want', ({ objects, want }) => expect(isDelegated(memoryReader(objects), secret, 'ns')).toBe(want));

  test('one needs none for its own namespace', () => expect(isDelegated(memoryReader([]), secret, 'other')).toBe(true));

  test('a delegation that comes later is waited for', () => {
    const keys = new Set<Key>();
    isDelegated(memoryReader([], keys), secret, 'ns');
    expect([...keys]).toEqual(['index:delegations-in/other']);
  });
});

describe('tlsSecret', () => {
  test('gives the certificate with its origin', () => {
    const found = tlsSecret(memoryReader([tlsSecretObject('ns/tls', 'c')]), { namespace: 'ns', name: 'tls' }, origin, testConfig());
    const node = { namespace: 'ns', name: 'tls', certificate: 'c', privateKey: 'key of ns/tls', origin };
    expect(found).toEqual({ ok: true, value: { node, warnings: [] } });
  });

  test('an expired certificate is given with a warning that says since when', () => {
    const found = tlsSecret(memoryReader([tlsSecretObject('ns/tls', 'expired')]), { namespace: 'ns', name: 'tls' }, origin, testConfig());
    const warnings = [{ type: 'TLSError', reason: 'CertificateExpired', message: expect.stringContaining('expired on 1970-01-01') }];
    expect(found).toMatchObject({ ok: true, value: { node: { certificate: 'expired' }, warnings } });
  });

  test.each([
    { name: 'absence', objects: [], want: 'Secret not found' },
    { name: 'no key', objects: [object('Secret', 'ns/tls', { data: { 'tls.crt': 'c' } })], want: 'missing TLS private key' },
  ])('$name is a problem', ({ objects, want }) => {
    const found = tlsSecret(memoryReader(objects), { namespace: 'ns', name: 'tls' }, origin, testConfig());
    expect(found).toEqual({ ok: false, problem: { type: 'TLSError', reason: 'SecretNotValid', message: want } });
  });
});

describe('clientCertificate', () => {
  const config = testConfig({ clientCertificate: { namespace: 'sys', name: 'envoy' } });

  test('is found without a delegation', () => {
    expect(clientCertificate(memoryReader([tlsSecretObject('sys/envoy')]), config)).toMatchObject({ ok: true, value: { name: 'envoy' } });
  });

  test('a missing one names the setting', () => {
    const want = 'tls.envoy-client-certificate Secret "sys/envoy" is invalid: Secret not found';
    expect(clientCertificate(memoryReader([]), config)).toEqual({
      ok: false,
      problem: { type: 'TLSError', reason: 'SecretNotValid', message: want },
    });
  });

  test('without the setting there is none', () => {
    expect(clientCertificate(memoryReader([]), testConfig())).toEqual({ ok: true, value: undefined });
  });
});

describe('upstreamValidation', () => {
  const ca = object('Secret', 'other/ca', { data: { 'ca.crt': 'pem' } });
  const input = { caSecret: 'other/ca', subjectName: 'a.test' };

  test('all subject names count, the first is not enough', () => {
    const reader = memoryReader([ca, delegation('ca', ['ns'])]);
    const many = { ...input, subjectNames: ['a.test', 'b.test'] };
    expect(upstreamValidation(reader, many, origin)).toEqual({
      ok: true,
      value: { caCertificates: 'pem', subjectNames: ['a.test', 'b.test'], origin },
    });
    expect(upstreamValidation(reader, input, origin)).toMatchObject({ value: { subjectNames: ['a.test'] } });
  });

  test.each([
    { name: 'not delegated, whether it exists or not', objects: [], input, want: 'CACertificateNotDelegated' },
    { name: 'absent', objects: [delegation('ca', ['ns'])], input, want: 'TLSUpstreamValidation' },
    { name: 'without ca.crt', objects: [object('Secret', 'ns/ca')], input: { ...input, caSecret: 'ca' }, want: 'TLSUpstreamValidation' },
    { name: 'without a name', objects: [ca, delegation('ca', ['*'])], input: { ...input, subjectName: '' }, want: 'TLSUpstreamValidation' },
  ])('$name: $want', ({ objects, input: asked, want }) => {
    expect(upstreamValidation(memoryReader(objects), asked, origin)).toMatchObject({ ok: false, problem: { reason: want } });
  });
});
