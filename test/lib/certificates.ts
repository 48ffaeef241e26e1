import 'reflect-metadata'; // @peculiar/x509 does not load without it
import { KeyObject, webcrypto } from 'node:crypto';
import { PemConverter, SubjectAlternativeNameExtension, SubjectKeyIdentifierExtension, X509CertificateGenerator } from '@peculiar/x509';

/** Throw-away key material, in PEM. */
export interface Material {
  readonly certificate: string;
  /** PKCS #8. */
  readonly privateKey: string;
}

export interface SelfSignedOptions {
  /** Default `p256`. */
  readonly algorithm?: keyof typeof algorithms;
  /** Common name; none where it is `''`, which leaves an organization alone. */
  readonly commonName?: string;
  readonly dnsNames?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', publicExponent: Uint8Array.of(1, 0, 1) };
const algorithms = {
  p256: { name: 'ECDSA', namedCurve: 'P-256' },
  rsa2048: { ...rsa, modulusLength: 2048 },
  rsa1024: { ...rsa, modulusLength: 1024 },
} as const;

/** A self-signed certificate for `localhost` and its key; valid from 2020 to 2100 if not told otherwise. */
export async function selfSigned(options: SelfSignedOptions = {}): Promise<Material> {
  const { algorithm = 'p256', commonName = 'test', dnsNames = ['localhost'] } = options;
  const keys = await webcrypto.subtle.generateKey(algorithms[algorithm], true, ['sign', 'verify']);
  const alternatives = dnsNames.map((value) => ({ type: 'dns', value }) as const);
  const made = await X509CertificateGenerator.createSelfSigned({
    keys,
    name: [commonName === '' ? { O: ['nobody'] } : { CN: [commonName] }],
    notBefore: options.notBefore ?? new Date('2020-01-01T00:00:00Z'),
    notAfter: options.notAfter ?? new Date('2100-01-01T00:00:00Z'),
    extensions: [
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ...(alternatives.length === 0 ? [] : [new SubjectAlternativeNameExtension(alternatives)]),
    ],
  });
  const privateKey = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
  return { certificate: `${made.toString('pem')}\n`, privateKey };
}

/** A PEM block. */
export function pem(type: string, content: Uint8Array): string {
  return `${PemConverter.encode(content, type)}\n`;
}
