import { describe, expect, test } from '@jest/globals';
import type { Service } from '../apis/core/v1/service.ts';
import { addressesOfService, addressFields, parseStatusAddresses } from './load-balancer-status.ts';

test('what is no IP address is a host name', () => {
  expect(parseStatusAddresses(['192.0.2.7', ' lb.example.com', '2001:db8::1', ''])).toEqual([
    { ip: '192.0.2.7' },
    { hostname: 'lb.example.com' },
    { ip: '2001:db8::1' },
  ]);
});

test('the addresses of a Service are those that its load balancer gave', () => {
  const service = (ingress: readonly object[]) =>
    ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'envoy' }, status: { loadBalancer: { ingress } } }) as unknown as Service;
  expect(addressesOfService(service([{ ip: '192.0.2.7', ipMode: 'VIP' }, { hostname: 'lb.example.com' }]))).toEqual([
    { ip: '192.0.2.7' },
    { hostname: 'lb.example.com' },
  ]);
  expect(addressesOfService(undefined)).toEqual([]);
});

describe('addressFields', () => {
  const addresses = [{ ip: '192.0.2.7' }, { hostname: 'lb.example.com' }];

  test.each(['HTTPProxy', 'Ingress'])('%s has a load balancer', (kind) => {
    expect(addressFields(kind, addresses)).toEqual({ loadBalancer: { ingress: addresses } });
  });

  test('a Gateway has typed addresses', () => {
    expect(addressFields('Gateway', addresses)).toEqual({
      addresses: [
        { type: 'IPAddress', value: '192.0.2.7' },
        { type: 'Hostname', value: 'lb.example.com' },
      ],
    });
  });

  test('other kinds show none, and no address is no reason to write', () => {
    expect([addressFields('HTTPRoute', addresses), addressFields('Gateway', [])]).toEqual([{}, {}]);
  });
});
