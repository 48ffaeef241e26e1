import { parseJsonField } from '../../config/access-log.ts';
import { TypedExtensionConfig } from '../../envoy-api/envoy/config/core/v3/extension.ts';
import { Metadata } from '../../envoy-api/envoy/extensions/formatter/metadata/v3/metadata.ts';
import { ReqWithoutQuery } from '../../envoy-api/envoy/extensions/formatter/req_without_query/v3/req_without_query.ts';
import { compareStrings } from '../../util/compare.ts';
import { packed } from '../protobuf.ts';

/** The JSON format of access logs, by field, in order of name. Entries are as `parseJsonField` reads them, and were checked before. */
export function jsonFormat(entries: readonly string[]): Readonly<Record<string, string>> {
  const fields = entries.map(parseJsonField).sort((a, b) => compareStrings(a.name, b.name));
  return Object.fromEntries(fields.map(({ name, format }) => [name, format]));
}

/** The extensions that a format needs, by the operators in it. */
export function formatters(format: string): readonly TypedExtensionConfig[] {
  const needed: TypedExtensionConfig[] = [];
  if (format.includes('%METADATA(')) needed.push(formatter('envoy.formatter.metadata', packed(Metadata, Metadata.fromPartial({}))));
  if (format.includes('%REQ_WITHOUT_QUERY(')) {
    needed.push(formatter('envoy.formatter.req_without_query', packed(ReqWithoutQuery, ReqWithoutQuery.fromPartial({}))));
  }
  return needed;
}

function formatter(name: string, typedConfig: TypedExtensionConfig['typedConfig']): TypedExtensionConfig {
  return TypedExtensionConfig.fromPartial({ name, typedConfig });
}
