import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { ConfigMap } from '../apis/core/v1/config-map.ts';
import type { Secret } from '../apis/core/v1/secret.ts';
import type { Inspection, KeyPair, SecretInspector } from '../kubernetes-cache/secret-inspector.ts';
import { errorMessage } from '../util/error-text.ts';
import { ecCertificateFault } from './certificate-for-envoy.ts';
import { type PemBlock, parsePem } from './pem.ts';

/** Looks into Secrets with the platform's own cryptography; each version of a Secret is looked into once. */
export function secretInspector(): SecretInspector {
  return {
    keyPair: oncePerSecret(inspectKeyPair),
    caBundle: oncePerSecret(inspectCaBundle),
    revocationList: oncePerSecret(inspectRevocationList),
  };
}

/** Memo by identity: a new version of a Secret is a new object. What a part refuses by throwing becomes its error. */
function oncePerSecret<O extends object, T>(inspect: (secret: O) => T): (secret: O) => Inspection<T> {
  const known = new WeakMap<O, Inspection<T>>();
  return (secret) => {
    const before = known.get(secret);
    if (before !== undefined) return before;
    const made = attempt(inspect, secret);
    known.set(secret, made);
    return made;
  };
}

function attempt<O, T>(inspect: (secret: O) => T, secret: O): Inspection<T> {
  try {
    return { ok: true, value: inspect(secret) };
  } catch (error) {
    return { ok: false, error: errorMessage(error) };
  }
}

function inspectKeyPair(secret: Secret): KeyPair {
  requireType(secret);
  const chain = prefixed('invalid TLS certificate', () => certificatesOf(required(secret, 'tls.crt', 'missing TLS certificate')));
  const [leaf] = chain.certificates;
  prefixed('invalid TLS certificate', () => requireName(leaf));
  const { key, text } = prefixed('invalid TLS private key', () => privateKeyOf(required(secret, 'tls.key', 'missing TLS private key')));
  prefixed('invalid TLS private key', () => requireMatch(leaf, key));
  return {
    certificate: chain.text,
    privateKey: text,
    dnsNames: dnsNamesOf(leaf),
    ...(key.asymmetricKeyType !== undefined && { keyType: key.asymmetricKeyType }),
    notBeforeMs: leaf.validFromDate.getTime(),
    notAfterMs: leaf.validToDate.getTime(),
  };
}

function inspectCaBundle(holder: Secret | ConfigMap): { readonly certificates: string } {
  if (holder.kind === 'Secret') requireType(holder);
  const absent = 'empty "ca.crt" key';
  const text = holder.kind === 'Secret' ? required(holder, 'ca.crt', absent) : requiredText(holder, 'ca.crt', absent);
  return { certificates: prefixed('invalid CA certificate bundle', () => certificatesOf(text)).text };
}

function inspectRevocationList(secret: Secret): { readonly crl: string } {
  requireType(secret);
  const text = required(secret, 'crl.pem', 'empty "crl.pem" key');
  const blocks = prefixed('invalid certificate revocation list', () => blocksOf(text, ['X509 CRL']));
  if (blocks.length === 0) throw new Error('invalid certificate revocation list: failed to locate CRL');
  for (const [i, block] of blocks.entries()) requireReadable(block, i);
  return { crl: blocks.map((block) => block.text).join('') };
}

/** Envoy refuses a whole listener for a list that it cannot read. */
function requireReadable({ text }: PemBlock, index: number): void {
  try {
    createSecureContext({ crl: text });
  } catch (error) {
    throw new Error(`invalid certificate revocation list: list ${index + 1} cannot be decoded`, { cause: error });
  }
}

/** An error that says what was being looked at. Absence is told as it is. */
function prefixed<T>(what: string, inspect: () => T): T {
  try {
    return inspect();
  } catch (error) {
    if (error instanceof MissingKey) throw error;
    throw new Error(`${what}: ${errorMessage(error)}`, { cause: error });
  }
}

class MissingKey extends Error {}

function requireType({ type }: Secret): void {
  if (type === undefined || type === '' || type === 'kubernetes.io/tls' || type === 'Opaque') return;
  throw new Error('secret type is not "kubernetes.io/tls" or "Opaque"');
}

function required({ data, stringData }: Secret, name: string, absent: string): string {
  const text = stringData?.[name] ?? Buffer.from(data?.[name] ?? '', 'base64').toString('latin1');
  if (text === '') throw new MissingKey(absent);
  return text;
}

function requiredText({ data, binaryData }: ConfigMap, name: string, absent: string): string {
  const text = data?.[name] ?? Buffer.from(binaryData?.[name] ?? '', 'base64').toString('latin1');
  if (text === '') throw new MissingKey(absent);
  return text;
}

function blocksOf(text: string, types: readonly string[], ignored: readonly string[] = []): readonly PemBlock[] {
  const blocks = parsePem(text).filter(({ type }) => !ignored.includes(type));
  const odd = blocks.find(({ type }) => !types.includes(type));
  if (odd !== undefined) throw new Error(`unexpected block type '${odd.type}'`);
  return blocks;
}

interface Certificates {
  /** PEM of the certificates, in their order. */
  readonly text: string;
  readonly certificates: readonly [X509Certificate, ...X509Certificate[]];
}

function certificatesOf(text: string): Certificates {
  const blocks = blocksOf(text, ['CERTIFICATE']);
  const [first, ...rest] = blocks.map((block, i) => parseCertificate(block, i));
  if (first === undefined) throw new Error('failed to locate certificate');
  return { text: blocks.map((block) => block.text).join(''), certificates: [first, ...rest] };
}

function parseCertificate({ text }: PemBlock, index: number): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (error) {
    throw new Error(`certificate ${index + 1} cannot be decoded`, { cause: error });
  }
}

function requireName({ subject, subjectAltName }: X509Certificate): void {
  const commonName = /^CN=./m.test(subject ?? '');
  if (commonName || /(?:^|, )(?:DNS|IP Address):/.test(subjectAltName ?? '')) return;
  throw new Error('certificate has no common name or subject alt name');
}

/** Names with odd characters stand in quotes there. They are no names of hosts. */
function dnsNamesOf({ subjectAltName }: X509Certificate): readonly string[] {
  return (subjectAltName ?? '').split(', ').flatMap((name) => (/^DNS:[\w.*-]+$/.test(name) ? [name.slice(4)] : []));
}

/** OpenSSL writes `EC PARAMETERS` before a key; the key says it all itself. */
function privateKeyOf(text: string): { readonly key: KeyObject; readonly text: string } {
  const blocks = blocksOf(text, ['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY'], ['EC PARAMETERS']);
  const [block] = blocks;
  if (block === undefined) throw new Error('failed to locate private key');
  if (blocks.length > 1) throw new Error('multiple private keys');
  return { key: decodeKey(block), text: block.text };
}

function decodeKey({ type, text }: PemBlock): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (error) {
    throw new Error(`the ${type} block cannot be decoded`, { cause: error });
  }
}

/** What Envoy takes (tried with 1.40): it refuses the whole listener for another key. */
const curves: ReadonlySet<string | undefined> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);
const minimumRsaBits = 2048;

function requireMatch(leaf: X509Certificate, key: KeyObject): void {
  if (!leaf.checkPrivateKey(key)) throw new Error('it does not belong to the certificate in tls.crt');
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'rsa' && (details?.modulusLength ?? 0) < minimumRsaBits) {
    throw new Error(`Envoy takes RSA keys of at least ${minimumRsaBits} bits, this one has ${details?.modulusLength}`);
  }
  const fault = type === 'ec' ? ecCertificateFault(leaf) : undefined;
  if (fault !== undefined) throw new Error(`Envoy refuses the certificate: ${fault}`);
  if (type === 'ec' && !curves.has(details?.namedCurve)) {
    throw new Error(`Envoy takes keys on the curves P-256, P-384 and P-521, not ${details?.namedCurve ?? 'on others'}`);
  }
  if (type !== 'rsa' && type !== 'ec' && type !== 'ed25519') throw new Error(`Envoy takes no keys of type ${type}`);
}
