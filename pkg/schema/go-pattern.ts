/**
 * Compiles a pattern of a schema. Schemas have Go's dialect (RE2); the parts of it that schemas use mean the same in
 * JavaScript but for the dot, which in Go is anything but a newline.
 *
 * For patterns of schemas alone: they come with the program. A user's own regular expression goes through re2js.
 * @throws {SyntaxError} if the pattern has syntax that JavaScript lacks.
 */
export function compileGoPattern(pattern: string): RegExp {
  let source = '';
  let isInClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] as string;
    if (char === '\\') {
      source += char + (pattern[++at] ?? '');
      continue;
    }
    if (char === '[') isInClass = true;
    if (char === ']') isInClass = false;
    source += char === '.' && !isInClass ? '[^\\n]' : char;
  }
  return new RegExp(source);
}
