import type { Config } from '../../config/config.ts';
import type { WeightedCluster } from '../../dag/model/cluster.ts';
import type { Listener } from '../../dag/model/listener.ts';
import type { TcpProxy as DagTcpProxy } from '../../dag/model/virtual-host.ts';
import type { Filter } from '../../envoy-api/envoy/config/listener/v3/listener_components.ts';
import { TcpProxy } from '../../envoy-api/envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy.ts';
import { compareStrings } from '../../util/compare.ts';
import { clusterName } from '../cluster/cluster-name.ts';
import { duration, packed } from '../protobuf.ts';
import { evenedWeights } from '../route/forward.ts';
import { accessLogs } from './access-log.ts';
import { networkFilter } from './network-filter.ts';

/** Two and a half hours and a second, as Contour: just over what common TCP load balancers keep idle connections for. */
const idleTimeoutMs = 9_001_000;

/** The network filter that passes bytes on (reference §8.4). */
export function tcpProxyFilter(listener: Listener, proxy: DagTcpProxy, config: Config): Filter {
  const { accessLog } = listener.protocol === 'https' ? config.listener.https : config.listener.http;
  const filter = TcpProxy.fromPartial({
    statPrefix: listener.name,
    clusterSpecifier: clusterSpecifier(proxy),
    idleTimeout: duration(idleTimeoutMs),
    accessLog: [...accessLogs(config.logging, accessLog)],
  });
  return networkFilter('envoy.filters.network.tcp_proxy', packed(TcpProxy, filter));
}

type ClusterSpecifier =
  | { $case: 'cluster'; value: string }
  | { $case: 'weightedClusters'; value: { clusters: { name: string; weight: number }[] } };

function clusterSpecifier(proxy: DagTcpProxy): ClusterSpecifier {
  const shares = servedClusters(proxy)
    .map(({ cluster, weight }) => ({ name: clusterName(cluster), weight }))
    .sort((a, b) => compareStrings(a.name, b.name) || a.weight - b.weight);
  const [only] = shares;
  if (only !== undefined && shares.length === 1) return { $case: 'cluster', value: only.name };
  return { $case: 'weightedClusters', value: { clusters: shares } };
}

/** The clusters that get connections: Envoy refuses a weight of 0 here. */
export function servedClusters(proxy: DagTcpProxy): readonly WeightedCluster[] {
  return evenedWeights(proxy.clusters).filter(({ weight }) => weight > 0);
}
