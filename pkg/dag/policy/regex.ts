import { RE2JS } from 're2js';
import { errorMessage } from '../../util/error-text.ts';

/** Verdicts by pattern. A pattern's verdict never changes, so the memo only bounds work, not meaning. */
const verdicts = new Map<string, string | undefined>();
const verdictsLimit = 4096;

/**
 * Says why Envoy would refuse a regular expression, or `undefined` if it would take it. Envoy uses RE2: no
 * look-around, no back-references, at most 1,000 repetitions. Found here, the fault gets a condition on its object;
 * found by Envoy, it would hold up the whole resource.
 */
export function regexError(pattern: string): string | undefined {
  if (verdicts.has(pattern)) return verdicts.get(pattern);
  const verdict = compileError(pattern);
  if (verdicts.size >= verdictsLimit) verdicts.clear();
  verdicts.set(pattern, verdict);
  return verdict;
}

function compileError(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
