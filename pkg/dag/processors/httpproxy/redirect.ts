import type { HTTPRequestRedirectPolicy } from '../../../apis/projectcontour/v1/httpproxy.ts';
import { fail, type Outcome, ok } from '../../../util/outcome.ts';
import type { Redirect } from '../../model/route.ts';
import { isPathText } from '../../policy/rewrite.ts';

const statusCodes: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Where a route sends its requests. The status is 302 where nothing else is said. */
export function redirectOf(policy: HTTPRequestRedirectPolicy): Outcome<Redirect> {
  const { scheme, hostname, port, statusCode = 302, path, prefix } = policy;
  if (path && prefix) {
    const message = 'route.requestRedirectPolicy is invalid: cannot specify both redirect path and redirect prefix';
    return fail('RouteError', 'RequestRedirectPolicy', message);
  }
  // Envoy has room for more, but there are no such ports.
  if (port !== undefined && !(port >= 1 && port <= 65_535)) {
    return fail('RouteError', 'RequestRedirectPolicy', `route.requestRedirectPolicy is invalid: port ${port} is not in 1 to 65535`);
  }
  if (!statusCodes.has(statusCode)) {
    const message = `route.requestRedirectPolicy is invalid: statusCode ${statusCode} is not one of ${[...statusCodes].join(', ')}`;
    return fail('RouteError', 'RequestRedirectPolicy', message);
  }
  for (const [field, text = ''] of Object.entries({ path, prefix, hostname })) {
    if (isPathText(text)) continue;
    const message = `route.requestRedirectPolicy is invalid: ${field} ${JSON.stringify(text)} has a control character`;
    return fail('RouteError', 'RequestRedirectPolicy', message);
  }
  return ok({
    ...(scheme !== undefined && { scheme }),
    ...(hostname && { hostname }),
    ...(port !== undefined && { port }),
    statusCode,
    ...(path && { path: { type: 'full-path', path } }),
    ...(prefix && { path: { type: 'prefix', replacement: prefix } }),
  });
}
