import type { CookieRewritePolicy } from '../../apis/projectcontour/v1/httpproxy.ts';
import { fail, type Outcome, ok } from '../../util/outcome.ts';
import type { CookieRewrite } from '../model/host-policies.ts';

/**
 * Reads rules for cookies. The problem, a `RouteError`/`CookieRewritePoliciesInvalid`, is a cookie named twice, or a rule that changes
 * nothing.
 */
export function cookieRewrites(
  rules: readonly CookieRewritePolicy[] | undefined,
  level: 'route' | 'service',
): Outcome<readonly CookieRewrite[]> {
  const made = new Map<string, CookieRewrite>();
  for (const { name, pathRewrite, domainRewrite, secure, sameSite } of rules ?? []) {
    const rule: CookieRewrite = {
      name,
      ...(pathRewrite !== undefined && { path: pathRewrite.value }),
      ...(domainRewrite !== undefined && { domain: domainRewrite.value }),
      ...(secure !== undefined && { secure }),
      ...(sameSite !== undefined && { sameSite }),
    };
    const changes = Object.keys(rule).length > 1;
    const what = made.has(name) ? 'duplicate cookie rewrite rule' : changes ? undefined : 'no attributes rewritten';
    if (what !== undefined) {
      return fail('RouteError', 'CookieRewritePoliciesInvalid', `${what} for cookie "${name}" on ${level} cookie rewrite rules`);
    }
    made.set(name, rule);
  }
  return ok([...made.values()]);
}

/** The rules of a route with those of one of its services, whose attributes win, by name. */
export function mergeCookieRewrites(route: readonly CookieRewrite[], service: readonly CookieRewrite[]): readonly CookieRewrite[] {
  const merged = new Map(route.map((rule) => [rule.name, rule]));
  for (const rule of service) merged.set(rule.name, { ...merged.get(rule.name), ...rule });
  return [...merged.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
