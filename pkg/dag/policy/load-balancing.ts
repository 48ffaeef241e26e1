import type { LoadBalancerPolicy } from '../model/cluster.ts';

/** How requests are spread over endpoints. What is not known is RoundRobin, and so is what needs hashing, for now. */
export function loadBalancerPolicy(strategy: string | undefined): LoadBalancerPolicy {
  return strategy === 'WeightedLeastRequest' || strategy === 'Random' ? strategy : 'RoundRobin';
}
