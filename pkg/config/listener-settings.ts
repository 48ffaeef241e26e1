import { checkTextFormat, defaultJsonFields, parseJsonField } from './access-log.ts';
import { limit, positiveLimit } from './limits.ts';
import { optionalSetting, setting } from './setting.ts';
import { cipherSuites, defaultCipherSuites, ecdhCurves, tlsVersion } from './tls-values.ts';
import { flag, integer, listOf, oneOf, port, refined, text, textList } from './value-type.ts';

const byte = integer(0, 255);

const httpVersions = refined(listOf(refined(text, (version) => oneOf('HTTP/1.1', 'HTTP/2').fromText(version.toUpperCase()))), (versions) =>
  versions.length === 0 ? (['HTTP/1.1', 'HTTP/2'] as const) : [...new Set(versions)].sort(),
);

const jsonFields = refined(textList, (fields) => {
  fields.forEach(parseJsonField);
  return fields.length === 0 ? defaultJsonFields : fields;
});

const textFormat = refined(text, (format) => {
  checkTextFormat(format);
  return format;
});

/** Settings of Envoy's listeners. */
export const listenerSettings = {
  // Access log.
  accessLogFormat: setting({
    type: oneOf('envoy', 'json'),
    default: 'envoy',
    file: 'accesslog-format',
    flag: 'accesslog-format',
    crd: 'envoy.logging.accessLogFormat',
    help: "Format of Envoy's access log.",
  }),
  accessLogFormatString: setting({
    type: textFormat,
    default: '',
    file: 'accesslog-format-string',
    crd: 'envoy.logging.accessLogFormatString',
  }),
  accessLogJsonFields: setting({
    type: jsonFields,
    default: defaultJsonFields,
    file: 'json-fields',
    crd: 'envoy.logging.accessLogJSONFields',
  }),
  accessLogLevel: setting({
    type: oneOf('info', 'error', 'critical', 'disabled'),
    default: 'info',
    file: 'accesslog-level',
    crd: 'envoy.logging.accessLogLevel',
  }),
  httpAccessLog: setting({
    type: text,
    default: '/dev/stdout',
    flag: 'envoy-http-access-log',
    crd: 'envoy.http.accessLog',
    help: 'Access log of the HTTP listener.',
  }),
  httpsAccessLog: setting({
    type: text,
    default: '/dev/stdout',
    flag: 'envoy-https-access-log',
    crd: 'envoy.https.accessLog',
    help: 'Access log of the HTTPS listener.',
  }),

  // Where Envoy listens.
  httpAddress: setting({
    type: text,
    default: '0.0.0.0',
    flag: 'envoy-service-http-address',
    crd: 'envoy.http.address',
    help: "Address of Envoy's HTTP listener.",
  }),
  httpPort: setting({
    type: port,
    default: 8080,
    flag: 'envoy-service-http-port',
    crd: 'envoy.http.port',
    help: "Port of Envoy's HTTP listener.",
  }),
  httpsAddress: setting({
    type: text,
    default: '0.0.0.0',
    flag: 'envoy-service-https-address',
    crd: 'envoy.https.address',
    help: "Address of Envoy's HTTPS listener.",
  }),
  httpsPort: setting({
    type: port,
    default: 8443,
    flag: 'envoy-service-https-port',
    crd: 'envoy.https.port',
    help: "Port of Envoy's HTTPS listener.",
  }),
  statsAddress: setting({
    type: text,
    default: '0.0.0.0',
    file: 'metrics.envoy.address',
    fileWins: true,
    flag: 'stats-address',
    crd: 'envoy.metrics.address',
    help: "Address of Envoy's stats listener.",
  }),
  statsPort: setting({
    type: port,
    default: 8002,
    file: 'metrics.envoy.port',
    fileWins: true,
    flag: 'stats-port',
    crd: 'envoy.metrics.port',
    help: "Port of Envoy's stats listener.",
  }),
  statsCertFile: optionalSetting({ type: text, file: 'metrics.envoy.server-certificate-path', crd: 'envoy.metrics.tls.certFile' }),
  statsKeyFile: optionalSetting({ type: text, file: 'metrics.envoy.server-key-path', crd: 'envoy.metrics.tls.keyFile' }),
  statsCaFile: optionalSetting({ type: text, file: 'metrics.envoy.ca-certificate-path', crd: 'envoy.metrics.tls.caFile' }),
  envoyHealthAddress: optionalSetting({ type: text, crd: 'envoy.health.address', crdDefault: '0.0.0.0' }),
  envoyHealthPort: optionalSetting({ type: port, crd: 'envoy.health.port', crdDefault: 8002 }),
  omEnforcedHealthAddress: optionalSetting({ type: text, file: 'omEnforcedHealthListener.address', crd: 'envoy.omEnforcedHealth.address' }),
  omEnforcedHealthPort: optionalSetting({ type: port, file: 'omEnforcedHealthListener.port', crd: 'envoy.omEnforcedHealth.port' }),
  adminPort: setting({ type: integer(0, 65_535, 'PORT'), default: 9001, file: 'network.admin-port', crd: 'envoy.network.adminPort' }),

  // How Envoy listens.
  useProxyProtocol: setting({
    type: flag,
    default: false,
    flag: 'use-proxy-protocol',
    crd: 'envoy.listener.useProxyProtocol',
    help: 'Expect the PROXY protocol on both listeners.',
  }),
  disableAllowChunkedLength: setting({
    type: flag,
    default: false,
    file: 'disableAllowChunkedLength',
    crd: 'envoy.listener.disableAllowChunkedLength',
  }),
  disableMergeSlashes: setting({ type: flag, default: false, file: 'disableMergeSlashes', crd: 'envoy.listener.disableMergeSlashes' }),
  serverHeaderTransformation: setting({
    type: oneOf('overwrite', 'append_if_absent', 'pass_through'),
    default: 'overwrite',
    file: 'serverHeaderTransformation',
    crd: 'envoy.listener.serverHeaderTransformation',
  }),
  compression: setting({
    type: oneOf('gzip', 'brotli', 'zstd', 'disabled'),
    default: 'gzip',
    file: 'compression.algorithm',
    crd: 'envoy.listener.compression.algorithm',
  }),
  connectionBalancer: setting({
    type: oneOf('', 'exact'),
    default: '',
    file: 'listener.connection-balancer',
    crd: 'envoy.listener.connectionBalancer',
  }),
  listenerMaxRequestsPerConnection: optionalSetting({
    type: positiveLimit,
    file: 'listener.max-requests-per-connection',
    crd: 'envoy.listener.maxRequestsPerConnection',
  }),
  listenerBufferLimitBytes: optionalSetting({
    type: positiveLimit,
    file: 'listener.per-connection-buffer-limit-bytes',
    crd: 'envoy.listener.per-connection-buffer-limit-bytes',
  }),
  maxRequestsPerIoCycle: optionalSetting({
    type: positiveLimit,
    file: 'listener.max-requests-per-io-cycle',
    crd: 'envoy.listener.maxRequestsPerIOCycle',
  }),
  http2MaxConcurrentStreams: optionalSetting({
    type: positiveLimit,
    file: 'listener.http2-max-concurrent-streams',
    crd: 'envoy.listener.httpMaxConcurrentStreams',
  }),
  maxConnectionsPerListener: optionalSetting({
    type: positiveLimit,
    file: 'listener.max-connections-per-listener',
    crd: 'envoy.listener.maxConnectionsPerListener',
  }),
  maxConnectionsToAcceptPerSocketEvent: optionalSetting({
    type: positiveLimit,
    file: 'listener.max-connections-to-accept-per-socket-event',
    crd: 'envoy.listener.maxConnectionsToAcceptPerSocketEvent',
  }),
  socketTos: setting({ type: byte, default: 0, file: 'listener.socket-options.tos', crd: 'envoy.listener.socketOptions.tos' }),
  socketTrafficClass: setting({
    type: byte,
    default: 0,
    file: 'listener.socket-options.traffic-class',
    crd: 'envoy.listener.socketOptions.trafficClass',
  }),
  tlsMinVersion: setting({
    type: tlsVersion,
    default: '1.2',
    file: 'tls.minimum-protocol-version',
    crd: 'envoy.listener.tls.minimumProtocolVersion',
  }),
  tlsMaxVersion: setting({
    type: tlsVersion,
    default: '1.3',
    file: 'tls.maximum-protocol-version',
    crd: 'envoy.listener.tls.maximumProtocolVersion',
  }),
  tlsCipherSuites: setting({
    type: cipherSuites,
    default: defaultCipherSuites,
    file: 'tls.cipher-suites',
    crd: 'envoy.listener.tls.cipherSuites',
  }),
  tlsEcdhCurves: setting({ type: ecdhCurves, default: [], file: 'tls.ecdh-curves', crd: 'envoy.listener.tls.ecdhCurves' }),
  tlsJa3: setting({ type: flag, default: false, file: 'tls.fingerprint.ja3', crd: 'envoy.listener.tls.fingerprint.ja3' }),
  tlsJa4: setting({ type: flag, default: false, file: 'tls.fingerprint.ja4', crd: 'envoy.listener.tls.fingerprint.ja4' }),
  tlsCertificates: setting({
    type: oneOf('preloaded', 'on-demand'),
    default: 'preloaded',
    file: 'tls.certificates',
    flag: 'tls-certificates',
    crd: 'envoy.listener.tls.certificates',
    help: 'Whether Envoy has all certificates (preloaded), or fetches each when a client first names its host (on-demand).',
  }),
  httpVersions: setting<readonly ('HTTP/1.1' | 'HTTP/2')[]>({
    type: httpVersions,
    default: ['HTTP/1.1', 'HTTP/2'],
    file: 'default-http-versions',
    crd: 'envoy.defaultHTTPVersions',
  }),
  numTrustedHops: setting({ type: limit, default: 0, file: 'network.num-trusted-hops', crd: 'envoy.network.numTrustedHops' }),
  stripTrailingHostDot: setting({
    type: flag,
    default: false,
    file: 'network.strip-trailing-host-dot',
    crd: 'envoy.network.stripTrailingHostDot',
  }),
} as const;
