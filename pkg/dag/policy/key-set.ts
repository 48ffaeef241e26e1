import type { Secret } from '../../apis/core/v1/secret.ts';
import { decodeBase64 } from '../../apis/validation/base64.ts';
import { fail, type Outcome, ok } from '../../util/outcome.ts';

/**
 * The JSON Web Key Set (RFC 7517, 5) that a Secret has under a key. The problem has no type or reason of its own; its message never shows
 * what is in the Secret.
 */
export function keySetOf(secret: Secret, key: string): Outcome<string> {
  const text = secretText(secret, key);
  if (text === undefined) return invalid(`Secret has no key "${key}"`);
  const fault = keySetFault(text);
  return fault === undefined ? ok(text) : invalid(`the value under key "${key}" ${fault}`);
}

function invalid(message: string): Outcome<never> {
  return fail('', '', message);
}

function secretText({ data, stringData }: Secret, key: string): string | undefined {
  if (stringData !== undefined && Object.hasOwn(stringData, key)) return stringData[key];
  const encoded = data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined;
  return encoded === undefined ? undefined : decodeBase64(encoded);
}

/** Envoy reads it only when the first token comes, and then refuses every token without a word to the owner. */
function keySetFault(text: string): string | undefined {
  const parsed = parse(text);
  if (!isObject(parsed)) return 'is not a JSON object';
  const keys = parsed['keys'];
  if (!Array.isArray(keys) || keys.length === 0) return 'has no "keys"';
  const odd = keys.findIndex((entry: unknown) => !isObject(entry) || typeof entry['kty'] !== 'string');
  return odd < 0 ? undefined : `has no "kty" in keys[${odd}]`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
