import { Filter } from '../../envoy-api/envoy/config/listener/v3/listener_components.ts';
import type { Any } from '../../envoy-api/google/protobuf/any.ts';

/** A network filter with its configuration. */
export function networkFilter(name: string, typedConfig: Any): Filter {
  return Filter.fromPartial({ name, configType: { $case: 'typedConfig', value: typedConfig } });
}
