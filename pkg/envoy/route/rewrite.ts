import type { PathRewrite } from '../../dag/model/route.ts';
import type { RouteAction } from '../../envoy-api/envoy/config/route/v3/route_components.ts';
import { RegexMatchAndSubstitute } from '../../envoy-api/envoy/type/matcher/v3/regex.ts';
import { quoteRegex } from '../../util/quote-regex.ts';
import { quoteSubstitution } from './regex.ts';

/** How the path changes on the way to the upstream. */
export function pathRewriteFields(
  rewrite: PathRewrite | undefined,
): Pick<RouteAction, 'regexRewrite'> & Partial<Pick<RouteAction, 'prefixRewrite'>> {
  switch (rewrite?.type) {
    case undefined:
      return {};
    case 'prefix':
      return { prefixRewrite: rewrite.replacement };
    case 'full-path':
      return { regexRewrite: regexRewrite('^/.*$', rewrite.path) };
    case 'remove-prefix':
      return { regexRewrite: prefixRemoval(rewrite.prefix) };
  }
}

/** Takes a prefix away with the slashes after it: what is left begins with one slash. */
export function prefixRemoval(prefix: string): RegexMatchAndSubstitute {
  return regexRewrite(`^${quoteRegex(prefix.replace(/\/+$/, ''))}/*`, '/');
}

function regexRewrite(regex: string, replacement: string): RegexMatchAndSubstitute {
  return RegexMatchAndSubstitute.fromPartial({ pattern: { regex }, substitution: quoteSubstitution(replacement) });
}
