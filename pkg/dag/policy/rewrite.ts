import type { Outcome } from '../../util/outcome.ts';
import { fail, ok } from '../../util/outcome.ts';
import type { RouteMatch } from '../model/route.ts';

/** One entry of an HTTPProxy route's `pathRewritePolicy.replacePrefix`. */
export interface PrefixReplacement {
  /** The complete routing prefix that it is for; absent: for every other one. */
  readonly prefix?: string;
  readonly replacement: string;
}

/**
 * What a route's prefix becomes: the entry for exactly that prefix, else the entry without a prefix, else nothing.
 * A route may be reached by several chains of includes, each with a prefix of its own: hence the list.
 */
export function prefixReplacement(entries: readonly PrefixReplacement[], match: RouteMatch): Outcome<string | undefined> {
  if (entries.length === 0) return ok(undefined);
  if (match.path.type !== 'prefix') {
    return fail('PrefixReplaceError', 'MustHavePrefix', 'cannot specify prefix replacements without a prefix condition');
  }
  const byPrefix = new Map<string, string>();
  for (const { prefix = '', replacement } of entries) {
    if (byPrefix.has(prefix)) return prefix === '' ? ambiguous() : duplicate(prefix);
    if (!isPathText(replacement))
      return fail('PrefixReplaceError', 'InvalidReplacement', `replacement ${JSON.stringify(replacement)} has a control character`);
    byPrefix.set(prefix, replacement);
  }
  return ok(byPrefix.get(match.path.prefix) ?? byPrefix.get(''));
}

/** Whether Envoy takes a text as a path to write: it refuses the whole table of routes for NUL, CR and LF (tried with 1.40). */
export function isPathText(text: string): boolean {
  return !/[\u0000-\u001f\u007f]/.test(text);
}

function ambiguous(): Outcome<never> {
  return fail('PrefixReplaceError', 'AmbiguousReplacement', 'more than one prefix replacement is for any prefix');
}

function duplicate(prefix: string): Outcome<never> {
  const message = `prefix ${JSON.stringify(prefix)} has more than one replacement`;
  return fail('PrefixReplaceError', 'DuplicateReplacement', message);
}
