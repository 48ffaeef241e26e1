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

/** How often a value comes from the bad ones, of 100: seldom, for one is enough to spoil an object. */
const badPercent = 3;
/** How often an optional field is there, of 100: there are so many that values stay small. */
const presentPercent = 15;
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
export function schemaArbitrary(schema: StructuralSchema, pools: Pools, path: string): fc.Arbitrary<JsonValue> {
  return new Maker(pools).make(schema, path);
}

class Maker {
  readonly #pools: Pools;

  constructor(pools: Pools) {
    this.#pools = pools;
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
    const model = Object.entries(properties).map(([name, property]) => {
      const value = this.make(property, `${path}.${name}`);
      return [name, required.includes(name) ? value : sometimes(value)] as const;
    });
    // What is absent is not there at all, as in JSON.
    return fc.record(Object.fromEntries(model)).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
  }
}

function sometimes(arbitrary: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue | undefined> {
  return fc.oneof({ weight: presentPercent, arbitrary }, { weight: 100 - presentPercent, arbitrary: fc.constant(undefined) });
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
  return fc.oneof({ weight: 9, arbitrary: plain }, { weight: 1, arbitrary: odd });
}
