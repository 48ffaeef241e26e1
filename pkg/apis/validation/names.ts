/** Says what is wrong with a text, or `undefined`. The rules are those of the API server. */
export type TextRule = (text: string) => string | undefined;

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const labelPattern = new RegExp(`^${label}$`);
const subdomainPattern = new RegExp(`^${label}(\\.${label})*$`);
const wildcardPattern = new RegExp(`^\\*\\.${label}(\\.${label})*$`);
const qualifiedPartPattern = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

/** A name such as `shop.example.com`. @see RFC 1123 */
export const dnsSubdomain: TextRule = bounded(
  253,
  subdomainPattern,
  'must be a DNS name: lower-case letters, digits, "-" and ".", with a letter or digit at both ends',
);

/** A name such as `shop`. @see RFC 1123 */
export const dnsLabel: TextRule = bounded(
  63,
  labelPattern,
  'must be a DNS label: lower-case letters, digits and "-", with a letter or digit at both ends',
);

/** A name such as `*.example.com`. */
export const wildcardDnsSubdomain: TextRule = bounded(253, wildcardPattern, 'must be "*." and a DNS name');

/** A host: a DNS name, or one whose first label is `*`. */
export const hostName: TextRule = (text) => (text.includes('*') ? wildcardDnsSubdomain(text) : dnsSubdomain(text));

/** A DNS name of two labels or more, perhaps with a dot at the end. */
export const fullyQualifiedDomainName: TextRule = (text) => {
  if (text === '') return 'must not be empty';
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  const labels = name.split('.');
  return (
    dnsSubdomain(name) ?? (labels.length < 2 ? 'must have at least two labels' : labels.map(dnsLabel).find((fault) => fault !== undefined))
  );
};

/** The value of a label: 63 characters at most, or nothing. */
export const labelValue: TextRule = (text) =>
  text === ''
    ? undefined
    : bounded(63, qualifiedPartPattern, 'must be letters, digits, "-", "_" and ".", with a letter or digit at both ends')(text);

/** A name with an optional DNS name before it, such as `example.com/name`. */
export const qualifiedName: TextRule = (text) => {
  const parts = text.split('/');
  const name = parts.at(-1) as string;
  if (parts.length > 2) return 'must have at most one "/"';
  if (parts.length === 2) {
    const fault = dnsSubdomain(parts[0] as string);
    if (fault !== undefined) return `before the "/": ${fault}`;
  }
  if (name === '') return 'must have a name part';
  return labelValue(name);
};

/** A key of a ConfigMap or Secret: it may be the name of a file. */
export const dataKey: TextRule = (text) => {
  if (text === '.' || text.startsWith('..')) return 'must not be "." or begin with ".."';
  return bounded(253, /^[-._a-zA-Z0-9]+$/, 'must be letters, digits, "-", "_" and "."')(text);
};

/** The name of a port. @see RFC 6335 */
export const portName: TextRule = (text) => {
  if (text.length > 15) return 'must have at most 15 characters';
  if (!/^[-a-z0-9]+$/.test(text) || !/[a-z]/.test(text)) return 'must be lower-case letters, digits and "-", with a letter among them';
  if (text.includes('--') || text.startsWith('-') || text.endsWith('-')) return 'must not have "-" at an end or twice in a row';
  return undefined;
};

/** A part of a path that no program takes for more. */
export const pathSegment: TextRule = (text) => {
  if (text === '.' || text === '..') return 'must not be "." or ".."';
  return /[/%]/.test(text) ? 'must not contain "/" or "%"' : undefined;
};

/** A DNS name and a path, such as `example.com/controller`. */
export const domainPrefixedPath: TextRule = (text) => {
  const slash = text.indexOf('/');
  if (slash < 1 || slash === text.length - 1) return 'must be a DNS name and a path, such as "example.com/name"';
  const fault = dnsSubdomain(text.slice(0, slash));
  if (fault !== undefined) return `before the "/": ${fault}`;
  return /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(text.slice(slash + 1)) ? undefined : 'must have a path of characters that a URL may have';
};

/** The number of a port. */
export function portNumber(port: number): string | undefined {
  return port >= 1 && port <= 65535 ? undefined : 'must be between 1 and 65535';
}

function bounded(limit: number, pattern: RegExp, fault: string): TextRule {
  return (text) => {
    if (text === '') return 'must not be empty';
    if (text.length > limit) return `must have at most ${limit} characters`;
    return pattern.test(text) ? undefined : fault;
  };
}
