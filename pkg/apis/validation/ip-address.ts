import { isIpv4, isIpv6 } from '../../schema/formats.ts';

/** Whether the text is an IP address: no leading zeros, no IPv4 address in the clothes of IPv6. */
export function ipAddress(text: string): string | undefined {
  if (isIpv4(text)) return undefined;
  if (!isIpv6(text)) return 'must be an IP address';
  return isMapped(text) ? 'must not be an IPv4 address in the form of an IPv6 address' : undefined;
}

/** What the API server refuses as the address of an endpoint: addresses that mean another thing on each machine. */
export function endpointAddress(text: string): string | undefined {
  const fault = ipAddress(text);
  if (fault !== undefined) return fault;
  const groups = isIpv4(text) ? undefined : expandIpv6(text);
  const special = groups === undefined ? specialIpv4(text.split('.').map(Number)) : specialIpv6(groups);
  return special === undefined ? undefined : `must not be ${special}`;
}

/** An IP address that is written as RFC 5952 has it. */
export function canonicalIpAddress(text: string): string | undefined {
  const fault = ipAddress(text);
  if (fault !== undefined || isIpv4(text)) return fault;
  const canonical = formatIpv6(expandIpv6(text));
  return text === canonical ? undefined : `must be written as ${canonical}`;
}

/** A range of addresses such as `10.0.0.0/8`, without bits after the prefix. */
export function cidr(text: string): string | undefined {
  const [address = '', bits = '', ...rest] = text.split('/');
  const fault = 'must be a range of addresses such as "10.0.0.0/8"';
  if (rest.length > 0 || ipAddress(address) !== undefined || !/^(0|[1-9]\d{0,2})$/.test(bits)) return fault;
  const length = Number(bits);
  const bytes = isIpv4(address) ? address.split('.').map(Number) : expandIpv6(address).flatMap((group) => [group >> 8, group & 0xff]);
  if (length > bytes.length * 8) return fault;
  const isNetwork = bytes.every((byte, index) => (byte & (0xff >> Math.min(8, Math.max(0, length - index * 8)))) === 0);
  return isNetwork ? undefined : 'must have no bits set after the prefix';
}

/** The eight groups of an IPv6 address. */
function expandIpv6(text: string): readonly number[] {
  const hex = text.replace(/[\d.]+\.[\d.]+$/, (ipv4) => {
    const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number);
    return [a * 256 + b, c * 256 + d].map((group) => group.toString(16)).join(':');
  });
  const [before = '', after] = hex.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const zeros = after === undefined ? [] : Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}

/** The longest run of two zero groups or more is left out; of equal runs the first. */
function formatIpv6(groups: readonly number[]): string {
  const text = groups.map((group) => group.toString(16)).join(':');
  const runs = [...text.matchAll(/(?<![0-9a-f])0(?::0)+(?![0-9a-f])/g)].map(([run]) => run);
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  if (longest === '') return text;
  const at = text.search(new RegExp(`(?<![0-9a-f])${longest}(?![0-9a-f])`));
  return `${text.slice(0, at).replace(/:$/, '')}::${text.slice(at + longest.length).replace(/^:/, '')}`;
}

function isMapped(text: string): boolean {
  const groups = expandIpv6(text);
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
}

function specialIpv4([a = 0, b = 0, c = 0, d = 0]: readonly number[]): string | undefined {
  if (a === 0 && b === 0 && c === 0 && d === 0) return 'the unspecified address';
  if (a === 127) return 'a loopback address (127.0.0.0/8)';
  if (a === 169 && b === 254) return 'a link-local address (169.254.0.0/16)';
  if (a === 224 && b === 0 && c === 0) return 'a link-local multicast address (224.0.0.0/24)';
  return undefined;
}

function specialIpv6(groups: readonly number[]): string | undefined {
  const [first = 0] = groups;
  const last = groups.at(-1) as number;
  if (groups.slice(0, 7).every((group) => group === 0) && last <= 1)
    return last === 0 ? 'the unspecified address' : 'the loopback address (::1)';
  if ((first & 0xffc0) === 0xfe80) return 'a link-local address (fe80::/10)';
  if ((first & 0xff0f) === 0xff02) return 'a link-local multicast address (ff02::/16)';
  return undefined;
}
