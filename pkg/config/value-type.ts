import { parseGoDuration } from '../k8s/duration.ts';
import type { NamespacedName, TimeoutSetting } from './config.ts';

/** A scalar of a YAML file with its text: a setting that is text takes `1.20` as it stands, not as the number 1.2. */
export class YamlScalar {
  readonly value: unknown;
  readonly text: string;

  constructor(value: unknown, text: string) {
    this.value = value;
    this.text = text;
  }
}

/** How a setting is read, from a file or an object (`fromJson`) and from a flag or the environment (`fromText`). */
export interface ValueType<T> {
  /** Names the value in the usage text, such as `PORT`; `''` for a switch, which takes none. */
  readonly placeholder: string;
  /** @throws {RangeError} that says what the value must be. */
  fromJson(value: unknown): T;
  /** @throws {RangeError} that says what the value must be. */
  fromText(text: string): T;
}

/** Text, as it stands. */
export const text: ValueType<string> = textType('TEXT', (value) => value);

/** A switch. YAML 1.1's words (`yes`, `off`) count too, as Go's decoder takes them. */
export const flag: ValueType<boolean> = { placeholder: '', fromJson: flagFromJson, fromText: flagFromText };

/** A TCP port; 0 lets the system choose, which makes sense for our own servers only. */
export const ownPort: ValueType<number> = integer(0, 65_535, 'PORT');

/** A TCP port of Envoy's. */
export const port: ValueType<number> = integer(1, 65_535, 'PORT');

/** A Go duration in milliseconds, 0 or more. */
export const duration: ValueType<number> = textType('DURATION', (value) => {
  const ms = durationMs(value);
  if (ms < 0) throw new RangeError('must not be negative');
  return ms;
});

/** A timeout with three states: `infinity` disables, any zero is the default, else a duration in milliseconds. */
export const timeout: ValueType<TimeoutSetting> = textType('DURATION', (value) => {
  if (value === 'infinity' || value === 'infinite') return 'disabled';
  const ms = durationMs(value);
  if (ms < 0) throw new RangeError('must not be negative');
  return ms === 0 ? undefined : ms;
});

/** A list in one text, separated by commas; spaces around an entry and empty entries are dropped. */
export const commaList: ValueType<readonly string[]> = textType('LIST', splitAtCommas);

/** A list of texts; on the command line separated by commas. */
export const textList: ValueType<readonly string[]> = listOf(text);

/** `namespace/name`. */
export const slashedName: ValueType<NamespacedName> = textType('NAMESPACE/NAME', (value) => {
  const [namespace = '', name = '', ...rest] = value.split('/');
  if (namespace === '' || name === '' || rest.length > 0) throw new RangeError('must be namespace/name');
  return { namespace, name };
});

/** A whole number within bounds, both included. */
export function integer(min: number, max: number, placeholder = 'NUMBER'): ValueType<number> {
  const check = (value: number): number => {
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw new RangeError(`must be a whole number from ${min} to ${max}`);
  };
  return {
    placeholder,
    fromJson: (value) => check(numberFromJson(value)),
    fromText: (value) => check(/^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN),
  };
}

/** A number of at least `min`. */
export function decimal(min: number, placeholder = 'NUMBER'): ValueType<number> {
  const check = (value: number): number => {
    if (Number.isFinite(value) && value >= min) return value;
    throw new RangeError(`must be a number of at least ${min}`);
  };
  return {
    placeholder,
    fromJson: (value) => check(numberFromJson(value)),
    fromText: (value) => check(value.trim() === '' ? Number.NaN : Number(value)),
  };
}

/** One of some words. */
export function oneOf<const W extends string>(...words: readonly W[]): ValueType<W> {
  return textType(words.join('|'), (value) => {
    const found = words.find((word) => word === value);
    if (found === undefined) throw new RangeError(`must be one of ${words.map((word) => JSON.stringify(word)).join(', ')}`);
    return found;
  });
}

/** A list; on the command line separated by commas. */
export function listOf<T>(item: ValueType<T>): ValueType<readonly T[]> {
  return {
    placeholder: 'LIST',
    fromJson: (value) => {
      if (!Array.isArray(value)) throw new RangeError('must be a list');
      return value.map((entry, i) => within(`[${i}]`, entry, item));
    },
    fromText: (value) => splitAtCommas(value).map((entry) => item.fromText(entry)),
  };
}

/** A map from names to texts. */
export const textMap: ValueType<Readonly<Record<string, string>>> = jsonType((value) => {
  const entries = Object.entries(asObject(value));
  return Object.fromEntries(entries.map(([key, entry]) => [key, within(key, entry, text)]));
});

/** The value types of an object's fields, each of which may be absent. */
export type Fields = Readonly<Record<string, ValueType<unknown>>>;

/** What `shape` reads. */
export type Shaped<F extends Fields> = { readonly [K in keyof F]?: F[K] extends ValueType<infer T> ? T : never };

/** An object with known fields only. A field that is null or `''` is absent. */
export function shape<F extends Fields>(fields: F): ValueType<Shaped<F>> {
  return jsonType((value) => {
    const out: Record<string, unknown> = {};
    for (const [key, entry] of Object.entries(asObject(value))) {
      const type = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (type === undefined) throw new RangeError(`unknown key ${JSON.stringify(key)}`);
      if (!isAbsent(entry)) out[key] = within(key, entry, type);
    }
    return out as Shaped<F>;
  });
}

/** Reads as `type` does, then checks or changes the value. */
export function refined<T, U>(type: ValueType<T>, change: (value: T) => U): ValueType<U> {
  return {
    placeholder: type.placeholder,
    fromJson: (value) => change(type.fromJson(value)),
    fromText: (value) => change(type.fromText(value)),
  };
}

/** Whether a value counts as not given. An explicit 0 or false does count: it replaces the default. */
export function isAbsent(value: unknown): boolean {
  const inner = value instanceof YamlScalar ? value.value : value;
  return inner === undefined || inner === null || inner === '';
}

function jsonType<T>(fromJson: (value: unknown) => T): ValueType<T> {
  const fromText = (): T => {
    throw new RangeError('cannot be given on the command line');
  };
  return { placeholder: 'VALUE', fromJson, fromText };
}

function textType<T>(placeholder: string, fromText: (text: string) => T): ValueType<T> {
  return { placeholder, fromText, fromJson: (value) => fromText(textFromJson(value)) };
}

function within<T>(key: string, value: unknown, type: ValueType<T>): T {
  try {
    return type.fromJson(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new RangeError(`${key}: ${error.message}`);
  }
}

function textFromJson(value: unknown): string {
  if (value instanceof YamlScalar) return value.text;
  if (typeof value === 'string') return value;
  throw new RangeError('must be text');
}

function numberFromJson(value: unknown): number {
  const inner = value instanceof YamlScalar ? value.value : value;
  return typeof inner === 'number' ? inner : Number.NaN;
}

const flagWords: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  y: true,
  false: false,
  no: false,
  off: false,
  n: false,
};

function flagFromJson(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (value instanceof YamlScalar) {
    if (typeof value.value === 'boolean') return value.value;
    const word = value.text.toLowerCase();
    if (Object.hasOwn(flagWords, word)) return flagWords[word]!;
  }
  throw new RangeError('must be true or false');
}

function flagFromText(value: string): boolean {
  if (/^(1|t|T|true|TRUE|True)$/.test(value)) return true;
  if (/^(0|f|F|false|FALSE|False)$/.test(value)) return false;
  throw new RangeError('must be true or false');
}

function durationMs(value: string): number {
  try {
    return parseGoDuration(value);
  } catch {
    throw new RangeError('must be a duration such as 250ms, 30s or 1m30s');
  }
}

function splitAtCommas(value: string): readonly string[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof YamlScalar)
    throw new RangeError('must be a map');
  return value as Readonly<Record<string, unknown>>;
}
