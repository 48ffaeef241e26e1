import { AccessLog } from '../../envoy-api/envoy/config/accesslog/v3/accesslog.ts';
import { Bootstrap, type RuntimeLayer } from '../../envoy-api/envoy/config/bootstrap/v3/bootstrap.ts';
import { ApiConfigSource, ApiConfigSource_ApiType, ApiVersion } from '../../envoy-api/envoy/config/core/v3/config_source.ts';
import { FileAccessLog } from '../../envoy-api/envoy/extensions/access_loggers/file/v3/file.ts';
import { GoogleRE2 } from '../../envoy-api/envoy/extensions/regex_engines/v3/google_re2.ts';
import { pipeAddress } from '../addresses.ts';
import { configSource, xdsClusterName } from '../config-source.ts';
import { packed } from '../protobuf.ts';
import { runtimeName } from '../runtime/runtime.ts';
import type { BootstrapOptions } from './options.ts';
import { overloadManager } from './overload-manager.ts';
import { adminCluster, xdsCluster } from './static-clusters.ts';

/**
 * The bootstrap of an Envoy that Isoline controls (reference §8.13): one aggregated stream that sends what changed only. Clusters and
 * statistics that no request needed yet cost nothing: both options matter at thousands of Services.
 */
export function bootstrap(options: BootstrapOptions): Bootstrap {
  const overload = overloadManager(options);
  return Bootstrap.fromPartial({
    staticResources: { clusters: [xdsCluster(options), adminCluster(options)] },
    dynamicResources: {
      adsConfig: aggregatedStream,
      ldsConfig: configSource('ads'),
      cdsConfig: configSource('ads'),
    },
    clusterManager: { enableDeferredClusterCreation: true },
    deferredStatOptions: { enableDeferredCreationStats: true },
    layeredRuntime: { layers: [rtdsLayer, { name: 'admin', layerSpecifier: { $case: 'adminLayer', value: {} } }] },
    admin: { accessLog: [discarded], address: pipeAddress(options.adminAddress, 0o644) },
    defaultRegexEngine: { name: 'envoy.regex_engines.google_re2', typedConfig: packed(GoogleRE2, GoogleRE2.fromPartial({})) },
    ...(overload && { overloadManager: overload }),
  });
}

const aggregatedStream = ApiConfigSource.fromPartial({
  apiType: ApiConfigSource_ApiType.DELTA_GRPC,
  transportApiVersion: ApiVersion.V3,
  grpcServices: [{ targetSpecifier: { $case: 'envoyGrpc', value: { clusterName: xdsClusterName, authority: xdsClusterName } } }],
  setNodeOnFirstMessageOnly: true,
});

const rtdsLayer: RuntimeLayer = {
  name: runtimeName,
  layerSpecifier: { $case: 'rtdsLayer', value: { name: runtimeName, rtdsConfig: configSource('ads') } },
};

const discarded = AccessLog.fromPartial({
  name: 'envoy.access_loggers.file',
  configType: { $case: 'typedConfig', value: packed(FileAccessLog, FileAccessLog.fromPartial({ path: '/dev/null' })) },
});
