import type { Cluster, SecretNode } from '../dag/model/cluster.ts';
import type { Route } from '../dag/model/route.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
import { usesTls } from '../envoy/cluster/cluster-name.ts';
import { servedClusters } from '../envoy/listener/tcp-proxy.ts';

/** What the Envoy resources of a host refer to. */
export interface HostUses {
  readonly clusters: readonly Cluster[];
  readonly secrets: readonly SecretNode[];
}

const memo = new WeakMap<VirtualHost, HostUses>();

/** The clusters and certificates of a host: those that its routes, or its TCP proxy, really send requests to. */
export function hostUses(host: VirtualHost): HostUses {
  return memo.getOrInsertComputed(host, computeUses);
}

function computeUses({ routes, tcpProxy, tls, jwt }: VirtualHost): HostUses {
  const keySets = (jwt?.providers ?? []).flatMap(({ keys }) => (keys.type === 'remote' ? [keys.cluster] : []));
  const clusters = tcpProxy ? servedClusters(tcpProxy).map(({ cluster }) => cluster) : [...routes.flatMap(routeClusters), ...keySets];
  const serving = tls?.type === 'terminate' ? [...tls.secrets, ...(tls.fallback ? [tls.fallback] : [])] : [];
  const presented = clusters.flatMap((cluster) => (usesTls(cluster) && cluster.clientCertificate ? [cluster.clientCertificate] : []));
  return { clusters, secrets: [...serving, ...presented] };
}

function routeClusters({ action, httpsRedirect }: Route): readonly Cluster[] {
  if (httpsRedirect || action.type !== 'forward') return [];
  return [...action.clusters, ...(action.forward?.mirrors ?? [])].map(({ cluster }) => cluster);
}
