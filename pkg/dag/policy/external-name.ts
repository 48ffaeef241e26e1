/**
 * Whether a DNS name or address leads to the proxy's own host, which a Service of type ExternalName must not:
 * Envoy's admin interface and its health listener would be open to anyone who may write a Service.
 * `localhost` in any form, and loopback, unspecified and link-local addresses in any spelling that a resolver takes.
 */
export function leadsToProxyItself(externalName: string): boolean {
  const host = externalName.toLowerCase().replace(/\.$/, '');
  if (localNames.has(host) || host.endsWith('.localhost')) return true;
  const v4 = parseIpv4(host);
  if (v4 !== undefined) return isLocalIpv4(v4);
  const groups = parseIpv6(host.replace(/^\[(.*)\]$/, '$1'));
  return groups !== undefined && isLocalIpv6(groups);
}

const localNames: ReadonlySet<string> = new Set(['localhost', 'localhost.localdomain', 'local.projectcontour.io']);

/** 127/8 loopback, 0/8 this host, 169.254/16 link-local. */
function isLocalIpv4(address: number): boolean {
  const first = address >>> 24;
  return first === 127 || first === 0 || address >>> 16 === 0xa9fe;
}

/** ::1, ::, fe80::/10, and IPv4 addresses inside ::ffff:0:0/96 and ::/96. */
function isLocalIpv6(groups: readonly number[]): boolean {
  if (((groups[0] ?? 0) & 0xffc0) === 0xfe80) return true;
  if (groups.slice(0, 5).some((group) => group !== 0)) return false;
  const mapped = groups[5] === 0xffff || groups[5] === 0;
  return mapped && isLocalIpv4((((groups[6] ?? 0) << 16) | (groups[7] ?? 0)) >>> 0);
}

/** The address as 32 bits, in the spellings of inet_aton: `127.1` and `0x7f000001` are 127.0.0.1 too. */
function parseIpv4(host: string): number | undefined {
  const parts = host.split('.');
  if (parts.length > 4 || !parts.every((part) => /^(0x[\da-f]+|\d+)$/.test(part))) return undefined;
  const numbers = parts.map((part) => (/^0\d/.test(part) ? Number.parseInt(part, 8) : Number(part)));
  const last = numbers.pop() ?? 0;
  if (numbers.some((n) => !(n <= 255)) || !(last < 256 ** (4 - numbers.length))) return undefined;
  return (numbers.reduce((sum, n, i) => sum + n * 256 ** (3 - i), 0) + last) >>> 0;
}

function parseIpv6(host: string): readonly number[] | undefined {
  if (!host.includes(':')) return undefined;
  const [address = ''] = host.split('%', 1);
  const [head = '', tail, more] = withoutDottedTail(address).split('::');
  if (more !== undefined) return undefined;
  const front = ipv6Groups(head);
  const back = tail === undefined ? [] : ipv6Groups(tail);
  if (front === undefined || back === undefined) return undefined;
  const missing = 8 - front.length - back.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  return [...front, ...Array<number>(missing).fill(0), ...back];
}

function withoutDottedTail(address: string): string {
  const tail = address.slice(address.lastIndexOf(':') + 1);
  const v4 = tail.includes('.') ? parseIpv4(tail) : undefined;
  if (v4 === undefined) return address;
  return `${address.slice(0, address.lastIndexOf(':') + 1)}${(v4 >>> 16).toString(16)}:${(v4 & 0xffff).toString(16)}`;
}

function ipv6Groups(text: string): readonly number[] | undefined {
  if (text === '') return [];
  const groups = text.split(':');
  return groups.every((group) => /^[\da-f]{1,4}$/.test(group)) ? groups.map((g) => Number.parseInt(g, 16)) : undefined;
}
