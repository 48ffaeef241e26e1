import { isJsonObject } from '../util/json-object.ts';
import { formats } from './formats.ts';
import { compileGoPattern } from './go-pattern.ts';
import type { JsonValue, NestedValidation, StructuralSchema, ValueValidation } from './structural.ts';

/** Says what is wrong with a value of the schema's type, or `undefined`. */
export type Bound = (value: unknown) => string | undefined;

/** Bounds by keyword. Each looks at values of one JSON type only and lets the others pass, as OpenAPI has it. */
const factories: { readonly [K in keyof ValueValidation]?: (operand: NonNullable<ValueValidation[K]>) => Bound } = {
  minimum: (least) => numberBound((value) => value >= least, `must be at least ${least}`),
  maximum: (most) => numberBound((value) => value <= most, `must be at most ${most}`),
  minLength: (least) =>
    stringBound((value) => lengthOf(value) >= least, least === 1 ? 'must not be empty' : `must have at least ${least} characters`),
  maxLength: (most) => stringBound((value) => value.length <= most || lengthOf(value) <= most, `must have at most ${most} characters`),
  minItems: (least) => listBound((value) => value.length >= least, `must have at least ${plural(least, 'item')}`),
  maxItems: (most) => listBound((value) => value.length <= most, `must have at most ${plural(most, 'item')}`),
  minProperties: (least) => objectBound((value) => Object.keys(value).length >= least, `must have at least ${least} properties`),
  maxProperties: (most) => objectBound((value) => Object.keys(value).length <= most, `must have at most ${most} properties`),
  pattern: (pattern) => stringBound(compileGoPattern(pattern), `must match ${pattern}`),
  format: formatBound,
  enum: (values) => (value) =>
    values.includes(value as JsonValue) ? undefined : `must be one of ${values.map(quote).join(', ')}; it is ${quote(value)}`,
  allOf: (parts) => combined(parts, (held, all) => held === all, 'must meet all of the alternatives of the schema'),
  anyOf: (parts) => combined(parts, (held) => held > 0, 'must meet one of the alternatives of the schema'),
  oneOf: (parts) => combined(parts, (held) => held === 1, 'must meet exactly one of the alternatives of the schema'),
  not: (part) => combined([part], (held) => held === 0, 'must not be what the schema excludes'),
};

/** The bounds of a schema. `required` is not among them: its faults belong to the missing property. */
export function compileBounds(schema: StructuralSchema | NestedValidation): readonly Bound[] {
  return Object.entries(factories).flatMap(([keyword, factory]) => {
    const operand = schema[keyword as keyof ValueValidation];
    return operand === undefined ? [] : [(factory as (operand: unknown) => Bound)(operand)];
  });
}

/** A value in a message: quoted if it is text, cut if it is long. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 80 ? text : `${text.slice(0, 76)} ...`;
}

/** What OpenAPI calls the type of a JSON value; `integer` for a number without fraction. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** Whether a JSON value is of a type of OpenAPI: an integer is a number too. */
export function isOfType(value: unknown, type: string): boolean {
  const actual = jsonTypeOf(value);
  return actual === type || (actual === 'integer' && type === 'number');
}

const ranges: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2 ** 63), 2 ** 63],
};

function formatBound(format: string): Bound {
  const range = ranges[format];
  if (range !== undefined) return numberBound((value) => value >= range[0] && value <= range[1], `must fit in ${format}`);
  const holds = formats[format];
  if (holds === undefined) return () => undefined;
  return stringBound(holds, `must have the format ${format}`);
}

function combined(parts: readonly NestedValidation[], decide: (held: number, all: number) => boolean, fault: string): Bound {
  const predicates = parts.map(compileNested);
  return (value) => {
    const held = predicates.filter((holds) => holds(value)).length;
    return decide(held, predicates.length) ? undefined : fault;
  };
}

function compileNested(part: NestedValidation): (value: unknown) => boolean {
  const { type, items, required = [] } = part;
  const bounds = compileBounds(part);
  const properties = Object.entries(part.properties ?? {}).map(([name, nested]) => [name, compileNested(nested)] as const);
  const holdsForItem = items === undefined ? undefined : compileNested(items);
  return (value) => {
    if (type !== undefined && !isOfType(value, type)) return false;
    if (bounds.some((bound) => bound(value) !== undefined)) return false;
    if (Array.isArray(value)) return holdsForItem === undefined || value.every(holdsForItem);
    if (!isJsonObject(value)) return true;
    if (required.some((name) => !Object.hasOwn(value, name))) return false;
    return properties.every(([name, holds]) => !Object.hasOwn(value, name) || holds(value[name]));
  };
}

function numberBound(holds: (value: number) => boolean, fault: string): Bound {
  return (value) => (typeof value !== 'number' || holds(value) ? undefined : `${fault}; it is ${value}`);
}

function stringBound(holds: (value: string) => boolean, fault: string): Bound {
  return (value) => (typeof value !== 'string' || holds(value) ? undefined : value === '' ? fault : `${fault}; it is ${quote(value)}`);
}

function listBound(holds: (value: readonly unknown[]) => boolean, fault: string): Bound {
  return (value) => (!Array.isArray(value) || holds(value) ? undefined : `${fault}; it has ${value.length}`);
}

function objectBound(holds: (value: Readonly<Record<string, unknown>>) => boolean, fault: string): Bound {
  return (value) => (!isJsonObject(value) || holds(value) ? undefined : fault);
}

/** Characters, not code units: Go counts runes. */
function lengthOf(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit < 0xdc00) length--;
  }
  return length;
}

function plural(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
