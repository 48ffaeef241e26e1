const indent = 2;

/** Prints a value as JSON. */
export function printJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, indent)}\n`;
}

/**
 * Prints a JSON value as YAML in block style. The yaml package makes a node of everything, which takes a second for the
 * resources of a thousand hosts.
 */
export function printYaml(value: unknown): string {
  const lines: string[] = [];
  writeValue(lines, value, { prefix: '', indent: '' });
  return `${lines.join('\n')}\n`;
}

interface Place {
  /** What stands on the first line before the value, such as `key:` or `- `. */
  readonly prefix: string;
  /** What the value's further lines begin with. */
  readonly indent: string;
}

function writeValue(lines: string[], value: unknown, { prefix, indent: at }: Place): void {
  if (Array.isArray(value)) writeList(lines, value, { prefix, indent: at });
  else if (typeof value === 'object' && value !== null) writeMap(lines, value as Readonly<Record<string, unknown>>, { prefix, indent: at });
  else lines.push(joined(prefix, scalar(value, at)));
}

function writeMap(lines: string[], value: Readonly<Record<string, unknown>>, { prefix, indent: at }: Place): void {
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  if (entries.length === 0) {
    lines.push(joined(prefix, '{}'));
    return;
  }
  if (prefix.endsWith(':')) lines.push(prefix);
  for (const [i, [key, entry]] of entries.entries()) {
    const start = i === 0 && !prefix.endsWith(':') ? prefix : at;
    const isNested = typeof entry === 'object' && entry !== null && !Array.isArray(entry);
    writeValue(lines, entry, { prefix: `${start}${scalar(key)}:`, indent: isNested ? `${at}  ` : at });
  }
}

function writeList(lines: string[], value: readonly unknown[], { prefix, indent: at }: Place): void {
  if (value.length === 0) {
    lines.push(joined(prefix, '[]'));
    return;
  }
  if (prefix.endsWith(':')) lines.push(prefix);
  for (const [i, entry] of value.entries()) {
    const start = i === 0 && !prefix.endsWith(':') ? prefix : at;
    writeValue(lines, entry, { prefix: `${start}- `, indent: `${at}  ` });
  }
}

function joined(prefix: string, text: string): string {
  return prefix === '' || prefix.endsWith(' ') ? `${prefix}${text}` : `${prefix} ${text}`;
}

/** Words of letters that YAML 1.1 or 1.2 takes for something else. */
const special = /^(?:true|false|yes|no|on|off|null|y|n)$/i;
const plain = /^[A-Za-z_/][\w./@-]*$/;
/** Lines that mean themselves in a literal block, such as those of a certificate. */
const literal = /^(?:[!-~][ -~]*\n)*[!-~][ -~]*\n?$/;
/** What JSON leaves bare and YAML does not take, or takes for a line break. */
const unprintable = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

function scalar(value: unknown, at?: string): string {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  const text = String(value);
  if (plain.test(text) && !special.test(text)) return text;
  if (at !== undefined && text.includes('\n') && literal.test(text)) return block(text, at);
  return JSON.stringify(text).replace(unprintable, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function block(text: string, at: string): string {
  const isWhole = text.endsWith('\n');
  const lines = (isWhole ? text.slice(0, -1) : text).split('\n');
  return [isWhole ? '|' : '|-', ...lines.map((line) => `${at}  ${line}`)].join('\n');
}
