import { RE2JS } from 're2js';

/** Schemas say the same few patterns in many places; the patterns come with the program, so the map stays small. */
const compiled = new Map<string, RE2JS>();

/**
 * Compiles a pattern of a schema, in Go's dialect (RE2), at its first use. The time that a test takes is linear in the
 * text: JavaScript's own engine needs seconds for forty characters that almost match the pattern of a duration.
 */
export function compileGoPattern(pattern: string): (text: string) => boolean {
  return (text) => {
    let regex = compiled.get(pattern);
    if (regex === undefined) {
      regex = RE2JS.compile(pattern);
      compiled.set(pattern, regex);
    }
    return regex.test(text);
  };
}
