import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'yaml';
import { printYaml } from './print.ts';

describe('printYaml', () => {
  test('prints block style, with literal blocks for lines of text', () => {
    const value = {
      a: [{ b: 1, c: ['x'] }, []],
      'd e': {},
      pem: '-----BEGIN\nabc\n',
      empty: '',
      yes: 'yes',
      deep: { list: [[1], { k: 'l\nm' }] },
    };
    expect(printYaml(value)).toBe(
      'a:\n- b: 1\n  c:\n  - x\n- []\n"d e": {}\npem: |\n  -----BEGIN\n  abc\nempty: ""\n"yes": "yes"\ndeep:\n  list:\n  - - 1\n  - k: |-\n      l\n      m\n',
    );
  });

  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string(),
    fc.constantFrom(
      'null',
      '~',
      '1',
      '1e3',
      '0x1',
      '.5',
      '.inf',
      '-',
      '- a',
      'a: b',
      '#',
      'a #b',
      '2020-01-01',
      '=',
      '<<',
      ' x',
      'x\n',
      'a\n\nb',
      '\na',
      'a\n ',
    ),
  );
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      texts,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(texts, tie('value'), { maxKeys: 4 }),
    ),
  })).value;

  test('what is printed is read as the same value', () => {
    fc.assert(
      fc.property(values, (value) => {
        for (const version of ['1.2', '1.1'] as const)
          expect(parse(printYaml(value), { version, uniqueKeys: false })).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 1_000 },
    );
  });
});
