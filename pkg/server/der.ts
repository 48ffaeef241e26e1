/** The few parts of DER (ITU-T X.690) that a certificate is written with. */

/** One element: a tag, the length and the content. */
export function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(body.length)]), body]);
}

export const sequence = (...elements: readonly Uint8Array[]): Buffer => der(0x30, ...elements);
export const setOf = (element: Uint8Array): Buffer => der(0x31, element);
export const octetString = (content: Uint8Array): Buffer => der(0x04, content);
export const utf8String = (text: string): Buffer => der(0x0c, Buffer.from(text));
export const nullValue = (): Buffer => der(0x05);
export const trueValue = (): Buffer => der(0x01, Buffer.from([0xff]));

/** An explicit context tag around an element. */
export const explicit = (tag: number, element: Uint8Array): Buffer => der(0xa0 | tag, element);

/** A primitive context tag in place of an element's own. */
export const implicit = (tag: number, content: Uint8Array): Buffer => der(0x80 | tag, content);

/** A whole number, 0 or more. */
export function integer(value: bigint): Buffer {
  const digits = value.toString(16);
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  // A leading bit that is set would make it negative.
  return der(0x02, bytes[0]! >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

/** A bit string, of whose last byte `unusedBits` do not count. */
export const bitString = (content: Uint8Array, unusedBits = 0): Buffer => der(0x03, Buffer.from([unusedBits]), content);

/** An object identifier such as `2.5.4.3`. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** A time to the second: UTCTime up to 2049, GeneralizedTime from 2050 on, as RFC 5280 section 4.1.2.5 asks. */
export function time(date: Date): Buffer {
  const digits = date
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replace(/\D/g, '');
  return date.getUTCFullYear() < 2050 ? der(0x17, Buffer.from(`${digits.slice(2)}Z`)) : der(0x18, Buffer.from(`${digits}Z`));
}

function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

function base128(value: number): readonly number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(0x80 | (rest % 128));
  return bytes;
}
