import type { Cluster as DagCluster } from '../../dag/model/cluster.ts';
import type { Cluster } from '../../envoy-api/envoy/config/cluster/v3/cluster.ts';
import { duration } from '../protobuf.ts';

/** By this key of the runtime an operator can bend the ramps of all clusters. @see Contour `contour.slowstart.aggression` */
const aggressionKey = 'contour.slowstart.aggression';

type Fields = Parameters<typeof Cluster.fromPartial>[0];

/** The ramp of endpoints that have just become ready, in the settings of the strategy. */
export function slowStart({ slowStart: ramp, loadBalancerPolicy }: DagCluster): Fields {
  if (ramp === undefined) return {};
  const slowStartConfig = {
    slowStartWindow: duration(ramp.windowMs),
    aggression: { defaultValue: ramp.aggression, runtimeKey: aggressionKey },
    minWeightPercent: { value: ramp.minWeightPercent },
  };
  if (loadBalancerPolicy === 'RoundRobin') return { lbConfig: { $case: 'roundRobinLbConfig', value: { slowStartConfig } } };
  if (loadBalancerPolicy === 'WeightedLeastRequest') return { lbConfig: { $case: 'leastRequestLbConfig', value: { slowStartConfig } } };
  return {};
}
