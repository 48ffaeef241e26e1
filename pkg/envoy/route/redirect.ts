import type { Redirect } from '../../dag/model/route.ts';
import { RedirectAction, RedirectAction_RedirectResponseCode } from '../../envoy-api/envoy/config/route/v3/route_components.ts';
import { prefixRemoval } from './rewrite.ts';

const responseCodes = {
  301: RedirectAction_RedirectResponseCode.MOVED_PERMANENTLY,
  302: RedirectAction_RedirectResponseCode.FOUND,
  303: RedirectAction_RedirectResponseCode.SEE_OTHER,
  307: RedirectAction_RedirectResponseCode.TEMPORARY_REDIRECT,
  308: RedirectAction_RedirectResponseCode.PERMANENT_REDIRECT,
} as const;

/** A redirect that a user asked for. What it does not name is kept from the request. */
export function redirectAction(redirect: Redirect): RedirectAction {
  const pathRewriteSpecifier = redirectPath(redirect.path);
  return RedirectAction.fromPartial({
    ...(redirect.scheme !== undefined && { schemeRewriteSpecifier: { $case: 'schemeRedirect', value: redirect.scheme } }),
    hostRedirect: redirect.hostname ?? '',
    portRedirect: redirect.port ?? 0,
    responseCode: responseCodes[redirect.statusCode],
    ...(pathRewriteSpecifier && { pathRewriteSpecifier }),
  });
}

function redirectPath(path: Redirect['path']): RedirectAction['pathRewriteSpecifier'] {
  switch (path?.type) {
    case undefined:
      return undefined;
    case 'full-path':
      return { $case: 'pathRedirect', value: path.path };
    case 'prefix':
      return { $case: 'prefixRewrite', value: path.replacement };
    case 'remove-prefix':
      return { $case: 'regexRewrite', value: prefixRemoval(path.prefix) };
  }
}

/**
 * The answer to plain HTTP on a host that wants TLS: 301 to https. The insecure port does not go along: a literal host has none, and for
 * a wildcard, where the host is not known, a request that names a port is sent to 443 explicitly.
 */
export function httpsRedirect(target: { readonly host: string } | 'same-host' | 'same-host-on-443'): RedirectAction {
  return RedirectAction.fromPartial({
    schemeRewriteSpecifier: { $case: 'httpsRedirect', value: true },
    hostRedirect: typeof target === 'string' ? '' : target.host,
    portRedirect: target === 'same-host-on-443' ? 443 : 0,
    responseCode: RedirectAction_RedirectResponseCode.MOVED_PERMANENTLY,
  });
}
