import { describe, expect, test } from '@jest/globals';
import {
  dataKey,
  dnsLabel,
  dnsSubdomain,
  domainPrefixedPath,
  fullyQualifiedDomainName,
  hostName,
  labelValue,
  pathSegment,
  portName,
  qualifiedName,
  type TextRule,
} from './names.ts';

const rules: readonly {
  readonly name: string;
  readonly rule: TextRule;
  readonly good: readonly string[];
  readonly bad: readonly string[];
}[] = [
  {
    name: 'dnsSubdomain',
    rule: dnsSubdomain,
    good: ['a', 'a.b', '1-2.c', 'a'.repeat(253)],
    bad: ['', 'A', 'a_', '-a', 'a-', '.a', 'a..b', 'a'.repeat(254), 'a\n'],
  },
  { name: 'dnsLabel', rule: dnsLabel, good: ['a', '1', 'a-b', 'a'.repeat(63)], bad: ['', 'a.b', 'A', 'a'.repeat(64)] },
  { name: 'hostName', rule: hostName, good: ['a.b', '*.a'], bad: ['*', 'a.*', '*a.b', '*.*.a', '*.'] },
  { name: 'fullyQualifiedDomainName', rule: fullyQualifiedDomainName, good: ['a.b', 'a.b.'], bad: ['', 'a', 'a..', `${'a'.repeat(64)}.b`] },
  { name: 'labelValue', rule: labelValue, good: ['', 'a', 'A_b.c-d'], bad: ['-a', 'a b', 'a'.repeat(64)] },
  { name: 'qualifiedName', rule: qualifiedName, good: ['a', 'A_b', 'a.b/C'], bad: ['', '/a', 'a/', 'a/b/c', 'A.b/c', 'a b'] },
  { name: 'dataKey', rule: dataKey, good: ['a', '.a', 'A_b-c.d'], bad: ['', '.', '..', '..a', 'a/b', 'a'.repeat(254)] },
  { name: 'portName', rule: portName, good: ['a', '1a', 'a-1'], bad: ['', '1', 'A', '-a', 'a-', 'a--b', 'a'.repeat(16)] },
  { name: 'pathSegment', rule: pathSegment, good: ['a', '...', 'A b'], bad: ['.', '..', 'a/b', 'a%b'] },
  { name: 'domainPrefixedPath', rule: domainPrefixedPath, good: ['a.b/c', 'a/b/c'], bad: ['', 'a', '/a', 'a/', 'A/b', 'a/ '] },
];

describe.each(rules)('$name', ({ rule, good, bad }) => {
  test.each(good)('%j is good', (text) => {
    expect(rule(text)).toBeUndefined();
  });

  test.each(bad)('%j is refused', (text) => {
    expect(rule(text)).toEqual(expect.any(String));
  });
});
