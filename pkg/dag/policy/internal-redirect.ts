import type { HTTPInternalRedirectPolicy } from '../../apis/projectcontour/v1/httpproxy.ts';
import type { InternalRedirect } from '../model/host-policies.ts';

const crossScheme = { Always: 'always', Never: 'never', SafeOnly: 'safe-only' } as const;

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
