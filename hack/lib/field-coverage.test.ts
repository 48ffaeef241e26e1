import { expect, test } from '@jest/globals';
import type { StructuralSchema } from '../../pkg/schema/structural.ts';
import { fieldsOf, leafFields } from './field-coverage.ts';

const text = { type: 'string' } as const;
const schema: StructuralSchema = {
  type: 'object',
  properties: {
    host: text,
    routes: {
      type: 'array',
      items: { type: 'object', properties: { prefix: text, codes: { type: 'array', items: { type: 'integer' } } } },
    },
    context: { type: 'object', additionalProperties: text },
  },
};

test('fields are named by their paths, lists and maps included', () => {
  expect(leafFields(schema)).toEqual(['host', 'routes[].prefix', 'routes[].codes[]', 'context']);
});

test('a value has the fields that stand in it, under the names of the schema', () => {
  const value = { routes: [{ prefix: '/' }, { codes: [503] }], context: { any: 'thing' } };
  const present = new Set(fieldsOf(value));
  expect(leafFields(schema).filter((field) => !present.has(field))).toEqual(['host']);
});
