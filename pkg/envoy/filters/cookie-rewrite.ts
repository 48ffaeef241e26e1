import type { CookieRewrite } from '../../dag/model/host-policies.ts';
import { Lua, LuaPerRoute } from '../../envoy-api/envoy/extensions/filters/http/lua/v3/lua.ts';
import type { HttpFilter } from '../../envoy-api/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.ts';
import type { Any } from '../../envoy-api/google/protobuf/any.ts';
import { packed } from '../protobuf.ts';
import { cookieScript } from './cookie-script.ts';
import { httpFilter } from './http-filter.ts';

export const cookieRewriteName = 'envoy.filters.http.lua';

const scriptName = 'cookie_rewrite.lua';

/**
 * Changes cookies that backends set; it stands before the upstream of routes that ask for that. The script is the same for everybody; what
 * a user wrote comes to it as data, in `filter_context`.
 */
export const cookieRewriteFilter: HttpFilter = httpFilter(
  cookieRewriteName,
  packed(Lua, Lua.fromPartial({ sourceCodes: { [scriptName]: { specifier: { $case: 'inlineString', value: cookieScript } } } })),
);

/** The rules of a route, or of one of its clusters; `undefined`: none. */
export function cookieRewritePerRoute(rules: readonly CookieRewrite[] | undefined): Any | undefined {
  if (rules === undefined || rules.length === 0) return undefined;
  const cookies = Object.fromEntries(rules.map((rule) => [rule.name, attributes(rule)]));
  const config = LuaPerRoute.fromPartial({ override: { $case: 'name', value: scriptName }, filterContext: { cookies } });
  return packed(LuaPerRoute, config);
}

/** What the script does with each attribute; no value is empty. `Secure` is only there or not. */
function attributes({ path, domain, secure, sameSite }: CookieRewrite): Readonly<Record<string, string | boolean>> {
  return {
    ...(path !== undefined && { path }),
    ...(domain !== undefined && { domain }),
    ...(secure !== undefined && { secure }),
    ...(sameSite !== undefined && { samesite: sameSite }),
  };
}
