/** Comparing what was seen with what a case wants. */

/** What differs, in lines that say where. */
export class Differences {
  readonly lines: string[] = [];

  add(line: string): void {
    this.lines.push(line);
  }

  /** Notes a value that is not as wanted. */
  value(where: string, want: unknown, got: unknown): void {
    if (!matches(want, got)) this.add(`${where}: want ${JSON.stringify(want)}, got ${JSON.stringify(got)}`);
  }

  /** A header must have the wanted value, or all of a list, or be absent where `null` is wanted. */
  headers(where: string, want: Readonly<Record<string, unknown>>, values: (name: string) => readonly string[]): void {
    for (const [name, wanted] of Object.entries(want)) {
      const got = values(name);
      if (!headerMatches(wanted, got)) this.add(`${where} ${name}: want ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`);
    }
  }
}

/** Whether a value is as wanted: `~RE` is a regular expression, `null` is nothing, the rest is compared as text. */
export function matches(want: unknown, got: unknown): boolean {
  if (typeof want === 'string' && want.startsWith('~'))
    return got !== undefined && got !== null && new RegExp(want.slice(1)).test(String(got));
  if (want === null || want === undefined) return got === undefined || got === null;
  if (typeof want === 'boolean') return want === got;
  return got !== undefined && got !== null && String(want) === String(got);
}

function headerMatches(want: unknown, got: readonly string[]): boolean {
  if (want === null) return got.length === 0;
  if (Array.isArray(want)) return JSON.stringify(want.map(String).sort()) === JSON.stringify([...got].sort());
  return got.some((value) => matches(want, value));
}
