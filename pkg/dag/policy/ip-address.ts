/** How many bits the address in a text has: 32 for IPv4, 128 for IPv6; `undefined` where it is none. Zones (`%eth0`) are none. */
export function addressBits(text: string): 32 | 128 | undefined {
  if (isIpv4(text)) return 32;
  return isIpv6(text) ? 128 : undefined;
}

/** Four numbers without leading zeros, which some read as octal. */
function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

/** RFC 4291, 2.2: groups of hexadecimal digits, at most one `::`, and at the end perhaps an IPv4 address. */
function isIpv6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const counts = halves.map((half, i) => groupCount(half, i === halves.length - 1));
  if (counts.includes(undefined)) return false;
  const groups = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return halves.length === 2 ? groups <= 7 : groups === 8;
}

function groupCount(half: string, last: boolean): number | undefined {
  if (half === '') return 0;
  let count = 0;
  const groups = half.split(':');
  for (const [i, group] of groups.entries()) {
    if (/^[0-9A-Fa-f]{1,4}$/.test(group)) count += 1;
    else if (last && i === groups.length - 1 && isIpv4(group)) count += 2;
    else return undefined;
  }
  return count;
}
