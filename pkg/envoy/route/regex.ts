/** A text as the substitution of a `regex_rewrite`, where a backslash would name a group. */
export function quoteSubstitution(text: string): string {
  return text.replaceAll('\\', '\\\\');
}
