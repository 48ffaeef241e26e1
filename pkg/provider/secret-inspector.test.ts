import { createPrivateKey } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type Material, pem, selfSigned } from '../../test/lib/certificates.ts';
import type { Secret } from '../apis/core/v1/secret.ts';
import { secretInspector } from './secret-inspector.ts';

const inspector = secretInspector();
const base64 = (text: string) => Buffer.from(text).toString('base64');
const secret = (values: Readonly<Record<string, string>>, type = 'Opaque'): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'tls', namespace: 'ns' },
  type,
  data: Object.fromEntries(Object.entries(values).map(([name, text]) => [name, base64(text)])),
});
const pair = (certificate: string, key: string, type?: string) => secret({ 'tls.crt': certificate, 'tls.key': key }, type);

const [ec, rsa, other] = await Promise.all([selfSigned(), selfSigned({ algorithm: 'rsa2048' }), selfSigned()]);

const legacy = ({ privateKey }: Material, type: 'pkcs1' | 'sec1') => createPrivateKey(privateKey).export({ format: 'pem', type }) as string;

describe('keyPair', () => {
  test('gives certificate, key and validity', () => {
    expect(inspector.keyPair(pair(ec.certificate, ec.privateKey, 'kubernetes.io/tls'))).toEqual({
      ok: true,
      value: {
        certificate: ec.certificate,
        privateKey: ec.privateKey,
        dnsNames: ['localhost'],
        keyType: 'ec',
        notBeforeMs: Date.parse('2020-01-01T00:00:00Z'),
        notAfterMs: Date.parse('2100-01-01T00:00:00Z'),
      },
    });
  });

  test('takes the older forms of keys, and EC PARAMETERS before one', () => {
    const parameters = pem('EC PARAMETERS', Buffer.from('06082a8648ce3d030107', 'hex'));
    const sec1 = legacy(ec, 'sec1');
    expect(inspector.keyPair(pair(ec.certificate, parameters + sec1))).toMatchObject({ ok: true, value: { privateKey: sec1 } });
    expect(inspector.keyPair(pair(rsa.certificate, legacy(rsa, 'pkcs1'))).ok).toBe(true);
  });

  test('keeps a chain in its order, without the text around the blocks', () => {
    const chain = `# leaf\n${ec.certificate}some text\n${other.certificate}# end\n`;
    expect(inspector.keyPair(pair(chain, ec.privateKey))).toMatchObject({
      ok: true,
      value: { certificate: ec.certificate + other.certificate },
    });
  });

  test('carriage returns make no difference', () => {
    const found = inspector.keyPair(pair(ec.certificate.replaceAll('\n', '\r\n'), ec.privateKey.replaceAll('\n', '\r\n')));
    expect(found).toMatchObject({ ok: true, value: { certificate: ec.certificate, privateKey: ec.privateKey } });
  });

  test('takes what ran out: that is for others to judge', async () => {
    const old = await selfSigned({ notAfter: new Date('2021-01-01T00:00:00Z') });
    expect(inspector.keyPair(pair(old.certificate, old.privateKey))).toMatchObject({
      value: { notAfterMs: Date.parse('2021-01-01T00:00:00Z') },
    });
  });

  test('a name in the subject or beside it will do', async () => {
    const [cn, san] = [await selfSigned({ dnsNames: [] }), await selfSigned({ commonName: '' })];
    expect(inspector.keyPair(pair(cn.certificate, cn.privateKey)).ok).toBe(true);
    expect(inspector.keyPair(pair(san.certificate, san.privateKey)).ok).toBe(true);
  });

  test('reads stringData of a file', () => {
    const plain = { ...pair('', ''), data: {}, stringData: { 'tls.crt': ec.certificate, 'tls.key': ec.privateKey } };
    expect(inspector.keyPair(plain).ok).toBe(true);
  });

  const errorOf = (of: Secret) => {
    const found = inspector.keyPair(of);
    return found.ok ? 'taken' : found.error;
  };

  test.each([
    {
      name: 'another type',
      of: () => pair(ec.certificate, ec.privateKey, 'example.com/x'),
      want: 'secret type is not "kubernetes.io/tls" or "Opaque"',
    },
    { name: 'no certificate', of: () => secret({ 'tls.key': ec.privateKey }), want: 'missing TLS certificate' },
    { name: 'no key', of: () => secret({ 'tls.crt': ec.certificate }), want: 'missing TLS private key' },
    {
      name: 'text in place of a certificate',
      of: () => pair('this is not PEM\n', ec.privateKey),
      want: 'invalid TLS certificate: failed to locate certificate',
    },
    {
      name: 'a key in place of a certificate',
      of: () => pair(ec.privateKey, ec.privateKey),
      want: "invalid TLS certificate: unexpected block type 'PRIVATE KEY'",
    },
    {
      name: 'a broken certificate',
      of: () => pair(pem('CERTIFICATE', Buffer.from('nothing')), ec.privateKey),
      want: 'invalid TLS certificate: certificate 1 cannot be decoded',
    },
    {
      name: 'a broken second certificate',
      of: () => pair(ec.certificate + pem('CERTIFICATE', Buffer.from('nothing')), ec.privateKey),
      want: 'invalid TLS certificate: certificate 2 cannot be decoded',
    },
    {
      name: 'text in place of a key',
      of: () => pair(ec.certificate, 'nothing'),
      want: 'invalid TLS private key: failed to locate private key',
    },
    {
      name: 'two keys',
      of: () => pair(ec.certificate, ec.privateKey + ec.privateKey),
      want: 'invalid TLS private key: multiple private keys',
    },
    {
      name: 'another block beside the key',
      of: () => pair(ec.certificate, ec.privateKey + ec.certificate),
      want: "invalid TLS private key: unexpected block type 'CERTIFICATE'",
    },
    {
      name: 'a broken key',
      of: () => pair(ec.certificate, pem('RSA PRIVATE KEY', Buffer.alloc(6))),
      want: 'invalid TLS private key: the RSA PRIVATE KEY block cannot be decoded',
    },
    {
      name: "another certificate's key",
      of: () => pair(ec.certificate, other.privateKey),
      want: 'invalid TLS private key: it does not belong to the certificate in tls.crt',
    },
  ])('$name is refused', ({ of, want }) => expect(errorOf(of())).toBe(want));

  test('a certificate that names nobody is refused', async () => {
    const nobody = await selfSigned({ commonName: '', dnsNames: [] });
    expect(errorOf(pair(nobody.certificate, nobody.privateKey))).toBe(
      'invalid TLS certificate: certificate has no common name or subject alt name',
    );
  });

  test('a key that Envoy refuses is refused', async () => {
    const weak = await selfSigned({ algorithm: 'rsa1024' });
    expect(errorOf(pair(weak.certificate, weak.privateKey))).toContain('at least 2048 bits');
  });

  test('looks once into each version', () => {
    const one = pair(ec.certificate, ec.privateKey);
    expect(inspector.keyPair(one)).toBe(inspector.keyPair(one));
    expect(inspector.keyPair({ ...one })).not.toBe(inspector.keyPair(one));
  });
});

describe('caBundle', () => {
  test('gives the certificates alone, whatever the Secret is for otherwise', () => {
    const bundle = `# ours\n${ec.certificate}# theirs\n${other.certificate}# end`;
    const found = inspector.caBundle(secret({ 'tls.crt': 'x', 'tls.key': 'y', 'ca.crt': bundle }, 'kubernetes.io/tls'));
    expect(found).toEqual({ ok: true, value: { certificates: ec.certificate + other.certificate } });
  });

  test('takes a ConfigMap, whose data are text, or base64 among the binary ones', () => {
    const of = (body: object) => inspector.caBundle({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ca' }, ...body });
    const found = { ok: true, value: { certificates: ec.certificate } };
    expect(of({ data: { 'ca.crt': ec.certificate } })).toEqual(found);
    expect(of({ binaryData: { 'ca.crt': btoa(ec.certificate) } })).toEqual(found);
    expect(of({ data: { other: ec.certificate } })).toEqual({ ok: false, error: 'empty "ca.crt" key' });
  });

  test.each([
    { text: '', want: 'empty "ca.crt" key' },
    { text: 'nothing', want: 'invalid CA certificate bundle: failed to locate certificate' },
    { text: pem('X509 CRL', Buffer.from('x')), want: "invalid CA certificate bundle: unexpected block type 'X509 CRL'" },
    { text: pem('CERTIFICATE', Buffer.from('x')), want: 'invalid CA certificate bundle: certificate 1 cannot be decoded' },
  ])('$want', ({ text, want }) => expect(inspector.caBundle(secret({ 'ca.crt': text }))).toEqual({ ok: false, error: want }));
});

describe('revocationList', () => {
  // Of an authority with a key on P-256: one certificate is revoked.
  const list =
    'MIHMMHUCAQEwCgYIKoZIzj0EAwIwHDEaMBgGA1UEAxMRQmVoYXZpb3VyIFRlc3QgQ0EXDTIwMDEwMTAwMDAwMFoYDzIxMDAwMTAxMDAwMDAwWjAmMCQCEQD9KCZYzaJeT0pWACOtGr' +
    'wuFw0yMDAxMDEwMDAwMDBaMAAwCgYIKoZIzj0EAwIDRwAwRAIgRTUB1/dGHRzltO8Ty+3RWVwPBL9tU50NBqgh8/2SVJkCIBVRtELIDc8AJg8AmcBSglrMCfVMFuOZ1cqLzyewJ0fg';
  const crl = pem('X509 CRL', Buffer.from(list, 'base64'));
  test('gives the lists alone', () => {
    expect(inspector.revocationList(secret({ 'crl.pem': `# list\n${crl}` }))).toEqual({ ok: true, value: { crl } });
  });

  test.each([
    {
      text: `${crl}${pem('X509 CRL', Buffer.from('x'))}`,
      want: 'invalid certificate revocation list: list 2 cannot be decoded',
    },
    { text: '', want: 'empty "crl.pem" key' },
    { text: 'nothing', want: 'invalid certificate revocation list: failed to locate CRL' },
    { text: pem('CERTIFICATE', Buffer.from('x')), want: "invalid certificate revocation list: unexpected block type 'CERTIFICATE'" },
  ])('$want', ({ text, want }) => expect(inspector.revocationList(secret({ 'crl.pem': text }))).toEqual({ ok: false, error: want }));
});
