/** A regular expression (RE2, and JavaScript's) that matches a text and nothing else. */
export function quoteRegex(text: string): string {
  return text.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&');
}
