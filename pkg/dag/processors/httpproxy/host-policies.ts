import type { VirtualHost } from '../../../apis/projectcontour/v1/httpproxy.ts';
import type { Problem } from '../../../util/outcome.ts';
import type { VirtualHostPart } from '../../model/virtual-host.ts';
import { corsPolicy } from '../../policy/cors.ts';
import { ipFilter } from '../../policy/ip-filter.ts';
import { localRateLimit } from '../../policy/local-rate-limit.ts';
import { problem } from './build.ts';

export type HostPolicies = Pick<VirtualHostPart, 'cors' | 'ipFilter' | 'localRateLimit'>;

/** The policies of a host that hold for all its routes, in plaintext too; or why it cannot be served. @see reference 3.11, step 6 */
export function hostPolicies({ corsPolicy: policy, rateLimitPolicy, ...host }: VirtualHost): HostPolicies | readonly Problem[] {
  const cors = policy && corsPolicy(policy);
  if (cors?.ok === false) return [cors.problem];
  const limit = rateLimitPolicy?.local && localRateLimit(rateLimitPolicy.local);
  if (limit?.ok === false) {
    const message = `Spec.VirtualHost.RateLimitPolicy is invalid: ${limit.problem.message}`;
    return [problem('VirtualHostError', 'RateLimitPolicyNotValid', message)];
  }
  const { filter, problems } = ipFilter(host, 'Spec.VirtualHost');
  if (problems.length > 0) return problems;
  return {
    ...(cors !== undefined && { cors: cors.value }),
    ...(limit !== undefined && { localRateLimit: limit.value }),
    ...(filter !== undefined && { ipFilter: filter }),
  };
}
