import type { Config } from '../../config/config.ts';
import { Runtime } from '../../envoy-api/envoy/service/runtime/v3/rtds.ts';
import { compareStrings } from '../../util/compare.ts';

/** The name of the one runtime layer that the control plane sets. */
export const runtimeName = 'dynamic';

/** The runtime layer (reference §8.10): bounds of regular expressions, limits of the listeners, and what the configuration adds. */
export function runtimeLayer(config: Config, listenerNames: readonly string[]): Runtime {
  const { maxRequestsPerIoCycle, maxConnectionsPerListener } = config.listener;
  const layer: Record<string, string | number> = {
    're2.max_program_size.error_level': 1_048_576,
    're2.max_program_size.warn_level': 1000,
  };
  if (maxRequestsPerIoCycle !== undefined) layer['http.max_requests_per_io_cycle'] = maxRequestsPerIoCycle;
  if (maxConnectionsPerListener !== undefined) {
    for (const name of listenerNames) layer[`envoy.resource_limits.listener.${name}.connection_limit`] = maxConnectionsPerListener;
  }
  const entries = Object.entries({ ...layer, ...config.runtimeSettings });
  return Runtime.fromPartial({
    name: runtimeName,
    layer: Object.fromEntries(entries.sort(([a], [b]) => compareStrings(a, b))),
  });
}
