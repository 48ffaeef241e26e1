/** Operators that take no argument. They may be JSON fields by their name alone. @see reference 8.11 */
const simpleOperators: ReadonlySet<string> = new Set(
  `BYTES_RECEIVED BYTES_SENT CONNECTION_ID CONNECTION_TERMINATION_DETAILS DOWNSTREAM_DIRECT_REMOTE_ADDRESS
  DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT DOWNSTREAM_DIRECT_REMOTE_PORT DOWNSTREAM_HEADER_BYTES_RECEIVED
  DOWNSTREAM_HEADER_BYTES_SENT DOWNSTREAM_LOCAL_ADDRESS DOWNSTREAM_LOCAL_ADDRESS_WITHOUT_PORT DOWNSTREAM_LOCAL_PORT
  DOWNSTREAM_LOCAL_SUBJECT DOWNSTREAM_LOCAL_URI_SAN DOWNSTREAM_PEER_CERT DOWNSTREAM_PEER_CERT_V_END
  DOWNSTREAM_PEER_CERT_V_START DOWNSTREAM_PEER_FINGERPRINT_1 DOWNSTREAM_PEER_FINGERPRINT_256 DOWNSTREAM_PEER_ISSUER
  DOWNSTREAM_PEER_SERIAL DOWNSTREAM_PEER_SUBJECT DOWNSTREAM_PEER_URI_SAN DOWNSTREAM_REMOTE_ADDRESS
  DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT DOWNSTREAM_REMOTE_PORT DOWNSTREAM_TLS_CIPHER DOWNSTREAM_TLS_SESSION_ID
  DOWNSTREAM_TLS_VERSION DOWNSTREAM_WIRE_BYTES_RECEIVED DOWNSTREAM_WIRE_BYTES_SENT DURATION FILTER_CHAIN_NAME GRPC_STATUS
  GRPC_STATUS_NUMBER HOSTNAME LOCAL_REPLY_BODY PROTOCOL REQUEST_HEADERS_BYTES REQUESTED_SERVER_NAME REQUEST_DURATION
  REQUEST_TX_DURATION RESPONSE_CODE RESPONSE_CODE_DETAILS RESPONSE_DURATION RESPONSE_FLAGS RESPONSE_HEADERS_BYTES
  RESPONSE_TRAILERS_BYTES RESPONSE_TX_DURATION ROUTE_NAME START_TIME TLS_JA3_FINGERPRINT TLS_JA4_FINGERPRINT UPSTREAM_CLUSTER
  UPSTREAM_FILTER_STATE UPSTREAM_HEADER_BYTES_RECEIVED UPSTREAM_HEADER_BYTES_SENT UPSTREAM_HOST UPSTREAM_LOCAL_ADDRESS
  UPSTREAM_LOCAL_ADDRESS_WITHOUT_PORT UPSTREAM_LOCAL_PORT UPSTREAM_PEER_CERT UPSTREAM_PEER_CERT_V_END
  UPSTREAM_PEER_CERT_V_START UPSTREAM_PEER_ISSUER UPSTREAM_PEER_SUBJECT UPSTREAM_PROTOCOL UPSTREAM_REMOTE_ADDRESS
  UPSTREAM_REMOTE_ADDRESS_WITHOUT_PORT UPSTREAM_REMOTE_PORT UPSTREAM_REQUEST_ATTEMPT_COUNT UPSTREAM_TLS_CIPHER
  UPSTREAM_TLS_SESSION_ID UPSTREAM_TLS_VERSION UPSTREAM_TRANSPORT_FAILURE_REASON UPSTREAM_WIRE_BYTES_RECEIVED
  UPSTREAM_WIRE_BYTES_SENT VIRTUAL_CLUSTER_NAME`.split(/\s+/),
);

/** Operators that need an argument, such as `%REQ(X-REQUEST-ID)%`. */
const operatorsWithArgument: ReadonlySet<string> = new Set(['ENVIRONMENT', 'METADATA', 'REQ', 'REQ_WITHOUT_QUERY', 'RESP', 'TRAILER']);

const routeMetadata = (field: string): string => `%METADATA(ROUTE:envoy.access_loggers.file:io.projectcontour.${field})%`;

/** JSON fields that have a name of their own. */
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

/** The JSON fields that are logged when none are configured. */
export const defaultJsonFields: readonly string[] = [
  '@timestamp',
  'authority',
  'bytes_received',
  'bytes_sent',
  'downstream_local_address',
  'downstream_remote_address',
  'duration',
  'method',
  'path',
  'protocol',
  'request_id',
  'requested_server_name',
  'response_code',
  'response_flags',
  'uber_trace_id',
  'upstream_cluster',
  'upstream_host',
  'upstream_local_address',
  'upstream_service_time',
  'user_agent',
  'x_forwarded_for',
  'grpc_status',
  'grpc_status_number',
];

/** A field of a JSON access log: its key and Envoy's format string for it. */
export interface JsonField {
  readonly name: string;
  readonly format: string;
}

/**
 * Reads an entry of `json-fields`: a name that is known (`@timestamp`), a simple operator in any case (`duration`), or
 * `name=format`.
 * @throws {RangeError} that says what is wrong with it.
 */
export function parseJsonField(entry: string): JsonField {
  const at = entry.indexOf('=');
  if (at >= 0) {
    const [name, format] = [entry.slice(0, at), entry.slice(at + 1)];
    if (name === '' || format === '') throw new RangeError(`${JSON.stringify(entry)} must be name=format`);
    checkFormat(format);
    return { name, format };
  }
  if (Object.hasOwn(namedFields, entry)) return { name: entry, format: namedFields[entry]! };
  const operator = entry.toUpperCase();
  if (simpleOperators.has(operator)) return { name: entry, format: `%${operator}%` };
  throw new RangeError(`${JSON.stringify(entry)} is neither a known field nor a simple operator`);
}

/**
 * Checks the text format of the access log: known operators only, and a newline at the end.
 * @throws {RangeError} that says what is wrong with it.
 */
export function checkTextFormat(format: string): void {
  checkFormat(format);
  if (!format.endsWith('\n')) throw new RangeError('must end with a newline');
}

/** An operator from its first `%` on: name, arguments in brackets, length limit. */
const operatorPattern = /%(?:%|([A-Z0-9_]+)(\([^)]*\))?(:\d+)?%)/y;

function checkFormat(format: string): void {
  for (let at = format.indexOf('%'); at >= 0; at = format.indexOf('%', operatorPattern.lastIndex)) {
    operatorPattern.lastIndex = at;
    const match = operatorPattern.exec(format);
    if (match === null) throw new RangeError(`stray % at ${JSON.stringify(format.slice(at, at + 20))}`);
    const [whole, name, argument, limit] = match;
    if (name !== undefined) checkOperator(whole, name, { argument, limit });
  }
}

function checkOperator(whole: string, name: string, parts: { argument: string | undefined; limit: string | undefined }): void {
  if (operatorsWithArgument.has(name)) {
    if ((parts.argument ?? '()') === '()') throw new RangeError(`${whole} needs an argument in brackets`);
    return;
  }
  if (!simpleOperators.has(name)) throw new RangeError(`${whole} is not a known operator`);
  if (parts.argument !== undefined && name !== 'START_TIME') throw new RangeError(`${whole} takes no argument`);
  if (parts.limit !== undefined) throw new RangeError(`${whole} takes no length limit`);
}
