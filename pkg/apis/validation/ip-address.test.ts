import { describe, expect, test } from '@jest/globals';
import { canonicalIpAddress, cidr, endpointAddress, ipAddress } from './ip-address.ts';

describe('ipAddress', () => {
  test.each(['192.0.2.1', '::', '::1', '1::', '2001:db8::1', '1:2:3:4:5:6:7:8', '64:ff9b::192.0.2.1'])('%s is one', (text) => {
    expect(ipAddress(text)).toBeUndefined();
  });

  test.each([
    '',
    'a',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.01',
    '192.0.2.1.',
    ':::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1::2::3',
    '::12345',
    '::ffff:192.0.2.1',
    '::192.0.2.1.1',
  ])('%j is none', (text) => {
    expect(ipAddress(text)).toBeDefined();
  });
});

describe('endpointAddress', () => {
  test.each(['0.0.0.0', '127.0.0.1', '127.255.0.1', '169.254.0.1', '224.0.0.251', '::', '::1', 'fe80::1', 'febf::1', 'ff02::1'])(
    '%s is refused',
    (text) => {
      expect(endpointAddress(text)).toMatch(/must not be/);
    },
  );

  test.each(['10.0.0.1', '224.0.1.1', 'fec0::1', 'ff05::1', '2001:db8::1'])('%s is let through', (text) => {
    expect(endpointAddress(text)).toBeUndefined();
  });
});

describe('canonicalIpAddress', () => {
  test.each([
    ['2001:DB8::1', '2001:db8::1'],
    ['2001:db8:0:0:0:0:0:1', '2001:db8::1'],
    ['0:0:1:0:0:0:1:1', '0:0:1::1:1'],
    ['1:0:0:2:3:0:0:4', '1::2:3:0:0:4'],
    ['2001:db8::1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['0:0:0:0:0:0:0:0', '::'],
  ])('%s is written as %s', (text, canonical) => {
    expect(canonicalIpAddress(text)).toBe(`must be written as ${canonical}`);
    expect(canonicalIpAddress(canonical)).toBeUndefined();
  });
});

describe('cidr', () => {
  test.each(['10.0.0.0/8', '0.0.0.0/0', '192.0.2.128/25', '2001:db8::/32', '::/0', '2001:db8::1/128'])('%s is a range', (text) => {
    expect(cidr(text)).toBeUndefined();
  });

  test.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/08', '10.0.0.1/8', '192.0.2.129/25', '2001:db8::1/32', '10.0.0.0/8/9', '::/129'])(
    '%s is none',
    (text) => {
      expect(cidr(text)).toBeDefined();
    },
  );
});
