/** Throw-away certificates, keys, revocation lists and tokens, by the file names that cases use. */
import 'reflect-metadata'; // @peculiar/x509 does not load without it
import { createPrivateKey, createSign, KeyObject, X509Certificate as NodeCertificate, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  type Extension,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
  X509CrlGenerator,
  X509CrlReason,
} from '@peculiar/x509';

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', publicExponent: Uint8Array.of(1, 0, 1), modulusLength: 2048 } as const;
const validFrom = new Date('2020-01-01T00:00:00Z');
const validTo = new Date('2100-01-01T00:00:00Z');
/** The DER of the object identifier of P-256, as `openssl ecparam` writes it before a key. */
const p256Parameters = 'BggqhkjOPQMBBw==';

export interface KeyMaterial {
  /** The text of a file. @throws {Error} if there is none. */
  file(name: string): string;
  /** The name of a served certificate, by its DER bytes. */
  nameOf(certificate: Uint8Array): string;
}

interface Identity {
  readonly keys: webcrypto.CryptoKeyPair;
  readonly certificate: X509Certificate;
}

interface LeafOptions {
  readonly commonName?: string;
  readonly alternatives: readonly { readonly type: 'dns' | 'url'; readonly value: string }[];
  readonly algorithm?: typeof ecdsa | typeof rsa;
  readonly notAfter?: Date;
}

/** Makes all of it; takes a second. */
export async function makeKeyMaterial(): Promise<KeyMaterial> {
  const files = new Map<string, string>();
  const served = new Map<string, string>();
  const keep = (name: string, { keys, certificate }: Identity): void => {
    files.set(`${name}.crt`, `${certificate.toString('pem')}\n`);
    files.set(`${name}.key`, keyPem(KeyObject.from(keys.privateKey), 'pkcs8'));
    served.set(Buffer.from(certificate.rawData).toString('base64'), name);
  };
  const ca = await authority('Behaviour Test CA');
  const other = await authority('Another Test CA');
  keep('ca', ca);
  keep('ca-other', other);
  for (const [name, options, issuer = ca] of leaves(other)) keep(name, await leaf(options, issuer));
  keep('ecparams', await selfSignedLeaf({ commonName: 'ecparams', alternatives: dns('ecparams.test') }));
  keep('noname', await selfSignedLeaf({ alternatives: [] }));
  combine(files);
  await addRevocations(files, ca);
  await addTokens(files);
  return {
    file: (name) => {
      const text = files.get(name);
      if (text === undefined) throw new Error(`no key material ${name}`);
      return text;
    },
    nameOf: (certificate) => served.get(Buffer.from(certificate).toString('base64')) ?? 'unknown',
  };
}

const dns = (...names: readonly string[]) => names.map((value) => ({ type: 'dns', value }) as const);

function leaves(other: Identity): readonly (readonly [string, LeafOptions, Identity?])[] {
  const named = (name: string, ...names: readonly string[]) => ({ commonName: name, alternatives: dns(...names) });
  return [
    ['leaf-a', { ...named('leaf-a', '*.test', 'leaf-a.test'), algorithm: rsa }],
    ['leaf-b', named('leaf-b', '*.test', 'leaf-b.test')],
    ['leaf-c', named('leaf-c', 'leaf-c.test')],
    ['wild', named('wild', '*.wild.test')],
    ['fallback', named('fallback', 'fallback.test')],
    ['default', named('default', 'default.test')],
    ['backend', named('backend', 'backend.test', 'alt.backend.test')],
    ['backend-other', named('backend-other', 'backend.test'), other],
    ['client', { commonName: 'client-good', alternatives: [...dns('client-good'), { type: 'url', value: 'spiffe://test/client' }] }],
    ['client-bad', named('client-bad', 'client-bad')],
    ['client-other', named('client-other', 'client-other'), other],
    ['envoy-client', named('envoy-client', 'envoy-client')],
    ['envoy-client2', named('envoy-client2', 'envoy-client2')],
    ['expired', { ...named('expired', 'expired.test'), notAfter: new Date('2021-01-01T00:00:00Z') }],
  ];
}

async function authority(name: string): Promise<Identity> {
  const keys = await webcrypto.subtle.generateKey(ecdsa, true, ['sign', 'verify']);
  const extensions: Extension[] = [new BasicConstraintsExtension(true, undefined, true)];
  const subject = [{ CN: [name] }];
  const certificate = await X509CertificateGenerator.createSelfSigned({
    keys,
    name: subject,
    notBefore: validFrom,
    notAfter: validTo,
    extensions,
  });
  return { keys, certificate };
}

async function leaf({ commonName, alternatives, algorithm = ecdsa, notAfter = validTo }: LeafOptions, issuer: Identity): Promise<Identity> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.create({
    publicKey: keys.publicKey,
    subject: subjectOf(commonName),
    issuer: issuer.certificate.subjectName,
    signingKey: issuer.keys.privateKey,
    signingAlgorithm: ecdsa,
    notBefore: validFrom,
    notAfter,
    extensions: alternativeNames(alternatives),
  });
  return { keys, certificate };
}

async function selfSignedLeaf({ commonName, alternatives }: LeafOptions): Promise<Identity> {
  const keys = await webcrypto.subtle.generateKey(ecdsa, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    keys,
    name: subjectOf(commonName),
    notBefore: validFrom,
    notAfter: validTo,
    extensions: alternativeNames(alternatives),
  });
  return { keys, certificate };
}

function keyPem(key: KeyObject, type: 'pkcs8' | 'sec1'): string {
  return key.export({ type, format: 'pem' }).toString();
}

function subjectOf(commonName: string | undefined) {
  return [commonName === undefined ? { O: ['nobody'] } : { CN: [commonName] }];
}

function alternativeNames(names: LeafOptions['alternatives']): Extension[] {
  return names.length === 0 ? [] : [new SubjectAlternativeNameExtension([...names])];
}

/** Files that are made of others, and files that are broken. */
function combine(files: Map<string, string>): void {
  const text = (name: string): string => files.get(name) ?? '';
  files.set('expired-chain.crt', text('expired.crt') + text('ca.crt'));
  files.set('chain-b.crt', text('leaf-b.crt') + text('ca.crt'));
  files.set(
    'ecparams.key',
    `-----BEGIN EC PARAMETERS-----\n${p256Parameters}\n-----END EC PARAMETERS-----\n${keyPem(createPrivateKey(text('ecparams.key')), 'sec1')}`,
  );
  files.set('bad-pkcs1.key', '-----BEGIN RSA PRIVATE KEY-----\nAAAAAAAA\n-----END RSA PRIVATE KEY-----\n');
  files.set('garbage.pem', 'this is not PEM\n');
  files.set('two.key', text('leaf-a.key') + text('leaf-a.key'));
  files.set('ca-comments.crt', `${text('ca.crt')}\n# a comment after the block\n`);
  files.set('ca-both.crt', text('ca.crt') + text('ca-other.crt'));
}

async function addRevocations(files: Map<string, string>, { keys, certificate }: Identity): Promise<void> {
  const list = async (serialNumbers: readonly string[]): Promise<string> => {
    const crl = await X509CrlGenerator.create({
      issuer: certificate.subject,
      thisUpdate: validFrom,
      nextUpdate: validTo,
      // Without a reason the library writes an empty list of extensions, which Envoy's parser refuses.
      entries: serialNumbers.map((serialNumber) => ({ serialNumber, revocationDate: validFrom, reason: X509CrlReason.keyCompromise })),
      signingAlgorithm: ecdsa,
      signingKey: keys.privateKey,
    });
    return `${PemConverter.encode(crl.rawData, 'X509 CRL')}\n`;
  };
  files.set('crl-empty.pem', await list([]));
  files.set('crl-bad.pem', await list([new NodeCertificate(files.get('client-bad.crt') ?? '').serialNumber]));
}

/** Two JSON web keys, and tokens of issuers and audiences. */
async function addTokens(files: Map<string, string>): Promise<void> {
  const keys = await Promise.all(['jwt', 'jwt2'].map(async (name) => [name, await jsonWebKey(name)] as const));
  const [first, second] = keys.map(([, key]) => key);
  files.set('jwks.json', JSON.stringify({ keys: [first?.published] }));
  files.set('jwks2.json', JSON.stringify({ keys: [second?.published] }));
  const far = 4_102_444_800;
  const tokens = [
    ['good', first, 'issuer.test', 'aud-1', far],
    ['other-aud', first, 'issuer.test', 'aud-2', far],
    ['other-iss', first, 'wrong.test', 'aud-1', far],
    ['expired', first, 'issuer.test', 'aud-1', 1_000_000_000],
    ['key2', second, 'issuer.test', 'aud-1', far],
  ] as const;
  for (const [name, key, iss, aud, exp] of tokens) {
    if (key !== undefined) files.set(`${name}.jwt`, token(key, { iss, aud, sub: 'tester', exp }));
  }
}

interface SigningKey {
  readonly published: { readonly kid: string };
  readonly key: KeyObject;
}

async function jsonWebKey(kid: string): Promise<SigningKey> {
  const { publicKey, privateKey } = await webcrypto.subtle.generateKey(rsa, true, ['sign', 'verify']);
  const { kty, n, e } = await webcrypto.subtle.exportKey('jwk', publicKey);
  return { published: { kty, n, e, alg: 'RS256', use: 'sig', kid } as SigningKey['published'], key: KeyObject.from(privateKey) };
}

function token({ published: { kid }, key }: SigningKey, claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'RS256', typ: 'JWT', kid })}.${part(claims)}`;
  return `${signed}.${createSign('sha256').update(signed).sign(key, 'base64url')}`;
}
