import { RE2JS } from 're2js';
import { errorMessage } from '../../util/error-text.ts';

/** Verdicts by pattern. A pattern's verdict never changes, so the memo only bounds work, not meaning. */
const verdicts = new Map<string, string | undefined>();
const verdictsLimit = 4096;

/** Compiling takes a microsecond for each atom, with its repetitions written out: this is a fifth of a second. */
const atomsLimit = 200_000;

/**
 * Envoy compiles a pattern into at most 8 MiB, which is 350,000 steps, and needs up to 15 of them (a class such as `\pL`) for what
 * is one step here.
 */
const stepsLimit = 20_000;

/**
 * Says why Envoy would refuse a regular expression, or `undefined` if it would take it. Envoy uses RE2 over bytes: no look-around,
 * no back-references, at most 1,000 repetitions, no `\x{100}`. Found here, the fault gets a condition on its object;
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
  if (pattern === '') return 'it is empty';
  if (atomsOf(pattern) > atomsLimit) return tooLarge;
  try {
    return RE2JS.compile(pattern).programSize() > stepsLimit ? tooLarge : wideEscape(pattern);
  } catch (error) {
    return errorMessage(error);
  }
}

const tooLarge = 'it is too large; repetitions within repetitions multiply';

/** What counts as one: an escape, quoted text, a class, a repetition, any other character. */
const token = /\\(?:[pPx]\{[^}]*\}|Q.*?(?:\\E|$)|.)|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(?<least>\d+)(?:,(?<most>\d*))?\}|./gs;

/** How many atoms a pattern has with its repetitions written out. Of a pattern that is none, some number. */
function atomsOf(pattern: string): number {
  const groups = [0];
  let last = 0;
  const add = (count: number): void => void groups.push((groups.pop() ?? 0) + count);
  for (const { 0: text, groups: repetition } of pattern.matchAll(token)) {
    if (text === '(') {
      groups.push(0);
    } else if (repetition?.['least'] !== undefined) {
      const times = Math.max(Number(repetition['least']), Number(repetition['most'] ?? 0), 1);
      add(last * (times - 1));
      last *= times;
    } else {
      last = text === ')' ? (groups.pop() ?? 0) : text.length;
      add(last);
    }
  }
  return groups.reduce((sum, count) => sum + count, 0);
}

/** An escape of a character above 255. As text it is a sequence of bytes; as an escape Envoy does not know it. */
function wideEscape(pattern: string): string | undefined {
  const escapes = pattern.matchAll(/\\(?:x\{(?<digits>[^}]*)\}|Q.*?(?:\\E|$)|.)/gs);
  const wide = [...escapes].find(({ groups }) => groups?.['digits'] !== undefined && Number.parseInt(groups['digits'], 16) > 0xff);
  return wide && `${wide[0]} is above \\x{FF}; write the character itself`;
}
