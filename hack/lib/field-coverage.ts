import type { StructuralSchema } from '../../pkg/schema/structural.ts';

/** The fields of a schema that have no fields themselves, by their paths: `routes[].services[].port`. */
export function leafFields(schema: StructuralSchema, path = ''): readonly string[] {
  const { properties, items } = schema;
  if (items !== undefined) return leafFields(items, `${path}[]`);
  if (properties === undefined) return [path];
  return Object.entries(properties).flatMap(([name, property]) => leafFields(property, join(path, name)));
}

/** The paths of all that a value has, by the same names. */
export function fieldsOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [path];
  const below = Object.entries(value).flatMap(([name, property]) => fieldsOf(property, join(path, name)));
  // A map with any keys is one field.
  return [path, ...below];
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
