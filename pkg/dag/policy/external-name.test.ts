import { describe, expect, test } from '@jest/globals';
import { leadsToProxyItself } from './external-name.ts';

describe('leadsToProxyItself', () => {
  test.each([
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    'localhost.localdomain',
    'local.projectcontour.io',
    '127.0.0.1',
    '127.0.0.1.',
    '127.255.0.9',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '0.0.0.0',
    '0',
    '169.254.169.254',
    '::1',
    '[::1]',
    '0:0:0:0:0:0:0:1',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
  ])('%s does', (name) => expect(leadsToProxyItself(name)).toBe(true));

  test.each([
    'example.com',
    'localhost.example.com',
    'notlocalhost',
    '10.0.0.1',
    '128.0.0.1',
    '1.127.0.0',
    '256.0.0.1',
    '127.0.0.0.1',
    '2001:db8::1',
    '1::1',
    'fe00::1',
    '::1::',
    '12345::',
    '1:2:3:4:5:6:7:8:9',
    '::ffff:10.0.0.1',
  ])('%s does not', (name) => expect(leadsToProxyItself(name)).toBe(false));
});
