import { isIpv4 } from '../../schema/formats.ts';
import type { ServiceSpec } from '../core/v1/service.ts';
import type { Faults } from './faults.ts';
import { cidr, endpointAddress, ipAddress } from './ip-address.ts';

/** Checks the addresses and address families of a Service. */
export function checkAddresses(faults: Faults, spec: ServiceSpec): void {
  for (const [index, address] of (spec.externalIPs ?? []).entries()) faults.check(['spec', 'externalIPs', index], address, endpointAddress);
  checkSourceRanges(faults, spec);
  if (spec.type !== 'ExternalName') {
    checkFamilies(faults, spec);
    checkClusterIps(faults, spec);
  }
}

function checkSourceRanges(faults: Faults, { type, loadBalancerSourceRanges = [] }: ServiceSpec): void {
  if (loadBalancerSourceRanges.length > 0 && type !== 'LoadBalancer') {
    faults.add(['spec', 'loadBalancerSourceRanges'], 'must not be set for a type other than LoadBalancer');
  }
  for (const [index, range] of loadBalancerSourceRanges.entries())
    faults.check(['spec', 'loadBalancerSourceRanges', index], range.trim(), cidr);
}

function checkFamilies(faults: Faults, { ipFamilies = [], ipFamilyPolicy }: ServiceSpec): void {
  const seen = new Set<string>();
  for (const [index, family] of ipFamilies.entries()) {
    faults.oneOf(['spec', 'ipFamilies', index], family, ['IPv4', 'IPv6']);
    faults.unique(['spec', 'ipFamilies', index], seen, family);
  }
  if (ipFamilyPolicy !== undefined) {
    faults.oneOf(['spec', 'ipFamilyPolicy'], ipFamilyPolicy, ['SingleStack', 'PreferDualStack', 'RequireDualStack']);
  }
}

function checkClusterIps(faults: Faults, { clusterIP, clusterIPs = [], ipFamilies = [] }: ServiceSpec): void {
  if (clusterIP === undefined && clusterIPs.length > 0) faults.add(['spec', 'clusterIPs'], 'must be empty where clusterIP is not set');
  if (clusterIP !== undefined && clusterIPs[0] !== clusterIP) faults.add(['spec', 'clusterIPs'], 'must have clusterIP as the first item');
  if (clusterIPs.length > 2) faults.add(['spec', 'clusterIPs'], 'must have at most 2 items');
  if (clusterIPs[0] === 'None') {
    if (clusterIPs.length > 1) faults.add(['spec', 'clusterIPs'], 'must have no item besides "None"');
    return;
  }
  for (const [index, address] of clusterIPs.entries()) {
    const path = ['spec', 'clusterIPs', index];
    faults.check(path, address, ipAddress);
    const family = ipFamilies[index];
    if (family !== undefined && (family === 'IPv4') !== isIpv4(address))
      faults.add(path, `must be an ${family} address; it is "${address}"`);
  }
  const [first, second] = clusterIPs;
  if (first !== undefined && second !== undefined && isIpv4(first) === isIpv4(second)) {
    faults.add(['spec', 'clusterIPs'], 'must have at most one address of each family');
  }
}
