/** A step on the way to a field: a property name or an index of a list. */
export type PathSegment = string | number;

/** Says where a field is, such as `spec.routes[0].services[1].port`; a name that is no identifier stands in brackets and quotes. */
export function formatFieldPath(segments: readonly PathSegment[]): string {
  let text = '';
  for (const segment of segments) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else if (!/^[A-Za-z_$][\w$-]*$/.test(segment)) text += `[${JSON.stringify(segment)}]`;
    else text += text === '' ? segment : `.${segment}`;
  }
  return text;
}
