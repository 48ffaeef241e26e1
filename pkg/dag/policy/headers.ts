import type { Outcome } from '../../util/outcome.ts';
import { fail, ok } from '../../util/outcome.ts';
import type { HeadersPolicy } from '../model/headers.ts';

/** Changes to headers, as objects have them. */
export interface HeadersInput {
  readonly set?: readonly { readonly name: string; readonly value?: string }[] | undefined;
  readonly remove?: readonly string[] | undefined;
}

/** What may be done to `Host`, and which variables of Contour's own have a value. */
export interface HeadersOptions {
  /** `literal-or-header`: a value of `%REQ(X-Name)%` takes the host from that header. `refused` on responses. */
  readonly host: 'literal-or-header' | 'literal' | 'refused';
  /** By name without percent signs, such as `CONTOUR_NAMESPACE`. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Checks changes to headers and makes them safe for Envoy: names in canonical form, values with every `%` that is no
 * known variable escaped. Nothing to change gives `undefined`. The problem has no type or reason of its own: who asks
 * knows whether it was a route or a service.
 */
export function headersPolicy(input: HeadersInput | undefined, options: HeadersOptions): Outcome<HeadersPolicy | undefined> {
  if (input === undefined) return ok(undefined);
  const set = new Map<string, string>();
  for (const { name, value = '' } of input.set ?? []) {
    const key = canonicalHeaderName(name);
    const error = set.has(key) ? `duplicate header addition: "${key}"` : setError(name, value, options);
    if (error !== undefined) return invalid(error);
    set.set(key, value);
  }
  const remove = removals(input.remove ?? []);
  if (!remove.ok) return remove;

  const host = set.get('Host') ?? '';
  set.delete('Host');
  const values = [...set].map(([name, value]) => ({ name, value: escapeHeaderValue(value, options.variables) }));
  if (values.length + remove.value.length === 0 && host === '') return ok(undefined);
  return ok({ set: values, add: [], remove: remove.value, ...hostRewrite(host) });
}

/** Header changes as the configuration has them. */
interface HeaderDefaults {
  readonly set: Readonly<Record<string, string>>;
  readonly remove: readonly string[];
}

/**
 * Adds the configuration's header changes to a policy: what the policy sets wins, removals are united, a default Host
 * only stands where the policy has none.
 */
export function withHeaderDefaults(
  own: HeadersPolicy | undefined,
  defaults: HeaderDefaults | undefined,
  variables: HeadersOptions['variables'],
): Outcome<HeadersPolicy | undefined> {
  if (defaults === undefined) return ok(own);
  const set = Object.entries(defaults.set).map(([name, value]) => ({ name, value }));
  const base = headersPolicy({ set, remove: defaults.remove }, { host: 'literal', variables });
  if (!base.ok || base.value === undefined || own === undefined) return base.ok ? ok(base.value ?? own) : base;

  const names = new Set(own.set.map(({ name }) => name));
  const { hostRewrite: host } = base.value;
  const hasHost = own.hostRewrite !== undefined || own.hostRewriteHeader !== undefined;
  return ok({
    ...own,
    set: [...own.set, ...base.value.set.filter(({ name }) => !names.has(name))],
    remove: [...new Set([...own.remove, ...base.value.remove])],
    ...(!hasHost && host !== undefined && { hostRewrite: host }),
  });
}

function invalid(message: string): Outcome<never> {
  return fail('', '', message);
}

function setError(name: string, value: string, { host }: HeadersOptions): string | undefined {
  const key = canonicalHeaderName(name);
  if (!isHeaderName(name)) return `invalid set header "${key.slice(0, shownLength)}": ${nameRule}`;
  const fault = headerValueFault(value);
  if (fault !== undefined) return `invalid set header "${key}": ${fault}`;
  if (key !== 'Host') return undefined;
  if (host === 'refused') return 'rewriting "Host" header is not supported';
  const dynamic = host === 'literal' && hostHeader(value) !== undefined;
  return dynamic ? 'rewriting "Host" header from another header is not supported here' : undefined;
}

function removals(names: readonly string[]): Outcome<readonly string[]> {
  const seen = new Set<string>();
  for (const name of names) {
    const key = canonicalHeaderName(name);
    if (seen.has(key)) return invalid(`duplicate header removal: "${key}"`);
    if (!isHeaderName(name)) return invalid(`invalid remove header "${key}": ${nameRule}`);
    // Envoy refuses the whole route table for this.
    if (key === 'Host') return invalid('invalid remove header "Host": a request cannot go without it');
    seen.add(key);
  }
  return ok([...seen]);
}

const nameRule = "a header name is made of letters, digits and !#$%&'*+-.^_`|~, at most 16384";
/** How much of a name that may be very long is shown. */
const shownLength = 256;

function hostRewrite(value: string): Pick<HeadersPolicy, 'hostRewrite' | 'hostRewriteHeader'> {
  if (value === '') return {};
  const header = hostHeader(value);
  return header === undefined ? { hostRewrite: value } : { hostRewriteHeader: canonicalHeaderName(header) };
}

/** The name in `%REQ(name)%`, where the value is nothing else. */
function hostHeader(value: string): string | undefined {
  return /^%REQ\(([A-Za-z0-9-]+)\)%$/.exec(value)?.[1];
}

/** Envoy refuses a table of routes with a longer name or value in it (HeaderValue `max_bytes`, tried with 1.40). */
const maxHeaderBytes = 16_384;

/** Whether a text is an HTTP field name (RFC 9110, 5.1) that Envoy takes. */
export function isHeaderName(name: string): boolean {
  return name.length <= maxHeaderBytes && /^[\w!#$%&'*+\-.^`|~]+$/.test(name);
}

/** Whether Envoy takes a text as a header's value. */
export function isHeaderValue(value: string): boolean {
  return headerValueFault(value) === undefined;
}

/** Why Envoy does not take a text as a header's value: control characters but the tab, or its length when percent signs are doubled. */
function headerValueFault(value: string): string | undefined {
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)) return 'its value has a control character';
  if (value.length <= maxHeaderBytes / 6) return undefined;
  const bytes = new TextEncoder().encode(value.replaceAll('%', '%%')).length;
  return bytes > maxHeaderBytes ? `its value is longer than ${maxHeaderBytes} bytes` : undefined;
}

/** `x-fOO` as `X-Foo`. A text that is no header name stays as it is. */
export function canonicalHeaderName(name: string): string {
  if (!isHeaderName(name)) return name;
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** Envoy's command operators that may stand in a header's value; anything else between percent signs is plain text. */
const envoyVariables: ReadonlySet<string> = new Set([
  'DOWNSTREAM_REMOTE_ADDRESS',
  'DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT',
  'DOWNSTREAM_LOCAL_ADDRESS',
  'DOWNSTREAM_LOCAL_ADDRESS_WITHOUT_PORT',
  'DOWNSTREAM_LOCAL_PORT',
  'DOWNSTREAM_LOCAL_URI_SAN',
  'DOWNSTREAM_PEER_URI_SAN',
  'DOWNSTREAM_LOCAL_SUBJECT',
  'DOWNSTREAM_PEER_SUBJECT',
  'DOWNSTREAM_PEER_ISSUER',
  'DOWNSTREAM_TLS_SESSION_ID',
  'DOWNSTREAM_TLS_CIPHER',
  'DOWNSTREAM_TLS_VERSION',
  'DOWNSTREAM_PEER_FINGERPRINT_256',
  'DOWNSTREAM_PEER_FINGERPRINT_1',
  'DOWNSTREAM_PEER_SERIAL',
  'DOWNSTREAM_PEER_CERT',
  'DOWNSTREAM_PEER_CERT_V_START',
  'DOWNSTREAM_PEER_CERT_V_END',
  'HOSTNAME',
  'PROTOCOL',
  'UPSTREAM_REMOTE_ADDRESS',
  'RESPONSE_FLAGS',
  'RESPONSE_CODE_DETAILS',
  'TLS_JA3_FINGERPRINT',
  'TLS_JA4_FINGERPRINT',
]);

/** A variable between percent signs, or a percent sign that begins none. Envoy refuses a length that is no number of 32 bits. */
const percent = /%([A-Z0-9_]+|REQ\(:?[\w-]+(?:\?:?[\w-]+)?\)(?::\d{1,9})?)%|%/g;

/**
 * Makes a user's text into a value of Envoy's format language. Known variables stay, Contour's own get their value,
 * every other percent sign is doubled, so that Envoy reads it as one.
 */
export function escapeHeaderValue(value: string, variables: Readonly<Record<string, string>>): string {
  let escaped = '';
  let at = 0;
  for (;;) {
    percent.lastIndex = at;
    const found = percent.exec(value);
    if (found === null) return escaped + value.slice(at);
    const known = knownVariable(found[1], variables);
    escaped += value.slice(at, found.index) + (known ?? '%%');
    // After an unknown name its closing percent sign may open the next variable.
    at = found.index + (known === undefined ? 1 : found[0].length);
  }
}

function knownVariable(name: string | undefined, variables: Readonly<Record<string, string>>): string | undefined {
  if (name === undefined) return undefined;
  if (Object.hasOwn(variables, name)) return variables[name]?.replaceAll('%', '%%');
  return envoyVariables.has(name) || name.startsWith('REQ(') ? `%${name}%` : undefined;
}
