import { TypedExtensionConfig } from '../../envoy-api/envoy/config/core/v3/extension.ts';
import { Metadata } from '../../envoy-api/envoy/extensions/formatter/metadata/v3/metadata.ts';
import { ReqWithoutQuery } from '../../envoy-api/envoy/extensions/formatter/req_without_query/v3/req_without_query.ts';
import { compareStrings } from '../../util/compare.ts';
import { packed } from '../protobuf.ts';

const routeMetadata = (field: string) => `%METADATA(ROUTE:envoy.access_loggers.file:io.projectcontour.${field})%`;

/** Names of JSON fields that stand for a format of another name (reference §8.11). */
const namedFields: Readonly<Record<string, string>> = {
  '@timestamp': '%START_TIME%',
  ts: '%START_TIME%',
  authority: '%REQ(:AUTHORITY)%',
  method: '%REQ(:METHOD)%',
  path: '%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%',
  request_id: '%REQ(X-REQUEST-ID)%',
  uber_trace_id: '%REQ(UBER-TRACE-ID)%',
  upstream_service_time: '%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)%',
  user_agent: '%REQ(USER-AGENT)%',
  x_forwarded_for: '%REQ(X-FORWARDED-FOR)%',
  x_trace_id: '%REQ(X-TRACE-ID)%',
  tls_ja3_fingerprint: '%TLS_JA3_FINGERPRINT%',
  tls_ja4_fingerprint: '%TLS_JA4_FINGERPRINT%',
  contour_config_kind: routeMetadata('kind'),
  contour_config_namespace: routeMetadata('namespace'),
  contour_config_name: routeMetadata('name'),
};

/**
 * The JSON format of access logs, by field, in order of name. An entry is `name=format`, a known name, or the name of an Envoy operator in
 * any case. Entries were checked when the configuration was read.
 */
export function jsonFormat(fields: readonly string[]): Readonly<Record<string, string>> {
  const entries = fields.map((field): [string, string] => {
    const equals = field.indexOf('=');
    if (equals >= 0) return [field.slice(0, equals), field.slice(equals + 1)];
    return [field, namedFields[field] ?? `%${field.toUpperCase()}%`];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => compareStrings(a, b)));
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
