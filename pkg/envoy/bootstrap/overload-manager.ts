import { OverloadManager } from '../../envoy-api/envoy/config/overload/v3/overload.ts';
import { DownstreamConnectionsConfig } from '../../envoy-api/envoy/extensions/resource_monitors/downstream_connections/v3/downstream_connections.ts';
import { FixedHeapConfig } from '../../envoy-api/envoy/extensions/resource_monitors/fixed_heap/v3/fixed_heap.ts';
import { duration, packed } from '../protobuf.ts';
import type { BootstrapOptions } from './options.ts';

const heapMonitor = 'envoy.resource_monitors.fixed_heap';
const connectionsMonitor = 'envoy.resource_monitors.global_downstream_max_connections';

type Limits = Pick<BootstrapOptions, 'maximumHeapSizeBytes' | 'maximumDownstreamConnections'>;

/** Frees memory at 95 % of the heap, takes no requests at 98 %, and bounds connections; `undefined` where no limit is set. */
export function overloadManager({ maximumHeapSizeBytes, maximumDownstreamConnections }: Limits): OverloadManager | undefined {
  if (maximumHeapSizeBytes === 0 && maximumDownstreamConnections === 0) return undefined;
  const heap = FixedHeapConfig.fromPartial({ maxHeapSizeBytes: maximumHeapSizeBytes });
  const connections = DownstreamConnectionsConfig.fromPartial({ maxActiveDownstreamConnections: maximumDownstreamConnections });
  return OverloadManager.fromPartial({
    refreshInterval: duration(250),
    resourceMonitors: [
      ...(maximumHeapSizeBytes > 0 ? [monitor(heapMonitor, packed(FixedHeapConfig, heap))] : []),
      ...(maximumDownstreamConnections > 0 ? [monitor(connectionsMonitor, packed(DownstreamConnectionsConfig, connections))] : []),
    ],
    actions: maximumHeapSizeBytes > 0 ? [heapAction('shrink_heap', 0.95), heapAction('stop_accepting_requests', 0.98)] : [],
  });
}

function monitor(name: string, typedConfig: ReturnType<typeof packed>) {
  return { name, configType: { $case: 'typedConfig' as const, value: typedConfig } };
}

function heapAction(action: string, threshold: number) {
  return {
    name: `envoy.overload_actions.${action}`,
    triggers: [{ name: heapMonitor, triggerOneof: { $case: 'threshold' as const, value: { value: threshold } } }],
  };
}
