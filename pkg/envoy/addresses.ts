import { Address } from '../envoy-api/envoy/config/core/v3/address.ts';

/** A TCP address. An address of `::` takes IPv4 connections too. */
export function socketAddress(address: string, port: number): Address {
  return Address.fromPartial({
    address: {
      $case: 'socketAddress',
      value: { address, portSpecifier: { $case: 'portValue', value: port }, ipv4Compat: address === '::' },
    },
  });
}

/** A unix domain socket. The mode counts where Envoy makes it. */
export function pipeAddress(path: string, mode: number): Address {
  return Address.fromPartial({ address: { $case: 'pipe', value: { path, mode } } });
}
