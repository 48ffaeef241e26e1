import type { HTTPHeader, HTTPHeaderFilter } from '../../../apis/gateway/common.ts';
import type { Outcome } from '../../../util/outcome.ts';
import { fail, ok } from '../../../util/outcome.ts';
import type { HeadersPolicy, HeaderValue } from '../../model/headers.ts';
import { canonicalHeaderName, escapeHeaderValue, isHeaderName, isHeaderValue } from '../../policy/headers.ts';

/** What a modifier changes. */
export type Direction = 'request' | 'response';

/**
 * A header modifier as a policy. `Host` on a request rewrites the host; on a response it is refused, and so is removing it.
 * The problem is one of condition `ResolvedRefs`. `path` is the field of the modifier.
 */
export function headerModifier(filter: HTTPHeaderFilter, direction: Direction, path: string): Outcome<HeadersPolicy> {
  const set = headerValues(filter.set ?? [], `${path}.set`);
  if (!set.ok) return set;
  const add = headerValues(filter.add ?? [], `${path}.add`);
  if (!add.ok) return add;
  const remove = removals(filter.remove ?? [], `${path}.remove`);
  if (!remove.ok) return remove;
  const hosts = [...set.value, ...add.value].filter(isHost);
  if (hosts.length > 0 && direction === 'response') return invalid(`${path}: rewriting "Host" header is not supported`);
  const hostRewrite = hosts[0]?.value;
  return ok({
    set: set.value.filter((header) => !isHost(header)).map(escaped),
    add: add.value.filter((header) => !isHost(header)).map(escaped),
    remove: remove.value,
    ...(hostRewrite !== undefined && { hostRewrite }),
  });
}

function isHost({ name }: HeaderValue): boolean {
  return name === 'Host';
}

function escaped({ name, value }: HeaderValue): HeaderValue {
  return { name, value: escapeHeaderValue(value, {}) };
}

function headerValues(headers: readonly HTTPHeader[], path: string): Outcome<readonly HeaderValue[]> {
  const byName = new Map<string, HeaderValue>();
  for (const [i, { name, value }] of headers.entries()) {
    if (!isHeaderName(name)) return invalid(`${path}[${i}].name: "${name}" is not a header name`);
    if (!isHeaderValue(value)) return invalid(`${path}[${i}].value: a header value has no control characters`);
    const key = canonicalHeaderName(name);
    if (byName.has(key)) return invalid(`${path}: duplicate header addition: "${key}"`);
    byName.set(key, { name: key, value });
  }
  return ok([...byName.values()]);
}

function removals(names: readonly string[], path: string): Outcome<readonly string[]> {
  for (const [i, name] of names.entries()) {
    if (!isHeaderName(name) || canonicalHeaderName(name) === 'Host') return invalid(`${path}[${i}]: "${name}" cannot be removed`);
  }
  return ok([...new Set(names.map(canonicalHeaderName))]);
}

function invalid(message: string): Outcome<never> {
  return fail('ResolvedRefs', 'Degraded', message);
}
