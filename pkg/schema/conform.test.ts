import { describe, expect, test } from '@jest/globals';
import { boolean, dictionary, integer, intOrString, list, object, oneOf, optional, type Schema, string } from './builder.ts';
import { conform } from './conform.ts';
import { compileSchema } from './plan.ts';
import type { StructuralSchema } from './structural.ts';

const conformTo = (schema: Schema<unknown>, value: unknown) => conform(compileSchema(schema.openapi), value);
const conformToRaw = (schema: StructuralSchema, value: unknown) => conform(compileSchema(schema), value);

const port = object('', {
  name: optional(string('', { minLength: 1, maxLength: 3, pattern: '^[a-z]+$' })),
  number: integer('', { format: 'int32', minimum: 1, maximum: 9 }),
  mode: optional(oneOf('', ['a', 'b'], { default: 'a' })),
});

describe('conform', () => {
  test('sets defaults, inner ones too, and only where nothing is given', () => {
    const schema = object('', {
      port: optional(object('', { mode: optional(string('', { default: 'x' })) }, { default: {} })),
      on: optional(boolean('', { default: false })),
    });
    expect(conformTo(schema, {}).value).toEqual({ port: { mode: 'x' }, on: false });
    expect(conformTo(schema, { port: { mode: 'y' }, on: true }).value).toEqual({ port: { mode: 'y' }, on: true });
  });

  test('a default in place of a null that is not allowed', () => {
    expect(conformTo(port, { number: 1, mode: null })).toEqual({ value: { number: 1, mode: 'a' }, errors: [], warnings: [] });
  });

  test('a null that is allowed stays', () => {
    expect(
      conformToRaw({ type: 'object', properties: { a: { type: 'string', nullable: true, default: 'x' } } }, { a: null }).value,
    ).toEqual({
      a: null,
    });
  });

  test('drops unknown fields and says which', () => {
    const schema = object('', { ports: optional(list('', port)) });
    expect(conformTo(schema, { ports: [{ number: 1, nmae: 'x' }], b: 1 })).toEqual({
      value: { ports: [{ number: 1, mode: 'a' }] },
      errors: [],
      warnings: [
        { path: 'ports[0].nmae', message: 'unknown field; it is ignored' },
        { path: 'b', message: 'unknown field; it is ignored' },
      ],
    });
  });

  test('keeps unknown fields where the schema says so', () => {
    expect(conformToRaw({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, { a: { b: null } }).value).toEqual({
      a: { b: null },
    });
  });

  test('a key that JavaScript objects have from birth is a key like any other', () => {
    const value = JSON.parse('{ "__proto__": "x", "constructor": "y" }') as unknown;
    const fitted = conformTo(dictionary('', string('')), value).value as object;
    expect(Object.keys(fitted)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(fitted)).toBe(Object.prototype);
  });

  test('gathers every fault', () => {
    const { errors } = conformTo(list('', port, { maxItems: 1 }), [{ name: '', number: 10, mode: 'c' }, { name: 'ABCD' }]);
    expect(errors.map(({ path, message }) => `${path} ${message}`).sort()).toEqual([
      ' must have at most 1 item; it has 2',
      '[0].mode must be one of "a", "b"; it is "c"',
      '[0].name must match ^[a-z]+$',
      '[0].name must not be empty',
      '[0].number must be at most 9; it is 10',
      '[1].name must have at most 3 characters; it is "ABCD"',
      '[1].name must match ^[a-z]+$; it is "ABCD"',
      '[1].number is required',
    ]);
  });

  const wrongTypes: readonly { name: string; schema: Schema<unknown>; value: unknown; message: string }[] = [
    { name: 'text for a number', schema: integer(''), value: '1', message: 'must be of type integer; it is string: "1"' },
    { name: 'a fraction', schema: integer(''), value: 1.5, message: 'must be of type integer; it is number: 1.5' },
    { name: 'a list for an object', schema: object('', {}), value: [], message: 'must be of type object; it is array: []' },
    { name: 'a null in a list', schema: list('', string('')), value: [null], message: 'must be of type string; it is null' },
    {
      name: 'a truth value for a number or text',
      schema: intOrString(''),
      value: true,
      message: 'must be of type integer or string; it is boolean: true',
    },
    { name: 'more than 32 bits', schema: integer('', { format: 'int32' }), value: 2 ** 31, message: 'must fit in int32; it is 2147483648' },
    {
      name: 'no date',
      schema: string('', { format: 'date-time' }),
      value: '2026-02-30T00:00:00Z',
      message: 'must have the format date-time; it is "2026-02-30T00:00:00Z"',
    },
  ];
  test.each(wrongTypes)('refuses $name', ({ schema, value, message }) => {
    expect(conformTo(schema, value).errors.map((error) => error.message)).toEqual([message]);
  });

  test('refuses two entries with one key, of which a part may be absent', () => {
    const schema = list('', object('', { a: optional(string('')), b: optional(string('')) }), { mapKeys: ['a', 'b'] });
    expect(conformTo(schema, [{ a: 'x' }, { a: 'x', b: 'y' }, { a: 'x' }]).errors).toEqual([
      { path: '[2]', message: 'is a duplicate: ["x",null] is there already' },
    ]);
  });

  test('refuses one value twice in a set', () => {
    expect(
      conformToRaw({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' }, ['a', 'b', 'a']).errors.map(
        ({ path }) => path,
      ),
    ).toEqual(['[2]']);
  });

  test('counts characters, not code units', () => {
    expect(conformTo(string('', { maxLength: 2 }), '😀😀').errors).toEqual([]);
    expect(conformTo(string('', { minLength: 2 }), '😀').errors).toHaveLength(1);
  });

  test('a pattern is not anchored, and never takes long', () => {
    expect(conformTo(string('', { pattern: 'b' }), 'abc').errors).toEqual([]);
    expect(conformTo(string('', { pattern: '^((m)|(s)|(ms))+$' }), `${'ms'.repeat(40)}!`).errors).toHaveLength(1);
  });

  const either: StructuralSchema = {
    type: 'object',
    properties: { type: { type: 'string' }, value: { type: 'string' } },
    oneOf: [
      { properties: { type: { enum: ['ip'] }, value: { anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] } } },
      { properties: { type: { not: { enum: ['ip'] } } } },
    ],
  };
  test.each([
    { type: 'ip', value: '192.0.2.1', faults: 0 },
    { type: 'ip', value: '::1', faults: 0 },
    { type: 'ip', value: 'x', faults: 1 },
    { type: 'name', value: 'x', faults: 0 },
  ])('alternatives: $type $value has $faults faults', ({ type, value, faults }) => {
    expect(conformToRaw(either, { type, value }).errors).toHaveLength(faults);
  });

  test('a name that is no identifier stands in brackets', () => {
    expect(conformTo(dictionary('', integer('')), { 'a.b/c': 'x', 'a-b': 'x' }).errors.map(({ path }) => path)).toEqual([
      '["a.b/c"]',
      'a-b',
    ]);
  });
});

test('a schema with a keyword that would be left unchecked is refused', () => {
  expect(() => compileSchema({ type: 'object', multipleOf: 2 } as StructuralSchema)).toThrow(RangeError);
});
