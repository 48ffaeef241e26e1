import type { NamespacedName } from './config.ts';
import { limit, namePair, positiveLimit } from './limits.ts';
import { optionalSetting, setting } from './setting.ts';
import { cipherSuites, defaultCipherSuites, ecdhCurves, tlsVersion } from './tls-values.ts';
import { commaList, duration, flag, oneOf, refined, shape, text, textList, textMap, timeout, type ValueType } from './value-type.ts';

const gateway: ValueType<NamespacedName | undefined> = refined(shape({ gatewayRef: namePair }), ({ gatewayRef }) => {
  if (gatewayRef === undefined) throw new RangeError('gatewayRef: namespace and name must be given');
  return gatewayRef;
});

/** Settings of what is built, but for the listeners. */
export const buildSettings = {
  // Which objects count, and where status goes.
  ingressClassNames: setting({
    type: commaList,
    default: [],
    flag: 'ingress-class-name',
    crd: 'ingress.classNames',
    crdType: textList,
    help: 'Ingress classes to serve (default: objects without a class, and class contour).',
  }),
  rootNamespaces: setting({
    type: commaList,
    default: [],
    flag: 'root-namespaces',
    crd: 'httpproxy.rootNamespaces',
    crdType: textList,
    help: 'Namespaces that may hold root HTTPProxies (default all).',
  }),
  duplicateHosts: setting({
    type: oneOf('reject-all', 'oldest-wins'),
    default: 'reject-all',
    file: 'duplicate-hosts',
    flag: 'duplicate-hosts',
    help: 'Who gets a host that several root HTTPProxies name: nobody (reject-all, the default), or the oldest (oldest-wins).',
  }),
  statusAddresses: setting({
    type: commaList,
    default: [],
    file: 'ingress-status-address',
    flag: 'ingress-status-address',
    crd: 'ingress.statusAddress',
    help: 'Addresses to publish in status (default: those of the Envoy Service).',
  }),
  gateway: setting({ type: gateway, default: undefined, file: 'gateway', crd: 'gateway' }),
  enableExternalNameService: setting({ type: flag, default: false, file: 'enableExternalNameService', crd: 'enableExternalNameService' }),
  disablePermitInsecure: setting({ type: flag, default: false, file: 'disablePermitInsecure', crd: 'httpproxy.disablePermitInsecure' }),
  fallbackCertificate: setting({
    type: namePair,
    default: undefined,
    file: 'tls.fallback-certificate',
    crd: 'httpproxy.fallbackCertificate',
  }),
  clientCertificate: setting({ type: namePair, default: undefined, file: 'tls.envoy-client-certificate', crd: 'envoy.clientCertificate' }),
  envoyServiceName: setting({
    type: text,
    default: 'envoy',
    file: 'envoy-service-name',
    flag: 'envoy-service-name',
    crd: 'envoy.service.name',
    help: 'Service whose addresses are published.',
  }),
  envoyServiceNamespace: optionalSetting({
    type: text,
    file: 'envoy-service-namespace',
    flag: 'envoy-service-namespace',
    crd: 'envoy.service.namespace',
    help: "Namespace of that Service (default Isoline's own).",
  }),

  // Upstreams.
  dnsLookupFamily: setting({
    type: oneOf('auto', 'v4', 'v6', 'all'),
    default: 'auto',
    file: 'cluster.dns-lookup-family',
    crd: 'envoy.cluster.dnsLookupFamily',
  }),
  clusterMaxRequestsPerConnection: optionalSetting({
    type: positiveLimit,
    file: 'cluster.max-requests-per-connection',
    crd: 'envoy.cluster.maxRequestsPerConnection',
  }),
  clusterBufferLimitBytes: optionalSetting({
    type: positiveLimit,
    file: 'cluster.per-connection-buffer-limit-bytes',
    crd: 'envoy.cluster.per-connection-buffer-limit-bytes',
  }),
  maxConnections: setting({
    type: limit,
    default: 0,
    file: 'cluster.circuit-breakers.max-connections',
    crd: 'envoy.cluster.circuitBreakers.maxConnections',
  }),
  maxPendingRequests: setting({
    type: limit,
    default: 0,
    file: 'cluster.circuit-breakers.max-pending-requests',
    crd: 'envoy.cluster.circuitBreakers.maxPendingRequests',
  }),
  maxRequests: setting({
    type: limit,
    default: 0,
    file: 'cluster.circuit-breakers.max-requests',
    crd: 'envoy.cluster.circuitBreakers.maxRequests',
  }),
  maxRetries: setting({
    type: limit,
    default: 0,
    file: 'cluster.circuit-breakers.max-retries',
    crd: 'envoy.cluster.circuitBreakers.maxRetries',
  }),
  perHostMaxConnections: setting({
    type: limit,
    default: 0,
    file: 'cluster.circuit-breakers.per-host-max-connections',
    crd: 'envoy.cluster.circuitBreakers.perHostMaxConnections',
  }),
  upstreamMinVersion: setting({
    type: tlsVersion,
    default: '1.2',
    file: 'cluster.upstream-tls.minimum-protocol-version',
    crd: 'envoy.cluster.upstreamTLS.minimumProtocolVersion',
  }),
  upstreamMaxVersion: setting({
    type: tlsVersion,
    default: '1.3',
    file: 'cluster.upstream-tls.maximum-protocol-version',
    crd: 'envoy.cluster.upstreamTLS.maximumProtocolVersion',
  }),
  upstreamCipherSuites: setting({
    type: cipherSuites,
    default: defaultCipherSuites,
    file: 'cluster.upstream-tls.cipher-suites',
    crd: 'envoy.cluster.upstreamTLS.cipherSuites',
  }),
  upstreamEcdhCurves: setting({
    type: ecdhCurves,
    default: [],
    file: 'cluster.upstream-tls.ecdh-curves',
    crd: 'envoy.cluster.upstreamTLS.ecdhCurves',
  }),

  // Timeouts.
  requestTimeout: setting({ type: timeout, default: undefined, file: 'timeouts.request-timeout', crd: 'envoy.timeouts.requestTimeout' }),
  connectionIdleTimeout: setting({
    type: timeout,
    default: 60_000,
    file: 'timeouts.connection-idle-timeout',
    crd: 'envoy.timeouts.connectionIdleTimeout',
    crdDefault: undefined,
  }),
  streamIdleTimeout: setting({
    type: timeout,
    default: undefined,
    file: 'timeouts.stream-idle-timeout',
    crd: 'envoy.timeouts.streamIdleTimeout',
  }),
  maxConnectionDuration: setting({
    type: timeout,
    default: undefined,
    file: 'timeouts.max-connection-duration',
    crd: 'envoy.timeouts.maxConnectionDuration',
  }),
  delayedCloseTimeout: setting({
    type: timeout,
    default: undefined,
    file: 'timeouts.delayed-close-timeout',
    crd: 'envoy.timeouts.delayedCloseTimeout',
  }),
  connectionShutdownGracePeriod: setting({
    type: timeout,
    default: undefined,
    file: 'timeouts.connection-shutdown-grace-period',
    crd: 'envoy.timeouts.connectionShutdownGracePeriod',
  }),
  connectTimeoutMs: setting({ type: duration, default: 2_000, file: 'timeouts.connect-timeout', crd: 'envoy.timeouts.connectTimeout' }),
  runtimeSettings: setting({ type: textMap, default: {}, file: 'runtime-settings', crd: 'envoy.runtimeSettings' }),
} as const;
