import { isIP } from 'node:net';
import type { Service } from '../apis/core/v1/service.ts';

/** Where traffic for us arrives (`core/v1` LoadBalancerIngress). */
export type LoadBalancerAddress = { readonly ip: string } | { readonly hostname: string };

/** The addresses of `--ingress-status-address`: what is no IP address is a host name. */
export function parseStatusAddresses(addresses: readonly string[]): readonly LoadBalancerAddress[] {
  return addresses
    .map((address) => address.trim())
    .filter((address) => address !== '')
    .map((address) => (isIP(address) === 0 ? { hostname: address } : { ip: address }));
}

/** The addresses that the cluster's load balancer gave to a Service. */
export function addressesOfService(service: Service | undefined): readonly LoadBalancerAddress[] {
  return (service?.status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => [
    ...(ip === undefined || ip === '' ? [] : [{ ip }]),
    ...(hostname === undefined || hostname === '' ? [] : [{ hostname }]),
  ]);
}

/** The kinds whose status shows the addresses. */
export const addressedKinds: ReadonlySet<string> = new Set(['HTTPProxy', 'Ingress', 'Gateway']);

/**
 * The status fields that show the addresses of an object of a kind. With no address nothing is said: as in Contour,
 * what is there stays.
 */
export function addressFields(kind: string, addresses: readonly LoadBalancerAddress[]): Readonly<Record<string, unknown>> {
  if (addresses.length === 0 || !addressedKinds.has(kind)) return {};
  if (kind !== 'Gateway') return { loadBalancer: { ingress: addresses } };
  return {
    addresses: addresses.map((address) =>
      'ip' in address ? { type: 'IPAddress', value: address.ip } : { type: 'Hostname', value: address.hostname },
    ),
  };
}
