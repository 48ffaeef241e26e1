import type { InternalRedirect } from '../../dag/model/host-policies.ts';
import { InternalRedirectPolicy } from '../../envoy-api/envoy/config/route/v3/route_components.ts';
import { PreviousRoutesConfig } from '../../envoy-api/envoy/extensions/internal_redirect/previous_routes/v3/previous_routes_config.ts';
import { SafeCrossSchemeConfig } from '../../envoy-api/envoy/extensions/internal_redirect/safe_cross_scheme/v3/safe_cross_scheme_config.ts';
import { packed } from '../protobuf.ts';
import { scopeHeader } from './scopes.ts';

const safeCrossScheme = {
  name: 'envoy.internal_redirect_predicates.safe_cross_scheme',
  typedConfig: packed(SafeCrossSchemeConfig, SafeCrossSchemeConfig.fromPartial({})),
};

const previousRoutes = {
  name: 'envoy.internal_redirect_predicates.previous_routes',
  typedConfig: packed(PreviousRoutesConfig, PreviousRoutesConfig.fromPartial({})),
};

/** Which redirects of a backend Envoy follows by itself (reference §8.5). The redirect's scope comes with the response of the backend. */
export function internalRedirectPolicy(redirect: InternalRedirect): InternalRedirectPolicy {
  const { maxRedirects, statusCodes, crossScheme, denyRepeatedRoute } = redirect;
  return InternalRedirectPolicy.fromPartial({
    ...(maxRedirects !== undefined && { maxInternalRedirects: maxRedirects }),
    responseHeadersToCopy: [scopeHeader],
    redirectResponseCodes: [...statusCodes],
    allowCrossSchemeRedirect: crossScheme !== 'never',
    predicates: [...(crossScheme === 'safe-only' ? [safeCrossScheme] : []), ...(denyRepeatedRoute ? [previousRoutes] : [])],
  });
}
