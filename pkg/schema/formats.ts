const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.|$)){4}$/;

/** The formats that a schema may name, and what text has them. A format that is not here bounds nothing, as in the API server. */
export const formats: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': isDateTime,
  ipv4: isIpv4,
  ipv6: isIpv6,
};

/** Whether the text is a moment as RFC 3339 has it. */
export function isDateTime(text: string): boolean {
  const found = rfc3339.exec(text);
  if (found === null) return false;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as [number, number, number, number, number, number];
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 61;
}

/** Whether the text is an IPv4 address: four numbers without leading zeros. */
export function isIpv4(text: string): boolean {
  return !text.endsWith('.') && ipv4.test(text);
}

/** Whether the text is an IPv6 address, without a zone. The last 32 bits may be written as an IPv4 address. */
export function isIpv6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));
  const all = groups.flat();
  const last = all.at(-1);
  const hasIpv4 = last?.includes('.') === true;
  if (hasIpv4 && (!isIpv4(last as string) || groups.at(-1)?.length === 0)) return false;
  const hex = hasIpv4 ? all.slice(0, -1) : all;
  if (!hex.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  const size = hex.length + (hasIpv4 ? 2 : 0);
  return halves.length === 2 ? size < 8 : size === 8;
}
