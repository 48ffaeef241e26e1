import { createHash, generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import {
  bitString,
  explicit,
  implicit,
  integer,
  nullValue,
  objectIdentifier,
  octetString,
  sequence,
  setOf,
  time,
  trueValue,
  utf8String,
} from './der.ts';

export interface CertificateOptions {
  /** The namespace of the services, which stands in the certificates' names. */
  readonly namespace: string;
  /** In days; a positive whole number. Default 365. */
  readonly lifetimeDays?: number;
  /** The present. Certificates are valid from a day before, for clocks that are slow. */
  readonly now: Date;
}

/** A certificate with its private key (PKCS#1), PEM. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

/** What the two ends of the xDS connection need. The authority's key is thrown away. */
export interface GeneratedCertificates {
  /** The authority's certificate, PEM. */
  readonly ca: string;
  /** The server's end. */
  readonly contour: CertificatePair;
  /** The proxies' end. */
  readonly envoy: CertificatePair;
}

const defaultLifetimeDays = 365;
const dayMs = 86_400_000;
const authorityName = 'Project Contour';

/**
 * Makes an authority and two certificates by it: for the services `contour` and `envoy` of a namespace. Keys are RSA with 2048 bits.
 *
 * @throws {RangeError} if the lifetime is not a positive whole number of days, or ends after the year 9999.
 * @see Contour `pkg/certs/certgen.go`
 */
export async function generateCertificates(options: CertificateOptions): Promise<GeneratedCertificates> {
  const { namespace, now, lifetimeDays = defaultLifetimeDays } = options;
  const validity = { notBefore: new Date(now.getTime() - dayMs), notAfter: new Date(now.getTime() + lifetimeDays * dayMs) };
  if (!Number.isSafeInteger(lifetimeDays) || lifetimeDays < 1 || !(validity.notAfter.getUTCFullYear() <= 9999)) {
    throw new RangeError(`the certificate lifetime must be a whole number of days, at least 1, not ${lifetimeDays}`);
  }
  // Nanoseconds since 1970, and counted on from there: an authority must not give a number twice.
  const serial = BigInt(now.getTime()) * 1_000_000n;
  const authority = { name: authorityName, keys: await generateKeys() };
  const ca = certificate(authority, {
    name: authorityName,
    key: authority.keys.publicKey,
    serial,
    validity,
    extensions: authorityExtensions(authority),
  });
  const leaf = async (service: string, number: bigint): Promise<CertificatePair> => {
    const keys = await generateKeys();
    const extensions = leafExtensions(authority, service, namespace);
    const cert = certificate(authority, { name: service, key: keys.publicKey, serial: number, validity, extensions });
    return { cert, key: keys.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString() };
  };
  return { ca, contour: await leaf('contour', serial + 1n), envoy: await leaf('envoy', serial + 2n) };
}

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

interface Authority {
  readonly name: string;
  readonly keys: KeyPair;
}

/** What an authority signs. */
interface Subject {
  readonly name: string;
  readonly key: KeyObject;
  readonly serial: bigint;
  readonly validity: { readonly notBefore: Date; readonly notAfter: Date };
  readonly extensions: readonly Buffer[];
}

function generateKeys(): Promise<KeyPair> {
  return promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
}

/** A certificate of RFC 5280 section 4.1, PEM. */
function certificate(issuer: Authority, subject: Subject): string {
  const algorithm = sequence(objectIdentifier('1.2.840.113549.1.1.11'), nullValue()); // sha256WithRSAEncryption
  const body = sequence(
    explicit(0, integer(2n)), // version 3
    integer(subject.serial),
    algorithm,
    distinguishedName(issuer.name),
    sequence(time(subject.validity.notBefore), time(subject.validity.notAfter)),
    distinguishedName(subject.name),
    subject.key.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...subject.extensions)),
  );
  const signed = sequence(body, algorithm, bitString(sign('sha256', body, issuer.keys.privateKey)));
  const lines = signed.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function distinguishedName(commonName: string): Buffer {
  return sequence(setOf(sequence(objectIdentifier('2.5.4.3'), utf8String(commonName))));
}

// The bits of keyUsage (RFC 5280 section 4.2.1.3), the first being the highest.
const leafUsage = 0b1111_0000; // digitalSignature, contentCommitment, keyEncipherment, dataEncipherment
const authorityUsage = 0b0000_0100; // keyCertSign

function authorityExtensions({ keys }: Authority): readonly Buffer[] {
  return [
    extension('2.5.29.19', sequence(trueValue()), 'critical'), // basicConstraints: an authority
    keyUsage(authorityUsage),
    extension('2.5.29.14', octetString(keyIdentifier(keys.publicKey))), // subjectKeyIdentifier
  ];
}

function leafExtensions({ keys }: Authority, service: string, namespace: string): readonly Buffer[] {
  const names = [service, `${service}.${namespace}`, `${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`];
  return [
    keyUsage(leafUsage),
    extension('2.5.29.35', sequence(implicit(0, keyIdentifier(keys.publicKey)))), // authorityKeyIdentifier
    extension('2.5.29.17', sequence(...names.map((name) => implicit(2, Buffer.from(name))))), // subjectAltName, DNS names
  ];
}

function keyUsage(bits: number): Buffer {
  const unusedBits = Math.clz32(bits & -bits) ^ 31;
  return extension('2.5.29.15', bitString(Buffer.from([bits]), unusedBits), 'critical');
}

function extension(identifier: string, value: Buffer, critical?: 'critical'): Buffer {
  const marks = critical === undefined ? [] : [trueValue()];
  return sequence(objectIdentifier(identifier), ...marks, octetString(value));
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'pkcs1', format: 'der' }))
    .digest();
}
