import { TypedExtensionConfig } from '../../envoy-api/envoy/config/core/v3/extension.ts';
import { Cel } from '../../envoy-api/envoy/extensions/formatter/cel/v3/cel.ts';
import { packed } from '../protobuf.ts';

/** The formatter `%CEL(...)%` with functions on strings, which are not part of it by default. */
export const celWithStrings = TypedExtensionConfig.fromPartial({
  name: 'envoy.formatter.cel',
  typedConfig: packed(Cel, Cel.fromPartial({ celConfig: { enableStringFunctions: true, enableStringConcat: true } })),
});
