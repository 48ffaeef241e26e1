import { HttpFilter } from '../../envoy-api/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.ts';
import type { Any } from '../../envoy-api/google/protobuf/any.ts';

/** An HTTP filter with its configuration. */
export function httpFilter(name: string, typedConfig: Any): HttpFilter {
  return HttpFilter.fromPartial({ name, configType: { $case: 'typedConfig', value: typedConfig } });
}
