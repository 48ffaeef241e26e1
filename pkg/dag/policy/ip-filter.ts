import type { IPFilterPolicy } from '../../apis/projectcontour/v1/httpproxy.ts';
import type { Problem } from '../../util/outcome.ts';
import type { IpFilter, IpRange } from '../model/host-policies.ts';
import { addressBits } from './ip-address.ts';

/** The lists of a virtual host or route, with the field that they stand in. */
export interface IpFilterInput {
  readonly ipAllowPolicy?: readonly IPFilterPolicy[] | undefined;
  readonly ipDenyPolicy?: readonly IPFilterPolicy[] | undefined;
}

/** The filter; or everything that is wrong with it, and then there is none: a list with a hole guards nothing. */
export interface IpFilterFindings {
  readonly filter?: IpFilter;
  /** `IPFilterError`s. */
  readonly problems: readonly Problem[];
}

/** Reads the lists; without entries there is no filter. Not both may have some. @see reference 3.7 */
export function ipFilter({ ipAllowPolicy = [], ipDenyPolicy = [] }: IpFilterInput, path: string): IpFilterFindings {
  if (ipAllowPolicy.length > 0 && ipDenyPolicy.length > 0) {
    return { problems: [problemOf('IncompatibleIPAddressFilters', `${path}: ipAllowPolicy and ipDenyPolicy cannot be used together`)] };
  }
  const [field, action, entries] =
    ipAllowPolicy.length > 0 ? (['ipAllowPolicy', 'allow', ipAllowPolicy] as const) : (['ipDenyPolicy', 'deny', ipDenyPolicy] as const);
  const ranges: IpRange[] = [];
  const problems: Problem[] = [];
  for (const [i, { source, cidr }] of entries.entries()) {
    const range = parseRange(cidr);
    if (typeof range === 'string') problems.push(problemOf('InvalidCIDR', `${path}.${field}[${i}]: ${cidr} failed to parse: ${range}`));
    else ranges.push({ source: source === 'Peer' ? 'peer' : 'remote', ...range });
  }
  if (problems.length > 0 || ranges.length === 0) return { problems };
  return { filter: { action, ranges }, problems };
}

function problemOf(reason: string, message: string): Problem {
  return { type: 'IPFilterError', reason, message };
}

/** `10.0.0.0/8`, or one address; else what is wrong with it. */
function parseRange(cidr: string): Omit<IpRange, 'source'> | string {
  const [address = '', length, ...rest] = cidr.split('/');
  const bits = addressBits(address);
  if (bits === undefined || rest.length > 0) return 'it is neither an address nor a range such as 10.0.0.0/8';
  if (length === undefined) return { address, prefixLength: bits };
  const prefixLength = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  return prefixLength <= bits ? { address, prefixLength } : `the length of the prefix must be from 0 to ${bits}`;
}
