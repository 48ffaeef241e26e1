import { Any } from '../envoy-api/google/protobuf/any.ts';
import type { Duration } from '../envoy-api/google/protobuf/duration.ts';

/** What the generated code gives for each message. */
export interface MessageType<T> {
  readonly $type: string;
  encode(message: T): { finish(): Uint8Array };
}

/** The wire form of a message. */
export function encode<T>(type: MessageType<T>, message: T): Uint8Array {
  return type.encode(message).finish();
}

/** A message within an Any. */
export function packed<T>(type: MessageType<T>, message: T): Any {
  return Any.fromPartial({ typeUrl: `type.googleapis.com/${type.$type}`, value: encode(type, message) });
}

/** A duration of some milliseconds, which may have a fraction, or not be whole. */
export function duration(milliseconds: number): Duration {
  const seconds = Math.trunc(milliseconds / 1000);
  return { seconds, nanos: Math.round((milliseconds - seconds * 1000) * 1e6) };
}

/**
 * The three-way timeouts: absent is Envoy's default, `'disabled'` is an explicit zero, which switches the timeout off. Whole milliseconds,
 * rounded up: Envoy cuts the rest off, and what is left of half a millisecond would switch the timeout off.
 */
export function timeout(setting: number | 'disabled' | undefined): Duration | undefined {
  return setting === undefined ? undefined : duration(setting === 'disabled' ? 0 : Math.ceil(setting));
}

/** A message in wire form: what comes first, then `parts` as the repeated message field `field`. */
export function withMessages(first: Uint8Array, field: number, parts: readonly Uint8Array[]): Uint8Array {
  const heads = parts.map((part) => head(field, part.length));
  let length = first.length;
  for (const [index, part] of parts.entries()) length += heads[index]!.length + part.length;
  const joined = new Uint8Array(length);
  joined.set(first);
  let at = first.length;
  for (const [index, part] of parts.entries()) {
    joined.set(heads[index]!, at);
    at += heads[index]!.length;
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Tag and length of a length-delimited field. */
function head(field: number, length: number): number[] {
  return [...varint(field * 8 + 2), ...varint(length)];
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
  return bytes;
}
