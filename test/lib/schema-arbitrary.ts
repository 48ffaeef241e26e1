import * as fc from 'fast-check';
import type { JsonValue, StructuralSchema } from '../../pkg/schema/structural.ts';

/** Values for fields whose schema says less than what makes them interesting, by a pattern of their paths. */
export type Pools = readonly Pool[];

export interface Pool {
  readonly path: RegExp;
  /** What a careful author writes. */
  readonly good: readonly JsonValue[];
  /** What is now and then written in its place. */
  readonly bad?: readonly JsonValue[];
}

/** Fields of an object of which one is meant to be there, or at most one. */
export interface Choice {
  /** The path of the object. */
  readonly path: RegExp;
  readonly fields: readonly string[];
  /** Whether none may do as well. Default: one must be there. */
  readonly optional?: boolean;
}

/** How often a value comes from the bad ones, of 100: seldom, for one is enough to spoil an object. */
const badPercent = 1;
/** How often an optional field is there, of 100: few where there are many, so that values stay small, and most of the few in the depth. */
const presentPercent = (fields: number): number => Math.max(12, Math.min(60, Math.round(200 / Math.max(fields, 1))));
/** How often a choice is one, of 100; else none or all of its fields may be there. */
const chosenPercent = 97;
const maxItems = 3;
/** Texts that have broken programs before. */
const nasty = [
  '',
  ' ',
  '%',
  '%REQ(x)%',
  '\n',
  '\r\nx: y',
  '\u0000',
  '"',
  '\\',
  '*',
  '.',
  '/',
  '//',
  '../..',
  'ü',
  '\ud83d\ude00',
  'x'.repeat(300),
  '[',
  '(a+)+$',
];

/** Values of a structural schema, at a path such as `spec.routes[].services[].port`. Most are what the API server takes. */
export function schemaArbitrary(
  schema: StructuralSchema,
  path: string,
  { pools, choices = [] }: { readonly pools: Pools; readonly choices?: readonly Choice[] },
): fc.Arbitrary<JsonValue> {
  return new Maker(pools, choices).make(schema, path);
}

class Maker {
  readonly #pools: Pools;
  readonly #choices: readonly Choice[];

  constructor(pools: Pools, choices: readonly Choice[]) {
    this.#pools = pools;
    this.#choices = choices;
  }

  make(schema: StructuralSchema, path: string): fc.Arbitrary<JsonValue> {
    const pool = this.#pools.find((candidate) => candidate.path.test(path));
    if (pool !== undefined) return seldom(fc.constantFrom(...pool.good), pool.bad ?? []);
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    if (schema['x-kubernetes-int-or-string'] === true)
      return fc.oneof(fc.integer({ min: 0, max: 70_000 }), fc.constantFrom('80', '50%', 'x'));
    switch (schema.type) {
      case 'boolean':
        return fc.boolean();
      case 'integer':
      case 'number':
        return integer(schema);
      case 'array':
        return this.#array(schema, path);
      case 'object':
        return this.#object(schema, path);
      default:
        return text(schema);
    }
  }

  #array({ items = {}, minItems = 0, maxItems: most = maxItems }: StructuralSchema, path: string): fc.Arbitrary<JsonValue> {
    const item = this.make(items, `${path}[]`);
    // An empty list says nothing, and is tried where values are broken.
    const minLength = Math.max(minItems, 1);
    return fc.array(item, { minLength, maxLength: Math.max(minLength, Math.min(most, maxItems)) });
  }

  #object({ properties = {}, required = [], additionalProperties }: StructuralSchema, path: string): fc.Arbitrary<JsonValue> {
    if (additionalProperties !== undefined) {
      return fc.dictionary(fc.constantFrom('a', 'b', 'c'), this.make(additionalProperties, `${path}.*`), { maxKeys: 2 });
    }
    const percent = presentPercent(Object.keys(properties).length);
    const choices = this.#choices.filter((choice) => choice.path.test(path));
    const model = Object.entries(properties).map(([name, property]) => {
      const value = this.make(property, `${path}.${name}`);
      const chosen = choices.some(({ fields }) => fields.includes(name));
      return [name, chosen || required.includes(name) ? value : sometimes(value, percent)] as const;
    });
    const picks = fc.tuple(...choices.map((choice) => leftOut(choice)));
    // What is absent is not there at all, as in JSON.
    return fc.tuple(fc.record(Object.fromEntries(model)), picks).map(([value, left]) => without(value, new Set(left.flat())));
  }
}

/** Which fields of a choice are not there. */
function leftOut({ fields, optional = false }: Choice): fc.Arbitrary<readonly string[]> {
  const allBut = fields.map((field) => fields.filter((other) => other !== field));
  const one = fc.constantFrom(...allBut);
  const usual = optional ? fc.oneof({ weight: 1, arbitrary: one }, { weight: 2, arbitrary: fc.constant(fields) }) : one;
  const any = fc.subarray([...fields]);
  return fc.oneof({ weight: chosenPercent, arbitrary: usual }, { weight: 100 - chosenPercent, arbitrary: any });
}

function without(value: Readonly<Record<string, JsonValue | undefined>>, left: ReadonlySet<string>): JsonValue {
  const there = Object.entries(value).filter(([name]) => !left.has(name));
  return JSON.parse(JSON.stringify(Object.fromEntries(there))) as JsonValue;
}

function sometimes(arbitrary: fc.Arbitrary<JsonValue>, percent: number): fc.Arbitrary<JsonValue | undefined> {
  return fc.oneof({ weight: percent, arbitrary }, { weight: 100 - percent, arbitrary: fc.constant(undefined) });
}

function seldom(good: fc.Arbitrary<JsonValue>, bad: readonly JsonValue[]): fc.Arbitrary<JsonValue> {
  if (bad.length === 0) return good;
  return fc.oneof({ weight: 100 - badPercent, arbitrary: good }, { weight: badPercent, arbitrary: fc.constantFrom(...bad) });
}

function integer({ minimum = -1, maximum = 2 ** 31 - 1 }: StructuralSchema): fc.Arbitrary<number> {
  const small = fc.integer({ min: minimum, max: Math.min(maximum, minimum + 10) });
  return fc.oneof({ weight: 4, arbitrary: small }, { weight: 1, arbitrary: fc.integer({ min: minimum, max: maximum }) });
}

function text({ pattern, minLength = 0, maxLength = 300 }: StructuralSchema): fc.Arbitrary<string> {
  const fits = (value: string): boolean => value.length >= minLength && value.length <= maxLength;
  // Go's dialect and ours agree on what the schemas use.
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 20 }).filter(fits);
  const plain = fc.constantFrom('a', 'x-name', 'value', 'app.example.com', '1s').filter(fits);
  const odd = fc.oneof(fc.constantFrom(...nasty), fc.string({ maxLength: 12 })).filter(fits);
  return fc.oneof({ weight: 40, arbitrary: plain }, { weight: 1, arbitrary: odd });
}
