/** The wildcard hosts that match a host by a shorter suffix, the longest first, `*` included. */
export function wildcardsOver(host: string): readonly string[] {
  if (host === '*') return [];
  const labels = host.split('.');
  const suffixes = labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`);
  return [...suffixes.filter((wildcard) => wildcard !== host), '*'];
}
