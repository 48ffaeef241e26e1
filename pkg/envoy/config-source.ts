import { ApiConfigSource_ApiType, ApiVersion, ConfigSource } from '../envoy-api/envoy/config/core/v3/config_source.ts';

/** The static cluster of every bootstrap that is the control plane. */
export const xdsClusterName = 'contour';

/** How Envoy fetches what a resource refers to; the same words as in `xdscache/resource.ts`. */
export type SourceKind = 'ads' | 'grpc';

const ads = ConfigSource.fromPartial({
  configSourceSpecifier: { $case: 'ads', value: {} },
  resourceApiVersion: ApiVersion.V3,
});

const grpc = ConfigSource.fromPartial({
  configSourceSpecifier: {
    $case: 'apiConfigSource',
    value: {
      apiType: ApiConfigSource_ApiType.GRPC,
      transportApiVersion: ApiVersion.V3,
      grpcServices: [{ targetSpecifier: { $case: 'envoyGrpc', value: { clusterName: xdsClusterName, authority: xdsClusterName } } }],
    },
  },
  resourceApiVersion: ApiVersion.V3,
});

/** The ConfigSource of a kind: the aggregated stream, or a stream for each type to the cluster `contour` (reference §8). */
export function configSource(kind: SourceKind): ConfigSource {
  return kind === 'ads' ? ads : grpc;
}
