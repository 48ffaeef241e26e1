import { checkTextFormat, defaultJsonFields, parseJsonField } from './access-log.ts';
import type { NamespacedName } from './config.ts';
import { authPolicy, authServiceType, customTags, headerEdits, httpAuthSettings, rateLimitPolicy, requestBody, sampling } from './policy-values.ts';
import { optionalSetting, setting } from './setting.ts';
import { cipherSuites, defaultCipherSuites, ecdhCurves, tlsVersion } from './tls-values.ts';
import { commaList, duration, flag, integer, listOf, oneOf, port, refined, shape, slashedName, text, textList, textMap, timeout, type ValueType } from './value-type.ts';

/** Counts and sizes that Envoy keeps in 32 bits. */
const limit = integer(0, 4_294_967_295);
const positiveLimit = integer(1, 4_294_967_295);
const byte = integer(0, 255);

/** A name with its namespace: both or none. */
const namePair: ValueType<NamespacedName | undefined> = refined(shape({ namespace: text, name: text }), ({ namespace, name }) => {
  if (namespace === undefined && name === undefined) return undefined;
  if (namespace === undefined) throw new RangeError('namespace: must be given with the name');
  if (name === undefined) throw new RangeError('name: must be given with the namespace');
  return { namespace, name };
});

const gateway: ValueType<NamespacedName | undefined> = refined(shape({ gatewayRef: namePair }), ({ gatewayRef }) => {
  if (gatewayRef === undefined) throw new RangeError('gatewayRef: namespace and name must be given');
  return gatewayRef;
});

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

/** Settings that shape what is built. */
export const buildSettings = {
  // Which objects count, and where status goes.
  ingressClassNames: setting({ type: commaList, default: [], flag: 'ingress-class-name', crd: 'ingress.classNames', crdType: textList, help: 'Ingress classes to serve (default: objects without a class, and class contour).' }),
  rootNamespaces: setting({ type: commaList, default: [], flag: 'root-namespaces', crd: 'httpproxy.rootNamespaces', crdType: textList, help: 'Namespaces that may hold root HTTPProxies (default all).' }),
  statusAddresses: setting({ type: commaList, default: [], file: 'ingress-status-address', flag: 'ingress-status-address', crd: 'ingress.statusAddress', help: 'Addresses to publish in status (default: those of the Envoy Service).' }),
  gateway: setting({ type: gateway, default: undefined, file: 'gateway', crd: 'gateway' }),
  enableExternalNameService: setting({ type: flag, default: false, file: 'enableExternalNameService', crd: 'enableExternalNameService' }),
  disablePermitInsecure: setting({ type: flag, default: false, file: 'disablePermitInsecure', crd: 'httpproxy.disablePermitInsecure' }),
  fallbackCertificate: setting({ type: namePair, default: undefined, file: 'tls.fallback-certificate', crd: 'httpproxy.fallbackCertificate' }),
  clientCertificate: setting({ type: namePair, default: undefined, file: 'tls.envoy-client-certificate', crd: 'envoy.clientCertificate' }),
  envoyServiceName: setting({ type: text, default: 'envoy', file: 'envoy-service-name', flag: 'envoy-service-name', crd: 'envoy.service.name', help: 'Service whose addresses are published.' }),
  envoyServiceNamespace: optionalSetting({ type: text, file: 'envoy-service-namespace', flag: 'envoy-service-namespace', crd: 'envoy.service.namespace', help: "Namespace of that Service (default Isoline's own)." }),

  // Access log.
  accessLogFormat: setting({ type: oneOf('envoy', 'json'), default: 'envoy', file: 'accesslog-format', flag: 'accesslog-format', crd: 'envoy.logging.accessLogFormat', help: "Format of Envoy's access log." }),
  accessLogFormatString: setting({ type: textFormat, default: '', file: 'accesslog-format-string', crd: 'envoy.logging.accessLogFormatString' }),
  accessLogJsonFields: setting({ type: jsonFields, default: defaultJsonFields, file: 'json-fields', crd: 'envoy.logging.accessLogJSONFields' }),
  accessLogLevel: setting({ type: oneOf('info', 'error', 'critical', 'disabled'), default: 'info', file: 'accesslog-level', crd: 'envoy.logging.accessLogLevel' }),
  httpAccessLog: setting({ type: text, default: '/dev/stdout', flag: 'envoy-http-access-log', crd: 'envoy.http.accessLog', help: 'Access log of the HTTP listener.' }),
  httpsAccessLog: setting({ type: text, default: '/dev/stdout', flag: 'envoy-https-access-log', crd: 'envoy.https.accessLog', help: 'Access log of the HTTPS listener.' }),

  // Where Envoy listens.
  httpAddress: setting({ type: text, default: '0.0.0.0', flag: 'envoy-service-http-address', crd: 'envoy.http.address', help: "Address of Envoy's HTTP listener." }),
  httpPort: setting({ type: port, default: 8080, flag: 'envoy-service-http-port', crd: 'envoy.http.port', help: "Port of Envoy's HTTP listener." }),
  httpsAddress: setting({ type: text, default: '0.0.0.0', flag: 'envoy-service-https-address', crd: 'envoy.https.address', help: "Address of Envoy's HTTPS listener." }),
  httpsPort: setting({ type: port, default: 8443, flag: 'envoy-service-https-port', crd: 'envoy.https.port', help: "Port of Envoy's HTTPS listener." }),
  statsAddress: setting({ type: text, default: '0.0.0.0', file: 'metrics.envoy.address', fileWins: true, flag: 'stats-address', crd: 'envoy.metrics.address', help: "Address of Envoy's stats listener." }),
  statsPort: setting({ type: port, default: 8002, file: 'metrics.envoy.port', fileWins: true, flag: 'stats-port', crd: 'envoy.metrics.port', help: "Port of Envoy's stats listener." }),
  statsCertFile: optionalSetting({ type: text, file: 'metrics.envoy.server-certificate-path', crd: 'envoy.metrics.tls.certFile' }),
  statsKeyFile: optionalSetting({ type: text, file: 'metrics.envoy.server-key-path', crd: 'envoy.metrics.tls.keyFile' }),
  statsCaFile: optionalSetting({ type: text, file: 'metrics.envoy.ca-certificate-path', crd: 'envoy.metrics.tls.caFile' }),
  envoyHealthAddress: optionalSetting({ type: text, crd: 'envoy.health.address', crdDefault: '0.0.0.0' }),
  envoyHealthPort: optionalSetting({ type: port, crd: 'envoy.health.port', crdDefault: 8002 }),
  omEnforcedHealthAddress: optionalSetting({ type: text, file: 'omEnforcedHealthListener.address', crd: 'envoy.omEnforcedHealth.address' }),
  omEnforcedHealthPort: optionalSetting({ type: port, file: 'omEnforcedHealthListener.port', crd: 'envoy.omEnforcedHealth.port' }),
  adminPort: setting({ type: integer(0, 65_535, 'PORT'), default: 9001, file: 'network.admin-port', crd: 'envoy.network.adminPort' }),

  // How Envoy listens.
  useProxyProtocol: setting({ type: flag, default: false, flag: 'use-proxy-protocol', crd: 'envoy.listener.useProxyProtocol', help: 'Expect the PROXY protocol on both listeners.' }),
  disableAllowChunkedLength: setting({ type: flag, default: false, file: 'disableAllowChunkedLength', crd: 'envoy.listener.disableAllowChunkedLength' }),
  disableMergeSlashes: setting({ type: flag, default: false, file: 'disableMergeSlashes', crd: 'envoy.listener.disableMergeSlashes' }),
  serverHeaderTransformation: setting({ type: oneOf('overwrite', 'append_if_absent', 'pass_through'), default: 'overwrite', file: 'serverHeaderTransformation', crd: 'envoy.listener.serverHeaderTransformation' }),
  compression: setting({ type: oneOf('gzip', 'brotli', 'zstd', 'disabled'), default: 'gzip', file: 'compression.algorithm', crd: 'envoy.listener.compression.algorithm' }),
  connectionBalancer: setting({ type: oneOf('', 'exact'), default: '', file: 'listener.connection-balancer', crd: 'envoy.listener.connectionBalancer' }),
  listenerMaxRequestsPerConnection: optionalSetting({ type: positiveLimit, file: 'listener.max-requests-per-connection', crd: 'envoy.listener.maxRequestsPerConnection' }),
  listenerBufferLimitBytes: optionalSetting({ type: positiveLimit, file: 'listener.per-connection-buffer-limit-bytes', crd: 'envoy.listener.per-connection-buffer-limit-bytes' }),
  maxRequestsPerIoCycle: optionalSetting({ type: positiveLimit, file: 'listener.max-requests-per-io-cycle', crd: 'envoy.listener.maxRequestsPerIOCycle' }),
  http2MaxConcurrentStreams: optionalSetting({ type: positiveLimit, file: 'listener.http2-max-concurrent-streams', crd: 'envoy.listener.httpMaxConcurrentStreams' }),
  maxConnectionsPerListener: optionalSetting({ type: positiveLimit, file: 'listener.max-connections-per-listener', crd: 'envoy.listener.maxConnectionsPerListener' }),
  maxConnectionsToAcceptPerSocketEvent: optionalSetting({ type: positiveLimit, file: 'listener.max-connections-to-accept-per-socket-event', crd: 'envoy.listener.maxConnectionsToAcceptPerSocketEvent' }),
  socketTos: setting({ type: byte, default: 0, file: 'listener.socket-options.tos', crd: 'envoy.listener.socketOptions.tos' }),
  socketTrafficClass: setting({ type: byte, default: 0, file: 'listener.socket-options.traffic-class', crd: 'envoy.listener.socketOptions.trafficClass' }),
  tlsMinVersion: setting({ type: tlsVersion, default: '1.2', file: 'tls.minimum-protocol-version', crd: 'envoy.listener.tls.minimumProtocolVersion' }),
  tlsMaxVersion: setting({ type: tlsVersion, default: '1.3', file: 'tls.maximum-protocol-version', crd: 'envoy.listener.tls.maximumProtocolVersion' }),
  tlsCipherSuites: setting({ type: cipherSuites, default: defaultCipherSuites, file: 'tls.cipher-suites', crd: 'envoy.listener.tls.cipherSuites' }),
  tlsEcdhCurves: setting({ type: ecdhCurves, default: [], file: 'tls.ecdh-curves', crd: 'envoy.listener.tls.ecdhCurves' }),
  tlsJa3: setting({ type: flag, default: false, file: 'tls.fingerprint.ja3', crd: 'envoy.listener.tls.fingerprint.ja3' }),
  tlsJa4: setting({ type: flag, default: false, file: 'tls.fingerprint.ja4', crd: 'envoy.listener.tls.fingerprint.ja4' }),
  httpVersions: setting<readonly ('HTTP/1.1' | 'HTTP/2')[]>({ type: httpVersions, default: ['HTTP/1.1', 'HTTP/2'], file: 'default-http-versions', crd: 'envoy.defaultHTTPVersions' }),
  numTrustedHops: setting({ type: limit, default: 0, file: 'network.num-trusted-hops', crd: 'envoy.network.numTrustedHops' }),
  stripTrailingHostDot: setting({ type: flag, default: false, file: 'network.strip-trailing-host-dot', crd: 'envoy.network.stripTrailingHostDot' }),

  // Upstreams.
  dnsLookupFamily: setting({ type: oneOf('auto', 'v4', 'v6', 'all'), default: 'auto', file: 'cluster.dns-lookup-family', crd: 'envoy.cluster.dnsLookupFamily' }),
  clusterMaxRequestsPerConnection: optionalSetting({ type: positiveLimit, file: 'cluster.max-requests-per-connection', crd: 'envoy.cluster.maxRequestsPerConnection' }),
  clusterBufferLimitBytes: optionalSetting({ type: positiveLimit, file: 'cluster.per-connection-buffer-limit-bytes', crd: 'envoy.cluster.per-connection-buffer-limit-bytes' }),
  maxConnections: setting({ type: limit, default: 0, file: 'cluster.circuit-breakers.max-connections', crd: 'envoy.cluster.circuitBreakers.maxConnections' }),
  maxPendingRequests: setting({ type: limit, default: 0, file: 'cluster.circuit-breakers.max-pending-requests', crd: 'envoy.cluster.circuitBreakers.maxPendingRequests' }),
  maxRequests: setting({ type: limit, default: 0, file: 'cluster.circuit-breakers.max-requests', crd: 'envoy.cluster.circuitBreakers.maxRequests' }),
  maxRetries: setting({ type: limit, default: 0, file: 'cluster.circuit-breakers.max-retries', crd: 'envoy.cluster.circuitBreakers.maxRetries' }),
  perHostMaxConnections: setting({ type: limit, default: 0, file: 'cluster.circuit-breakers.per-host-max-connections', crd: 'envoy.cluster.circuitBreakers.perHostMaxConnections' }),
  upstreamMinVersion: setting({ type: tlsVersion, default: '1.2', file: 'cluster.upstream-tls.minimum-protocol-version', crd: 'envoy.cluster.upstreamTLS.minimumProtocolVersion' }),
  upstreamMaxVersion: setting({ type: tlsVersion, default: '1.3', file: 'cluster.upstream-tls.maximum-protocol-version', crd: 'envoy.cluster.upstreamTLS.maximumProtocolVersion' }),
  upstreamCipherSuites: setting({ type: cipherSuites, default: defaultCipherSuites, file: 'cluster.upstream-tls.cipher-suites', crd: 'envoy.cluster.upstreamTLS.cipherSuites' }),
  upstreamEcdhCurves: setting({ type: ecdhCurves, default: [], file: 'cluster.upstream-tls.ecdh-curves', crd: 'envoy.cluster.upstreamTLS.ecdhCurves' }),

  // Timeouts.
  requestTimeout: setting({ type: timeout, default: undefined, file: 'timeouts.request-timeout', crd: 'envoy.timeouts.requestTimeout' }),
  connectionIdleTimeout: setting({ type: timeout, default: 60_000, file: 'timeouts.connection-idle-timeout', crd: 'envoy.timeouts.connectionIdleTimeout', crdDefault: undefined }),
  streamIdleTimeout: setting({ type: timeout, default: undefined, file: 'timeouts.stream-idle-timeout', crd: 'envoy.timeouts.streamIdleTimeout' }),
  maxConnectionDuration: setting({ type: timeout, default: undefined, file: 'timeouts.max-connection-duration', crd: 'envoy.timeouts.maxConnectionDuration' }),
  delayedCloseTimeout: setting({ type: timeout, default: undefined, file: 'timeouts.delayed-close-timeout', crd: 'envoy.timeouts.delayedCloseTimeout' }),
  connectionShutdownGracePeriod: setting({ type: timeout, default: undefined, file: 'timeouts.connection-shutdown-grace-period', crd: 'envoy.timeouts.connectionShutdownGracePeriod' }),
  connectTimeoutMs: setting({ type: duration, default: 2_000, file: 'timeouts.connect-timeout', crd: 'envoy.timeouts.connectTimeout' }),

  // Policies for all routes, and the services that they need.
  requestHeadersSet: setting({ type: headerEdits.set, default: {}, file: 'policy.request-headers.set', crd: 'policy.requestHeaders.set' }),
  requestHeadersRemove: setting({ type: headerEdits.remove, default: [], file: 'policy.request-headers.remove', crd: 'policy.requestHeaders.remove' }),
  responseHeadersSet: setting({ type: headerEdits.set, default: {}, file: 'policy.response-headers.set', crd: 'policy.responseHeaders.set' }),
  responseHeadersRemove: setting({ type: headerEdits.remove, default: [], file: 'policy.response-headers.remove', crd: 'policy.responseHeaders.remove' }),
  policyAppliesToIngress: setting({ type: flag, default: false, file: 'policy.applyToIngress', crd: 'policy.applyToIngress' }),
  rateLimitExtensionService: optionalSetting({ type: slashedName, file: 'rateLimitService.extensionService', crd: 'rateLimitService.extensionService', crdType: namePair }),
  rateLimitDomain: setting({ type: text, default: '', file: 'rateLimitService.domain', crd: 'rateLimitService.domain' }),
  rateLimitFailOpen: setting({ type: flag, default: false, file: 'rateLimitService.failOpen', crd: 'rateLimitService.failOpen' }),
  rateLimitHeaders: setting({ type: flag, default: false, file: 'rateLimitService.enableXRateLimitHeaders', crd: 'rateLimitService.enableXRateLimitHeaders' }),
  rateLimitExhaustedCode: setting({ type: flag, default: false, file: 'rateLimitService.enableResourceExhaustedCode', crd: 'rateLimitService.enableResourceExhaustedCode' }),
  rateLimitDefaultPolicy: optionalSetting({ type: rateLimitPolicy, file: 'rateLimitService.defaultGlobalRateLimitPolicy', crd: 'rateLimitService.defaultGlobalRateLimitPolicy' }),
  extAuthExtensionService: optionalSetting({ type: slashedName, file: 'globalExtAuth.extensionService', crd: 'globalExtAuth.extensionRef', crdType: namePair }),
  extAuthServiceType: setting({ type: authServiceType, default: 'grpc', file: 'globalExtAuth.serviceType', crd: 'globalExtAuth.serviceType' }),
  extAuthHttpSettings: optionalSetting({ type: httpAuthSettings, file: 'globalExtAuth.httpSettings', crd: 'globalExtAuth.httpSettings' }),
  extAuthPolicy: optionalSetting({ type: authPolicy, file: 'globalExtAuth.authPolicy', crd: 'globalExtAuth.authPolicy' }),
  extAuthResponseTimeout: setting({ type: timeout, default: undefined, file: 'globalExtAuth.responseTimeout', crd: 'globalExtAuth.responseTimeout' }),
  extAuthFailOpen: setting({ type: flag, default: false, file: 'globalExtAuth.failOpen', crd: 'globalExtAuth.failOpen' }),
  extAuthRequestBody: optionalSetting({ type: requestBody, file: 'globalExtAuth.withRequestBody', crd: 'globalExtAuth.withRequestBody' }),
  tracingExtensionService: optionalSetting({ type: slashedName, file: 'tracing.extensionService', crd: 'tracing.extensionService', crdType: namePair }),
  tracingIncludePodDetail: setting({ type: flag, default: true, file: 'tracing.includePodDetail', crd: 'tracing.includePodDetail' }),
  tracingServiceName: setting({ type: text, default: 'contour', file: 'tracing.serviceName', crd: 'tracing.serviceName' }),
  tracingOverallSampling: setting({ type: sampling, default: 100, file: 'tracing.overallSampling', crd: 'tracing.overallSampling' }),
  tracingClientSampling: setting({ type: sampling, default: 100, file: 'tracing.clientSampling', crd: 'tracing.clientSampling' }),
  tracingRandomSampling: setting({ type: sampling, default: 100, file: 'tracing.randomSampling', crd: 'tracing.randomSampling' }),
  tracingMaxPathTagLength: setting({ type: limit, default: 256, file: 'tracing.maxPathTagLength', crd: 'tracing.maxPathTagLength' }),
  tracingCustomTags: setting({ type: customTags, default: [], file: 'tracing.customTags', crd: 'tracing.customTags' }),
  runtimeSettings: setting({ type: textMap, default: {}, file: 'runtime-settings', crd: 'envoy.runtimeSettings' }),
} as const;
