import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** Throw-away key material, in PEM. */
export interface Material {
  readonly certificate: string;
  /** PKCS #8. */
  readonly privateKey: string;
}

export interface SelfSignedOptions {
  /** Default `p256`. */
  readonly algorithm?: 'p256' | 'rsa2048' | 'rsa1024';
  /** Common name; none where it is `''`, which leaves an organization alone. */
  readonly commonName?: string;
  readonly dnsNames?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** A self-signed certificate for `localhost` and its key; valid from 2020 to 2100 if not told otherwise. */
export function selfSigned(options: SelfSignedOptions = {}): Material {
  const { algorithm = 'p256', commonName = 'test', dnsNames = ['localhost'] } = options;
  const { publicKey, privateKey } = keysOf(algorithm);
  const signature = algorithm === 'p256' ? sequence(oid('2a8648ce3d040302')) : sequence(oid('2a864886f70d01010b'), der(0x05));
  const name = commonName === '' ? nameOf('55040a', 'nobody') : nameOf('550403', commonName);
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    signature,
    name,
    sequence(time(options.notBefore ?? new Date('2020-01-01T00:00:00Z')), time(options.notAfter ?? new Date('2100-01-01T00:00:00Z'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(dnsNames.length === 0 ? [] : [der(0xa3, sequence(subjectAlternativeName(dnsNames)))]),
  );
  const signed = sequence(body, signature, bits(sign('sha256', body, privateKey)));
  return { certificate: pem('CERTIFICATE', signed), privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
}

/** A PEM block. */
export function pem(type: string, content: Uint8Array): string {
  const lines =
    Buffer.from(content)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${type}-----\n${lines.join('\n')}\n-----END ${type}-----\n`;
}

function keysOf(algorithm: 'p256' | 'rsa2048' | 'rsa1024'): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm === 'p256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return generateKeyPairSync('rsa', { modulusLength: algorithm === 'rsa2048' ? 2048 : 1024 });
}

/** A value in ASN.1's distinguished encoding: tag, length, content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthOf(content), content]);
}

/** In as few bytes as it goes: BoringSSL, in Envoy, takes no other. */
function lengthOf({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.of(length);
  return length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff);
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const bits = (content: Uint8Array): Buffer => der(0x03, Buffer.of(0), content);
const nameOf = (attribute: string, text: string): Buffer => sequence(der(0x31, sequence(oid(attribute), der(0x0c, Buffer.from(text)))));
const time = (moment: Date): Buffer => der(0x18, Buffer.from(`${moment.toISOString().replace(/[-:T]|\..*/g, '')}Z`));

function subjectAlternativeName(dnsNames: readonly string[]): Buffer {
  const names = sequence(...dnsNames.map((dnsName) => der(0x82, Buffer.from(dnsName))));
  return sequence(oid('551d11'), der(0x04, names));
}
