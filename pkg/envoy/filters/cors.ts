import type { CorsOrigin, CorsPolicy as DagCorsPolicy } from '../../dag/model/host-policies.ts';
import { CorsPolicy } from '../../envoy-api/envoy/extensions/filters/http/cors/v3/cors.ts';
import type { Any } from '../../envoy-api/google/protobuf/any.ts';
import { packed } from '../protobuf.ts';

export const corsName = 'envoy.filters.http.cors';

/** Which other origins may call a virtual host; `undefined`: the browser's own rules alone. */
export function cors(policy: DagCorsPolicy | undefined): Any | undefined {
  if (policy === undefined) return undefined;
  const config = CorsPolicy.fromPartial({
    allowOriginStringMatch: policy.origins.map(originMatcher),
    allowMethods: policy.methods.join(','),
    allowHeaders: policy.headers.join(','),
    exposeHeaders: policy.exposeHeaders.join(','),
    maxAge: policy.maxAgeSeconds === undefined ? '' : String(policy.maxAgeSeconds),
    allowCredentials: policy.allowCredentials,
    allowPrivateNetworkAccess: policy.allowPrivateNetwork,
  });
  return packed(CorsPolicy, config);
}

type Matcher = NonNullable<Parameters<typeof CorsPolicy.fromPartial>[0]['allowOriginStringMatch']>[number];

function originMatcher(origin: CorsOrigin): Matcher {
  switch (origin.type) {
    case 'any':
      // This text is Envoy's own sign for every origin.
      return { matchPattern: { $case: 'exact', value: '*' } };
    case 'exact':
      return { matchPattern: { $case: 'exact', value: origin.origin }, ignoreCase: true };
    case 'regex':
      return { matchPattern: { $case: 'safeRegex', value: { regex: origin.regex } } };
  }
}
