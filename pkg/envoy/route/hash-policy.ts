import type { HashPolicy } from '../../dag/model/route.ts';
import { RouteAction_HashPolicy } from '../../envoy-api/envoy/config/route/v3/route_components.ts';
import { duration } from '../protobuf.ts';

/** What Envoy chooses an endpoint by (reference §3.9). */
export function hashPolicy(policy: HashPolicy): RouteAction_HashPolicy {
  return RouteAction_HashPolicy.fromPartial({ policySpecifier: specifier(policy), terminal: policy.terminal });
}

function specifier(policy: HashPolicy): NonNullable<RouteAction_HashPolicy['policySpecifier']> {
  switch (policy.type) {
    case 'source-ip':
      return { $case: 'connectionProperties', value: { sourceIp: true } };
    case 'header':
      return { $case: 'header', value: { headerName: policy.header, regexRewrite: undefined } };
    case 'query-parameter':
      return { $case: 'queryParameter', value: { name: policy.parameter } };
    case 'cookie':
      return {
        $case: 'cookie',
        // With a lifetime of 0 Envoy makes a session cookie; without one it makes none.
        value: { name: policy.cookie, ttl: duration(0), path: '/', attributes: policy.secure ? [...secureAttributes] : [] },
      };
  }
}

/** `Lax`, as browsers have it by default: with `Strict` a visitor who follows a link from elsewhere would lose the endpoint. */
const secureAttributes = [
  { name: 'Secure', value: '' },
  { name: 'SameSite', value: 'Lax' },
] as const;
