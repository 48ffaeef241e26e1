import type { JsonValue, StructuralSchema } from './structural.ts';

/**
 * One value that is a TypeScript type (`Static`), the OpenAPI schema of a CustomResourceDefinition, and the rules by
 * which file mode admits an object. Made by the functions of this file only.
 */
export interface Schema<T> {
  readonly openapi: StructuralSchema;
  readonly isOptional?: boolean;
  /** Carries the type; never set. */
  readonly type?: T;
}

/** The TypeScript type of the values that a schema admits. */
export type Static<S> = S extends Schema<infer T> ? T : never;

/** A schema of a property that may be absent. */
export type Optional<T> = Schema<T> & { readonly isOptional: true };

/** A rule that JSON schema cannot say. Both halves must agree; `test/apiserver` proves it on its corpus. */
export interface Rule<T> {
  /** For the API server. */
  readonly cel: string;
  /** For file mode. */
  readonly check: (self: T) => boolean;
  readonly message: string;
}

type Shape = Readonly<Record<string, Schema<unknown>>>;
type OptionalKeys<P extends Shape> = { [K in keyof P]: P[K] extends { readonly isOptional: true } ? K : never }[keyof P];

/** The type of an object with the properties of a shape. */
export type ObjectOf<P extends Shape> = {
  readonly [K in Exclude<keyof P, OptionalKeys<P>>]: Static<P[K]>;
} & {
  readonly [K in OptionalKeys<P>]?: Static<P[K]>;
};

/** Options that every kind of schema has. */
interface CommonOptions {
  /** Set by the API server where the property is absent. */
  readonly default?: JsonValue;
}

interface StringOptions extends CommonOptions {
  /** A regular expression in Go's dialect; it is not anchored. */
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: 'date-time';
}

interface IntegerOptions extends CommonOptions {
  readonly format?: 'int32' | 'int64';
  readonly minimum?: number;
  readonly maximum?: number;
}

interface ListOptions extends CommonOptions {
  readonly minItems?: number;
  readonly maxItems?: number;
  /** The list is a map: these properties together are unique, and patches merge by them. */
  readonly mapKeys?: readonly string[];
  /** A patch replaces the list as a whole. */
  readonly atomic?: boolean;
}

interface ObjectOptions<T> extends CommonOptions {
  readonly rules?: readonly Rule<T>[];
  /** A patch replaces the object as a whole. */
  readonly atomic?: boolean;
}

/** A string. The description is what `kubectl explain` shows, here as in all of these functions. */
export function string(description: string, options: StringOptions = {}): Schema<string> {
  return { openapi: { type: 'string', ...described(description), ...options } };
}

/** One of some strings. */
export function oneOf<const V extends readonly string[]>(description: string, values: V, options: CommonOptions = {}): Schema<V[number]> {
  return { openapi: { type: 'string', ...described(description), enum: values, ...options } };
}

/** A whole number. */
export function integer(description: string, options: IntegerOptions = {}): Schema<number> {
  return { openapi: { type: 'integer', ...described(description), ...options } };
}

/** One of some whole numbers. */
export function oneOfIntegers<const V extends readonly number[]>(
  description: string,
  values: V,
  options: IntegerOptions = {},
): Schema<V[number]> {
  return { openapi: { type: 'integer', ...described(description), enum: values, ...options } };
}

/** A truth value. */
export function boolean(description: string, options: CommonOptions = {}): Schema<boolean> {
  return { openapi: { type: 'boolean', ...described(description), ...options } };
}

/** A number, or a string such as `25%` or the name of a port. */
export function intOrString(description: string, options: { readonly pattern?: string } = {}): Schema<number | string> {
  return {
    openapi: {
      ...described(description),
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      'x-kubernetes-int-or-string': true,
      ...options,
    },
  };
}

/** A list. */
export function list<T>(description: string, item: Schema<T>, options: ListOptions = {}): Schema<readonly T[]> {
  const { mapKeys, atomic, ...bounds } = options;
  return {
    openapi: {
      type: 'array',
      ...described(description),
      items: item.openapi,
      ...bounds,
      ...(mapKeys !== undefined && { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': mapKeys }),
      ...(atomic === true && { 'x-kubernetes-list-type': 'atomic' }),
    },
  };
}

/** A map from any string. */
export function dictionary<T>(description: string, value: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return { openapi: { type: 'object', ...described(description), additionalProperties: value.openapi } };
}

/** An object whose properties are known. Those that are not `optional` must be there. */
export function object<const P extends Shape>(
  description: string,
  shape: P,
  options: ObjectOptions<ObjectOf<P>> = {},
): Schema<ObjectOf<P>> {
  const { rules, atomic, ...common } = options;
  const entries = Object.entries(shape);
  const required = entries.filter(([, schema]) => schema.isOptional !== true).map(([name]) => name);
  return {
    openapi: {
      type: 'object',
      ...described(description),
      ...(entries.length > 0 && { properties: Object.fromEntries(entries.map(([name, schema]) => [name, schema.openapi])) }),
      ...(required.length > 0 && { required }),
      ...common,
      ...(atomic === true && { 'x-kubernetes-map-type': 'atomic' }),
      ...(rules !== undefined && {
        'x-kubernetes-validations': rules.map(({ cel, check, message }) => ({ rule: cel, message, check })),
      }),
    },
  };
}

/** An object with any content, such as `metadata`, whose schema the API server knows by itself. */
export function opaque<T>(): Schema<T> {
  return { openapi: { type: 'object' } };
}

/** Lets a property be absent. */
export function optional<T>(schema: Schema<T>): Optional<T> {
  return { ...schema, isOptional: true };
}

/** The same schema under another description. */
export function redescribed<T>(schema: Schema<T>, description: string): Schema<T> {
  return { openapi: { ...schema.openapi, description } };
}

function described(description: string): { readonly description?: string } {
  return description === '' ? {} : { description };
}
