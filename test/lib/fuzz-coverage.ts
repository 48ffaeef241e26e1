/** Which fields of a schema some values have. */
import type { JsonValue, StructuralSchema } from '../../pkg/schema/structural.ts';

/** All fields of a schema, as `spec.routes[].services[].port`; keys of maps are `*`. Only those that hold no others. */
export function schemaFields({ type, properties, items, additionalProperties }: StructuralSchema, path: string): readonly string[] {
  if (properties !== undefined) return Object.entries(properties).flatMap(([name, field]) => schemaFields(field, `${path}.${name}`));
  if (type === 'array' && items !== undefined) return schemaFields(items, `${path}[]`);
  if (additionalProperties !== undefined) return schemaFields(additionalProperties, `${path}.*`);
  return [path];
}

/** Adds the fields that a value has, as `schemaFields` spells them, except that keys of maps are as they are. */
export function addFields(fields: Set<string>, value: JsonValue, path: string): void {
  if (Array.isArray(value)) for (const item of value as readonly JsonValue[]) addFields(fields, item, `${path}[]`);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, field] of Object.entries(value)) addFields(fields, field as JsonValue, `${path}.${name}`);
  } else fields.add(path);
}
