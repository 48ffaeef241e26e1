import type { HTTPInternalRedirectPolicy } from '../../apis/projectcontour/v1/httpproxy.ts';
import type { InternalRedirect } from '../model/host-policies.ts';

const crossScheme = { Always: 'always', Never: 'never', SafeOnly: 'safe-only' } as const;

/** The redirects that HTTPProxy knows; Envoy takes no others to follow. */
const statusCodes: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const maxRedirects = 0xffff_ffff;

/** What Envoy has no room for, or no redirect is, with its field; `undefined` if there is nothing. */
export function internalRedirectFault(policy: HTTPInternalRedirectPolicy): string | undefined {
  const { maxInternalRedirects = 0, redirectResponseCodes = [], allowCrossSchemeRedirect } = policy;
  if (maxInternalRedirects < 0 || maxInternalRedirects > maxRedirects) {
    return `maxInternalRedirects ${maxInternalRedirects} is not in 0 to ${maxRedirects}`;
  }
  const odd = redirectResponseCodes.find((code) => !statusCodes.has(code));
  if (odd !== undefined) return `redirectResponseCodes: ${odd} is not one of ${[...statusCodes].join(', ')}`;
  const known = allowCrossSchemeRedirect === undefined || Object.hasOwn(crossScheme, allowCrossSchemeRedirect);
  return known ? undefined : `allowCrossSchemeRedirect ${JSON.stringify(allowCrossSchemeRedirect)} is not known`;
}

/** Which redirects of the backend are followed. 0 redirects is not said: one is followed. */
export function internalRedirect(policy: HTTPInternalRedirectPolicy): InternalRedirect {
  const { maxInternalRedirects = 0, redirectResponseCodes = [], allowCrossSchemeRedirect = 'Never' } = policy;
  return {
    ...(maxInternalRedirects > 0 && { maxRedirects: maxInternalRedirects }),
    statusCodes: redirectResponseCodes,
    crossScheme: crossScheme[allowCrossSchemeRedirect],
    denyRepeatedRoute: policy.denyRepeatedRouteRedirect ?? false,
  };
}
