import { describe, expect, test } from '@jest/globals';
import { secretNode, secureHost } from '../../../test/lib/dag.ts';
import { chainMembers } from './certificate-choice.ts';

/** A host with the certificate of a Secret, whose names and kind of key are given. */
const host = (name: string, secret: string, dnsNames?: readonly string[], keyType = 'ec') =>
  secureHost('ingress_https', name, {
    tls: {
      type: 'terminate',
      secrets: [secretNode(secret, dnsNames && { dnsNames, keyType })],
      minVersion: '1.2',
      maxVersion: '1.3',
    },
  });

const cases = [
  {
    rule: 'hosts with their own names in their certificates share',
    hosts: [host('a.x', 'a', ['a.x']), host('b.x', 'b', ['b.x'])],
    want: ['a.x b.x'],
  },
  { rule: 'so do hosts under a wildcard', hosts: [host('a.x', 'a', ['a.x']), host('b.y', 'w', ['*.y'])], want: ['a.x b.y'] },
  {
    rule: 'a certificate for another name stands alone',
    hosts: [host('a.x', 'a', ['a.x']), host('b.x', 'b', ['c.x'])],
    want: ['a.x', 'b.x'],
  },
  { rule: 'so does one with the name in upper case', hosts: [host('a.x', 'a', ['a.x']), host('b.x', 'b', ['B.x'])], want: ['a.x', 'b.x'] },
  {
    rule: 'two certificates with the name of one host do not share with it',
    hosts: [host('a.x', 'a', ['a.x']), host('b.x', 'b', ['b.x', 'a.x']), host('c.x', 'c', ['c.x'])],
    want: ['b.x c.x', 'a.x'],
  },
  {
    rule: 'an exact name of another certificate is taken before a wildcard',
    hosts: [host('a.x', 'w', ['*.x']), host('b.x', 'b', ['b.x', 'a.x'])],
    want: ['b.x', 'a.x'],
  },
  { rule: 'kinds of keys do not mix', hosts: [host('a.x', 'a', ['a.x'], 'rsa'), host('b.x', 'b', ['b.x'])], want: ['b.x', 'a.x'] },
  {
    rule: 'hosts of one certificate share whatever its names',
    hosts: [host('a.x', 's'), host('b.x', 's'), host('c.x', 't')],
    want: ['a.x b.x', 'c.x'],
  },
  { rule: 'the host for all names shares with none', hosts: [host('*', 's'), host('b.x', 's')], want: ['*', 'b.x'] },
] as const;

describe('chainMembers', () => {
  test.each(cases)('$rule', ({ hosts, want }) => {
    for (const order of [hosts, hosts.toReversed()]) {
      expect(chainMembers(order).map((chain) => chain.hosts.map((member) => member.host).join(' '))).toEqual(want);
    }
  });

  test('a chain has each certificate once', () => {
    const [chain] = chainMembers([host('a.x', 'w', ['*.x']), host('b.x', 'w', ['*.x']), host('c.y', 'c', ['c.y'])]);
    expect(chain?.secrets.map(({ name }) => name)).toEqual(['c', 'w']);
  });
});
