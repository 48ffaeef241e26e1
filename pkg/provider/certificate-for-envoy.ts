import type { X509Certificate } from 'node:crypto';

/** `06 07` and the object identifier id-ecPublicKey (RFC 5480, 2.1.1), which its parameters follow. */
const ecPublicKey = Buffer.from('06072a8648ce3d0201', 'hex');
/** `06 03` and the object identifier id-ce-keyUsage (RFC 5280, 4.2.1.3). */
const keyUsage = Buffer.from('0603551d0f', 'hex');

const sequenceTag = 0x30;
const booleanTag = 0x01;
const bitStringTag = 0x03;
const digitalSignature = 0x80;

/**
 * Why Envoy refuses a serving certificate of a key on an elliptic curve, with the whole listener; `undefined` if it does not. Its TLS
 * library takes curves by name only, and no certificate whose key may not sign (tried with Envoy 1.40).
 */
export function ecCertificateFault({ raw }: X509Certificate): string | undefined {
  const at = raw.indexOf(ecPublicKey);
  if (at < 0) return undefined;
  if (raw[at + ecPublicKey.length] === sequenceTag) return 'its curve is given by explicit parameters; Envoy takes curves by name only';
  const usage = keyUsageBits(raw);
  const mayNotSign = usage !== undefined && (usage & digitalSignature) === 0;
  return mayNotSign ? 'its key usage lacks digitalSignature, without which Envoy does not take it' : undefined;
}

/** The first eight bits of the key usage extension; `undefined` where there is none. */
function keyUsageBits(raw: Buffer): number | undefined {
  const at = raw.indexOf(keyUsage);
  if (at < 0) return undefined;
  // `critical` may stand between the identifier and the octet string.
  const value = at + keyUsage.length + (raw[at + keyUsage.length] === booleanTag ? 3 : 0);
  return raw[value + 2] === bitStringTag ? raw[value + 5] : undefined;
}
