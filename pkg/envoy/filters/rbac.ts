import type { IpFilter, IpRange } from '../../dag/model/host-policies.ts';
import { RBAC_Action, RBAC as Rules } from '../../envoy-api/envoy/config/rbac/v3/rbac.ts';
import { RBACPerRoute } from '../../envoy-api/envoy/extensions/filters/http/rbac/v3/rbac.ts';
import type { Any } from '../../envoy-api/google/protobuf/any.ts';
import { packed } from '../protobuf.ts';

export const rbacName = 'envoy.filters.http.rbac';

/** Whose requests a virtual host or route lets through; `undefined`: everybody's, or as the level above has it. */
export function rbacPerRoute(filter: IpFilter | undefined): Any | undefined {
  if (filter === undefined) return undefined;
  const rules = Rules.fromPartial({
    action: filter.action === 'allow' ? RBAC_Action.ALLOW : RBAC_Action.DENY,
    policies: {
      'ip-rules': { permissions: [{ rule: { $case: 'any', value: true } }], principals: filter.ranges.map(principal) },
    },
  });
  return packed(RBACPerRoute, RBACPerRoute.fromPartial({ rbac: { rules } }));
}

type Principal = NonNullable<NonNullable<NonNullable<Parameters<typeof Rules.fromPartial>[0]['policies']>[string]>['principals']>[number];

function principal({ source, address, prefixLength }: IpRange): Principal {
  const value = { addressPrefix: address, prefixLen: prefixLength };
  return { identifier: source === 'peer' ? { $case: 'directRemoteIp', value } : { $case: 'remoteIp', value } };
}
