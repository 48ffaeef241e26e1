import { beforeAll, describe, expect, test } from '@jest/globals';
import { integer, list, object, optional, string } from './builder.ts';
import { loadCelRunner } from './cel.ts';
import { compileSchema } from './plan.ts';
import { type CelRunner, checkRules } from './rules.ts';
import type { StructuralSchema } from './structural.ts';

describe('checkRules', () => {
  const range = object(
    '',
    { from: integer(''), to: optional(integer('')) },
    {
      rules: [
        { cel: '!has(self.to) || self.from <= self.to', check: ({ from, to }) => to === undefined || from <= to, message: 'must go up' },
      ],
    },
  );
  const plan = compileSchema(list('', range).openapi);

  test('names the value that a rule refuses', () => {
    expect(checkRules(plan, [{ from: 1 }, { from: 2, to: 1 }, { from: 2, to: 2 }])).toEqual([{ path: '[1]', message: 'must go up' }]);
  });

  test('needs CEL for a rule without one, and says so', () => {
    const bare = compileSchema({
      type: 'object',
      properties: { a: { type: 'string', 'x-kubernetes-validations': [{ rule: "self != ''" }] } },
    });
    expect(() => checkRules(bare, { a: 'x' })).toThrow(TypeError);
  });

  test('leaves out rules that compare with the old object', () => {
    const fixed = compileSchema({ type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] });
    expect(checkRules(fixed, 'x')).toEqual([]);
  });
});

describe('CEL', () => {
  let cel: CelRunner;
  beforeAll(async () => {
    cel = await loadCelRunner();
  });

  const whole: StructuralSchema = { type: 'integer' };
  const texts: StructuralSchema = { type: 'array', items: { type: 'string' } };
  const named: StructuralSchema = {
    type: 'object',
    properties: { namespace: { type: 'string' }, 'a-b': whole, port: whole, share: { type: 'number' } },
  };
  const cases: readonly { rule: string; self: unknown; schema: StructuralSchema; holds: boolean }[] = [
    { rule: 'self + 1 == 3', self: 2, schema: whole, holds: true },
    { rule: 'self.port in [80, 443]', self: { port: 443 }, schema: named, holds: true },
    { rule: 'self.share < 1.0', self: { share: 0.5 }, schema: named, holds: true },
    { rule: "self.__namespace__ == 'x'", self: { namespace: 'x' }, schema: named, holds: true },
    { rule: 'self.a__dash__b == 1', self: { 'a-b': 1 }, schema: named, holds: true },
    { rule: 'has(self.port)', self: {}, schema: named, holds: false },
    { rule: 'self.port == 1', self: {}, schema: named, holds: false },
    { rule: 'self.port == 1 || true', self: {}, schema: named, holds: true },
    {
      rule: "self.all(key, key.startsWith('a'))",
      self: { 'a-b': 'x' },
      schema: { type: 'object', additionalProperties: { type: 'string' } },
      holds: true,
    },
    { rule: 'self.all(h, !isIP(h))', self: ['a', '192.0.2.1'], schema: texts, holds: false },
    { rule: 'self.all(h, isIP(h))', self: ['::1', '192.0.2.1'], schema: texts, holds: true },
    { rule: 'self.all(h, isCIDR(h))', self: ['::1/64', '192.0.2.0/32'], schema: texts, holds: true },
    { rule: 'self.exists(h, isCIDR(h))', self: ['192.0.2.0/33', '192.0.2.0', 'a/1', '::/08'], schema: texts, holds: false },
    { rule: "self.split('/')[0].size() == 1 && self.substring(2) == 'b'", self: 'a/b', schema: { type: 'string' }, holds: true },
    { rule: "duration(self) > duration('1m30s')", self: '2m', schema: { type: 'string' }, holds: true },
    { rule: "self.matches('(?i)^A+$')", self: 'aA', schema: { type: 'string' }, holds: true },
  ];
  test.each(cases)('$rule over $self is $holds', ({ rule, self, schema, holds }) => {
    expect(cel(rule, self, schema)).toBe(holds);
  });

  test('a rule that is no CEL is a fault of the schema', () => {
    expect(() => cel('self ==', 1, whole)).toThrow(RangeError);
  });
});

test('the type of a value follows from its schema', () => {
  const schema = object('', { a: string(''), b: optional(list('', integer(''))) });
  type Value = typeof schema extends { readonly type?: infer T } ? NonNullable<T> : never;
  const value: Value = { a: 'x', b: [1] };
  const withoutB: Value = { a: 'x' };
  // @ts-expect-error a is not optional
  const withoutA: Value = { b: [1] };
  const plan = compileSchema(schema.openapi);
  expect([value, withoutB, withoutA].map((each) => plan.schema.required?.every((name) => Object.hasOwn(each, name)))).toEqual([
    true,
    true,
    false,
  ]);
});
