import { type Bound, compileBounds } from './bounds.ts';
import type { JsonValue, StructuralSchema } from './structural.ts';

/** A structural schema made ready for use: look-ups are maps, bounds are closures. */
export interface SchemaPlan {
  readonly schema: StructuralSchema;
  readonly properties: ReadonlyMap<string, SchemaPlan>;
  /** Of properties that are not named. */
  readonly values: SchemaPlan | undefined;
  readonly items: SchemaPlan | undefined;
  readonly defaults: readonly (readonly [string, JsonValue])[];
  readonly bounds: readonly Bound[];
  /** Rules of this value; those of what is in it are not counted. */
  readonly rules: readonly RulePlan[];
  /** Whether this value or anything in it has rules. */
  readonly hasRules: boolean;
}

/** A rule that holds for new objects. */
export interface RulePlan {
  readonly cel: string;
  readonly message: string;
  readonly check: ((self: never) => boolean) | undefined;
}

const structuralKeywords: ReadonlySet<string> = new Set([
  'type',
  'description',
  'default',
  'nullable',
  'properties',
  'additionalProperties',
  'items',
  'required',
  'format',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
]);

/**
 * Makes a schema ready for use.
 * @throws {RangeError} if the schema has a keyword that would be left unchecked.
 */
export function compileSchema(schema: StructuralSchema): SchemaPlan {
  for (const keyword of Object.keys(schema)) {
    if (!structuralKeywords.has(keyword)) throw new RangeError(`the schema keyword ${keyword} is not supported`);
  }
  const properties = new Map(Object.entries(schema.properties ?? {}).map(([name, property]) => [name, compileSchema(property)]));
  const values = schema.additionalProperties && compileSchema(schema.additionalProperties);
  const items = schema.items && compileSchema(schema.items);
  const rules = compileRules(schema);
  return {
    schema,
    properties,
    values,
    items,
    defaults: [...properties].flatMap(
      ([
        name,
        {
          schema: { default: value },
        },
      ]) => (value === undefined ? [] : [[name, value] as const]),
    ),
    bounds: compileBounds(schema),
    rules,
    hasRules: [...properties.values(), values, items].some((part) => part?.hasRules === true) || rules.length > 0,
  };
}

/** Rules that compare with the old object are for updates: in file mode every object is new. */
function compileRules(schema: StructuralSchema): readonly RulePlan[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  return rules
    .filter(({ rule }) => !/\boldSelf\b/.test(rule))
    .map(({ rule, message, check }) => ({ cel: rule, message: message ?? `failed rule: ${rule}`, check }));
}
