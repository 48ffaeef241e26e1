import 'reflect-metadata'; // @peculiar/x509 does not load without it
import { KeyObject, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

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
const leafUsages =
  KeyUsageFlags.digitalSignature | KeyUsageFlags.nonRepudiation | KeyUsageFlags.keyEncipherment | KeyUsageFlags.dataEncipherment;

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
  const authority = await generateKeys();
  const sign = async (subject: Subject): Promise<string> => {
    const made = await X509CertificateGenerator.create({
      issuer: `CN=${authorityName}`,
      signingKey: authority.privateKey,
      subject: `CN=${subject.name}`,
      publicKey: subject.publicKey,
      serialNumber: hexadecimal(subject.serial),
      ...validity,
      extensions: [...subject.extensions],
    });
    return `${made.toString('pem')}\n`;
  };
  const leaf = async (service: string, number: bigint): Promise<CertificatePair> => {
    const { publicKey, privateKey } = await generateKeys();
    const extensions = await leafExtensions(authority.publicKey, service, namespace);
    const cert = await sign({ name: service, publicKey, serial: number, extensions });
    return { cert, key: KeyObject.from(privateKey).export({ type: 'pkcs1', format: 'pem' }).toString() };
  };
  const { publicKey } = authority;
  const ca = await sign({ name: authorityName, publicKey, serial, extensions: await authorityExtensions(publicKey) });
  return { ca, contour: await leaf('contour', serial + 1n), envoy: await leaf('envoy', serial + 2n) };
}

/** What the authority signs. */
interface Subject {
  readonly name: string;
  readonly publicKey: webcrypto.CryptoKey;
  readonly serial: bigint;
  readonly extensions: readonly Extension[];
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  const publicExponent = Uint8Array.of(1, 0, 1);
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048, publicExponent };
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function authorityExtensions(publicKey: webcrypto.CryptoKey): Promise<readonly Extension[]> {
  return [
    new BasicConstraintsExtension(true, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
    await SubjectKeyIdentifierExtension.create(publicKey),
  ];
}

async function leafExtensions(authority: webcrypto.CryptoKey, service: string, namespace: string): Promise<readonly Extension[]> {
  const names = [service, `${service}.${namespace}`, `${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`];
  return [
    new KeyUsagesExtension(leafUsages, true),
    await AuthorityKeyIdentifierExtension.create(authority),
    new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
  ];
}

/** Whole bytes. */
function hexadecimal(value: bigint): string {
  const digits = value.toString(16);
  return digits.padStart(digits.length + (digits.length % 2), '0');
}
