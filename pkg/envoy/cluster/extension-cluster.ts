import type { ClusterConfig } from '../../config/config.ts';
import type { ExtensionCluster } from '../../dag/model/extension-cluster.ts';
import { Cluster } from '../../envoy-api/envoy/config/cluster/v3/cluster.ts';
import { configSource, type SourceKind } from '../config-source.ts';
import { extensionClusterName } from '../names.ts';
import { originMetadata } from '../origin-metadata.ts';
import { serviceCluster } from './service-cluster.ts';

/** The cluster of an ExtensionService (reference §8.8). Where it has several Services, each is a locality with its weight. */
export function extensionCluster(extension: ExtensionCluster, config: ClusterConfig, source: SourceKind): Cluster {
  const name = extensionClusterName(extension);
  const { namespace, services, ...settings } = extension;
  const service = { namespace, name: extension.name, port: 0, portName: '' };
  const common = serviceCluster({ ...settings, service }, { ...config, circuitBreakers: {} }, source);
  return Cluster.fromPartial({
    ...common,
    name,
    altStatName: name.replaceAll('/', '_'),
    edsClusterConfig: { edsConfig: configSource(source), serviceName: name },
    ...(services.length > 1 && {
      commonLbConfig: { ...common.commonLbConfig, localityConfigSpecifier: { $case: 'localityWeightedLbConfig', value: {} } },
    }),
    metadata: originMetadata(extension.origin),
  });
}
