import { quote } from '../../schema/bounds.ts';
import type { Finding } from '../../schema/conform.ts';
import { formatFieldPath, type PathSegment } from '../../schema/field-path.ts';

/** Gathers what is wrong with an object, field by field. */
export class Faults {
  readonly found: Finding[] = [];

  add(path: readonly PathSegment[], message: string): void {
    this.found.push({ path: formatFieldPath(path), message });
  }

  /** Adds what a rule says of a value, if it says something. */
  check<T>(path: readonly PathSegment[], value: T, rule: (value: T) => string | undefined): void {
    const fault = rule(value);
    if (fault !== undefined) this.add(path, value === '' ? fault : `${fault}; it is ${quote(value)}`);
  }

  /** Refuses a value that is not one of some. */
  oneOf(path: readonly PathSegment[], value: string, allowed: readonly string[]): void {
    if (!allowed.includes(value)) this.add(path, `must be one of ${allowed.map(quote).join(', ')}; it is ${quote(value)}`);
  }

  /** Refuses a field that needs a value. Returns whether it has one. */
  require(path: readonly PathSegment[], value: unknown): boolean {
    if (value !== undefined && value !== '') return true;
    this.add(path, 'is required');
    return false;
  }

  /** Refuses a second value that is equal. */
  unique(path: readonly PathSegment[], seen: Set<string>, value: unknown): void {
    const text = JSON.stringify(value);
    if (seen.has(text)) this.add(path, `is a duplicate: ${quote(value)} is there already`);
    seen.add(text);
  }
}
