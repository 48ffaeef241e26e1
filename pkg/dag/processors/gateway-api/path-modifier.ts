import type { HTTPPathModifier, HTTPRequestRedirectFilter } from '../../../apis/gateway/http-route.ts';
import type { Outcome } from '../../../util/outcome.ts';
import { fail, ok } from '../../../util/outcome.ts';
import type { PathMatch, PathRewrite, Redirect } from '../../model/route.ts';
import { isPathText } from '../../policy/rewrite.ts';

/**
 * How a path changes, given how it was matched; `undefined` where it stays. A prefix is replaced by whole segments:
 * `/foo` by `/xyz` makes `/xyz/bar` of `/foo/bar`, and so do `/foo/` and `/xyz/`. `path` is the field of the modifier.
 * @see Gateway API, `HTTPPathModifier`
 */
export function pathRewrite(modifier: HTTPPathModifier | undefined, match: PathMatch, path: string): Outcome<PathRewrite | undefined> {
  if (modifier === undefined) return ok(undefined);
  const { type, replaceFullPath = '', replacePrefixMatch = '' } = modifier;
  for (const [field, text] of Object.entries({ replaceFullPath, replacePrefixMatch })) {
    if (!isPathText(text)) return unsupported(`${path}.${field}: ${JSON.stringify(text)} has a control character`);
  }
  if (type === 'ReplaceFullPath') return ok({ type: 'full-path', path: replaceFullPath === '' ? '/' : replaceFullPath });
  if (type !== 'ReplacePrefixMatch') return unsupported(`${path}.type: "${String(type)}" is not supported`);
  if (match.type !== 'prefix') return unsupported(`${path}.type: ReplacePrefixMatch needs a path match of type PathPrefix`);
  return ok(prefixRewrite(match.prefix, replacePrefixMatch.replace(/\/+$/, '')));
}

function prefixRewrite(prefix: string, replacement: string): PathRewrite | undefined {
  if (prefix === '/') return replacement === '' ? undefined : { type: 'prefix', replacement: `${replacement}/` };
  return replacement === '' ? { type: 'remove-prefix', prefix } : { type: 'prefix', replacement };
}

/** A redirect, given how the path was matched; 302 where no status is asked for. `path` is the field of the filter. */
export function redirectOf(filter: HTTPRequestRedirectFilter, match: PathMatch, path: string): Outcome<Redirect> {
  const rewrite = pathRewrite(filter.path, match, `${path}.path`);
  if (!rewrite.ok) return rewrite;
  const { scheme, hostname, port, statusCode = 302 } = filter;
  return ok({
    ...(scheme !== undefined && { scheme }),
    ...(hostname !== undefined && { hostname }),
    ...(port !== undefined && { port }),
    statusCode,
    ...(rewrite.value !== undefined && { path: rewrite.value }),
  });
}

function unsupported(message: string): Outcome<never> {
  return fail('Accepted', 'UnsupportedValue', message);
}
