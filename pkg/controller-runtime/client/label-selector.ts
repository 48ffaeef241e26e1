/** Says whether labels match. */
export type LabelMatcher = (labels: Readonly<Record<string, string>> | undefined) => boolean;

/** What a term of a selector says of the labels. */
type Term = (labels: Readonly<Record<string, string>>) => boolean;

const name = `[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?`;
const equality = new RegExp(String.raw`^(${name})\s*(==|=|!=)\s*([-A-Za-z0-9_.]*)$`);
const membership = new RegExp(String.raw`^(${name})\s+(in|notin)\s*\(([-A-Za-z0-9_.,\s]*)\)$`);
const presence = new RegExp(String.raw`^(!?)\s*(${name})$`);

/**
 * A label selector as `kubectl -l` has it: `a=b`, `a==b`, `a!=b`, `a in (b, c)`, `a notin (b)`, `a` and `!a`, joined
 * by commas. `''` matches everything. As on the server, `!=` and `notin` match where there is no such label.
 * @throws {RangeError} naming the term that is none
 */
export function parseLabelSelector(text: string): LabelMatcher {
  const terms = splitTerms(text).map(parseTerm);
  return (labels = {}) => terms.every((matches) => matches(labels));
}

/** At the commas that are in no parentheses. */
function splitTerms(text: string): readonly string[] {
  return text.trim() === '' ? [] : text.split(/,(?![^(]*\))/).map((term) => term.trim());
}

function parseTerm(term: string): Term {
  const equal = equality.exec(term);
  if (equal !== null) {
    const [, key = '', operator, value = ''] = equal;
    return operator === '!=' ? (labels) => own(labels, key) !== value : (labels) => own(labels, key) === value;
  }
  const member = membership.exec(term);
  if (member !== null) {
    const [, key = '', operator, list = ''] = member;
    const values = new Set(list.split(',').map((value) => value.trim()));
    const isIn: Term = (labels) => values.has(own(labels, key) ?? '') && own(labels, key) !== undefined;
    return operator === 'in' ? isIn : (labels) => !isIn(labels);
  }
  const present = presence.exec(term);
  if (present === null) throw new RangeError(`"${term}" is no term of a label selector`);
  const [, negated, key = ''] = present;
  return (labels) => (own(labels, key) === undefined) === (negated === '!');
}

function own(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
