import type { WeightedCluster as DagWeightedCluster } from '../../dag/model/cluster.ts';
import type { HeadersPolicy } from '../../dag/model/headers.ts';
import type { RetryPolicy as DagRetryPolicy, ForwardPolicy } from '../../dag/model/route.ts';
import {
  RetryPolicy,
  RouteAction,
  RouteAction_RequestMirrorPolicy,
  WeightedCluster_ClusterWeight,
} from '../../envoy-api/envoy/config/route/v3/route_components.ts';
import { compareStrings } from '../../util/compare.ts';
import { clusterName } from '../cluster/cluster-name.ts';
import { timeout } from '../protobuf.ts';
import { fractionOfMillion } from './fraction.ts';
import { hashPolicy } from './hash-policy.ts';
import { headerMutations } from './headers.ts';
import { internalRedirectPolicy } from './internal-redirect.ts';
import { clusterFilterConfig } from './per-filter-config.ts';
import { pathRewriteFields } from './rewrite.ts';

/** What a route that forwards asks of Envoy, apart from matching. */
export interface Forwarding {
  readonly clusters: readonly DagWeightedCluster[];
  readonly forward: ForwardPolicy | undefined;
  /** The route's request headers, for a rewrite of the host. */
  readonly requestHeaders: HeadersPolicy | undefined;
}

/** The action of a route that forwards (reference §8.5). */
export function forwardAction({ clusters, forward = {}, requestHeaders }: Forwarding): RouteAction {
  const responseTimeout = timeout(forward.responseTimeoutMs);
  const idleTimeout = timeout(forward.idleTimeoutMs);
  const hostRewriteSpecifier = hostRewrite(requestHeaders);
  return RouteAction.fromPartial({
    clusterSpecifier: clusterSpecifier(clusters),
    ...(responseTimeout && { timeout: responseTimeout }),
    ...(idleTimeout && { idleTimeout }),
    ...(forward.retry && { retryPolicy: retryPolicy(forward.retry) }),
    ...pathRewriteFields(forward.pathRewrite),
    ...(hostRewriteSpecifier && { hostRewriteSpecifier }),
    ...(forward.internalRedirect && { internalRedirectPolicy: internalRedirectPolicy(forward.internalRedirect) }),
    hashPolicy: (forward.hashPolicies ?? []).map(hashPolicy),
    requestMirrorPolicies: (forward.mirrors ?? []).map(({ cluster, percent }) =>
      RouteAction_RequestMirrorPolicy.fromPartial({
        cluster: clusterName(cluster),
        runtimeFraction: { defaultValue: fractionOfMillion(percent / 100) },
      }),
    ),
    upgradeConfigs: forward.websocket === true ? [{ upgradeType: 'websocket' }] : [],
  });
}

function hostRewrite(headers: HeadersPolicy | undefined): RouteAction['hostRewriteSpecifier'] {
  if (headers?.hostRewrite !== undefined) return { $case: 'hostRewriteLiteral', value: headers.hostRewrite };
  if (headers?.hostRewriteHeader !== undefined) return { $case: 'hostRewriteHeader', value: headers.hostRewriteHeader };
  return undefined;
}

function retryPolicy(retry: DagRetryPolicy): RetryPolicy {
  const perTryTimeout = retry.perTryTimeoutMs === 'disabled' ? undefined : timeout(retry.perTryTimeoutMs);
  return RetryPolicy.fromPartial({
    retryOn: retry.retryOn,
    numRetries: retry.numRetries,
    ...(perTryTimeout && { perTryTimeout }),
    retriableStatusCodes: [...retry.retriableStatusCodes],
  });
}

/** One cluster without settings of its own is named; otherwise shares are listed, by name and then weight. */
function clusterSpecifier(clusters: readonly DagWeightedCluster[]): NonNullable<RouteAction['clusterSpecifier']> {
  const [only] = clusters;
  if (only !== undefined && clusters.length === 1 && !only.requestHeaders && !only.responseHeaders && !only.cookieRewrites) {
    return { $case: 'cluster', value: clusterName(only.cluster) };
  }
  const value = { clusters: evenedWeights(clusters).map(clusterWeight).sort(compareShares) };
  return { $case: 'weightedClusters', value: { totalWeight: undefined, runtimeKeyPrefix: '', randomValueSpecifier: undefined, ...value } };
}

/** The clusters with weights of which not all are 0: where they were, all are 1. */
export function evenedWeights(clusters: readonly DagWeightedCluster[]): readonly DagWeightedCluster[] {
  return clusters.some(({ weight }) => weight > 0) ? clusters : clusters.map((share) => ({ ...share, weight: 1 }));
}

function compareShares(a: WeightedCluster_ClusterWeight, b: WeightedCluster_ClusterWeight): number {
  return compareStrings(a.name, b.name) || (a.weight ?? 0) - (b.weight ?? 0);
}

function clusterWeight(share: DagWeightedCluster): WeightedCluster_ClusterWeight {
  const host = share.requestHeaders?.hostRewrite;
  return WeightedCluster_ClusterWeight.fromPartial({
    name: clusterName(share.cluster),
    weight: share.weight,
    ...headerMutations(share.requestHeaders, share.responseHeaders),
    typedPerFilterConfig: clusterFilterConfig(share),
    ...(host !== undefined && { hostRewriteSpecifier: { $case: 'hostRewriteLiteral', value: host } }),
  });
}
