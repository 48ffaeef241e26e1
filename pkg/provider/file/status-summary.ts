type Fields = Readonly<Record<string, unknown>>;

/** A status in a few words, for people: what holds and, where something is wrong, why. */
export function summarizeStatus(status: Fields): string {
  const own = conditionsOf(status).map(describe);
  const nested = ['parents', 'listeners', 'ancestors'].flatMap((field) =>
    listOf(status[field]).map((entry) => describeEntry(field, entry)),
  );
  const parts = [...own, ...nested].filter((part) => part !== '');
  return parts.length === 0 ? 'nothing to say' : parts.join('; ');
}

function describeEntry(field: string, entry: Fields): string {
  const name = nameOf(entry);
  return `${field.slice(0, -1)}${name === '' ? '' : ` ${name}`}: ${conditionsOf(entry).map(describe).join(', ')}`;
}

function nameOf(entry: Fields): string {
  const reference = (entry['parentRef'] ?? entry['ancestorRef'] ?? entry) as Fields;
  return [reference['namespace'], reference['name'], reference['sectionName']].filter((part) => typeof part === 'string').join('/');
}

function describe(condition: Fields): string {
  const errors = [...listOf(condition['errors']), ...listOf(condition['warnings'])].map(
    ({ type, reason, message }) => `${String(type)}/${String(reason)}: ${String(message)}`,
  );
  const { type, status, reason, message } = condition;
  const head = status === 'True' ? String(type) : `not ${String(type)} (${String(reason)})`;
  if (errors.length > 0) return `${head}: ${errors.join('; ')}`;
  return status === 'True' ? head : `${head}: ${String(message)}`;
}

function conditionsOf(fields: Fields): readonly Fields[] {
  return listOf(fields['conditions']);
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Fields[]) : [];
}
