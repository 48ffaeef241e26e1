import type {
  ClusterConfig,
  Config,
  DefaultPolicy,
  GlobalExtAuthConfig,
  ListenerConfig,
  RateLimitServiceConfig,
  TimeoutsConfig,
  TracingConfig,
} from './config.ts';
import { tlsFiles } from './serve-options.ts';
import { defaultValues, type Values } from './values.ts';

/** Where Isoline looks for its own things when `CONTOUR_NAMESPACE` is not set. */
export const defaultNamespace = 'projectcontour';

/** The build's part of the settings, frozen. `namespace` is Isoline's own. */
export function toConfig(values: Values, namespace: string): Config {
  const { gateway, clientCertificate, fallbackCertificate, omEnforcedHealthAddress, omEnforcedHealthPort } = values;
  const stats = { address: values.statsAddress, port: values.statsPort };
  const statsTls = tlsFiles(values.statsCertFile, values.statsKeyFile, values.statsCaFile);
  return deepFreeze({
    ingressClassNames: values.ingressClassNames,
    rootNamespaces: values.rootNamespaces,
    duplicateHosts: values.duplicateHosts,
    disablePermitInsecure: values.disablePermitInsecure,
    enableExternalNameService: values.enableExternalNameService,
    gatewayControllerName: 'projectcontour.io/gateway-controller',
    statusAddresses: values.statusAddresses,
    envoyService: { namespace: values.envoyServiceNamespace ?? namespace, name: values.envoyServiceName },
    listener: toListener(values),
    cluster: toCluster(values),
    timeouts: toTimeouts(values),
    logging: {
      format: values.accessLogFormat,
      formatString: values.accessLogFormatString,
      jsonFields: values.accessLogJsonFields,
      level: values.accessLogLevel,
    },
    adminPort: values.adminPort,
    stats,
    health: { address: values.envoyHealthAddress ?? stats.address, port: values.envoyHealthPort ?? stats.port },
    runtimeSettings: values.runtimeSettings,
    ...defined({ gatewayRef: gateway, clientCertificate, fallbackCertificate, statsTls }),
    ...(omEnforcedHealthAddress !== undefined &&
      omEnforcedHealthPort !== undefined && { omEnforcedHealth: { address: omEnforcedHealthAddress, port: omEnforcedHealthPort } }),
    ...defined({
      policy: toPolicy(values),
      rateLimitService: toRateLimitService(values),
      globalExtAuth: toExtAuth(values),
      tracing: toTracing(values),
    }),
  });
}

/** The Config of an empty configuration file and no flags, in the default namespace. */
export const defaultConfig: Config = toConfig(defaultValues, defaultNamespace);

function toListener(values: Values): ListenerConfig {
  return {
    http: { address: values.httpAddress, port: values.httpPort, accessLog: values.httpAccessLog },
    https: { address: values.httpsAddress, port: values.httpsPort, accessLog: values.httpsAccessLog },
    useProxyProtocol: values.useProxyProtocol,
    disableAllowChunkedLength: values.disableAllowChunkedLength,
    disableMergeSlashes: values.disableMergeSlashes,
    serverHeaderTransformation: values.serverHeaderTransformation,
    compression: values.compression,
    connectionBalancer: values.connectionBalancer,
    socketOptions: { tos: values.socketTos, trafficClass: values.socketTrafficClass },
    tls: {
      minVersion: values.tlsMinVersion,
      maxVersion: values.tlsMaxVersion,
      cipherSuites: values.tlsCipherSuites,
      ecdhCurves: values.tlsEcdhCurves,
      ja3: values.tlsJa3,
      ja4: values.tlsJa4,
      certificates: values.tlsCertificates,
    },
    httpVersions: values.httpVersions,
    numTrustedHops: values.numTrustedHops,
    stripTrailingHostDot: values.stripTrailingHostDot,
    ...defined({
      maxRequestsPerConnection: values.listenerMaxRequestsPerConnection,
      perConnectionBufferLimitBytes: values.listenerBufferLimitBytes,
      maxRequestsPerIoCycle: values.maxRequestsPerIoCycle,
      http2MaxConcurrentStreams: values.http2MaxConcurrentStreams,
      maxConnectionsPerListener: values.maxConnectionsPerListener,
      maxConnectionsToAcceptPerSocketEvent: values.maxConnectionsToAcceptPerSocketEvent,
    }),
  };
}

function toCluster(values: Values): ClusterConfig {
  const { maxConnections, maxPendingRequests, maxRequests, maxRetries, perHostMaxConnections } = values;
  return {
    dnsLookupFamily: values.dnsLookupFamily,
    // A connect timeout of 0 is none that Envoy takes; Contour reads it as the default, too.
    connectTimeoutMs: values.connectTimeoutMs || defaultValues.connectTimeoutMs,
    circuitBreakers: positive({ maxConnections, maxPendingRequests, maxRequests, maxRetries, perHostMaxConnections }),
    upstreamTls: {
      minVersion: values.upstreamMinVersion,
      maxVersion: values.upstreamMaxVersion,
      cipherSuites: values.upstreamCipherSuites,
      ecdhCurves: values.upstreamEcdhCurves,
    },
    ...defined({
      maxRequestsPerConnection: values.clusterMaxRequestsPerConnection,
      perConnectionBufferLimitBytes: values.clusterBufferLimitBytes,
    }),
  };
}

function toTimeouts(values: Values): TimeoutsConfig {
  return {
    requestMs: values.requestTimeout,
    connectionIdleMs: values.connectionIdleTimeout,
    streamIdleMs: values.streamIdleTimeout,
    maxConnectionDurationMs: values.maxConnectionDuration,
    delayedCloseMs: values.delayedCloseTimeout,
    connectionShutdownGracePeriodMs: values.connectionShutdownGracePeriod,
  };
}

function toPolicy(values: Values): DefaultPolicy | undefined {
  const requestHeaders = { set: values.requestHeadersSet, remove: values.requestHeadersRemove };
  const responseHeaders = { set: values.responseHeadersSet, remove: values.responseHeadersRemove };
  const edits = [requestHeaders, responseHeaders].some(({ set, remove }) => Object.keys(set).length + remove.length > 0);
  return edits ? { requestHeaders, responseHeaders, applyToIngress: values.policyAppliesToIngress } : undefined;
}

function toRateLimitService(values: Values): RateLimitServiceConfig | undefined {
  if (values.rateLimitExtensionService === undefined) return undefined;
  return {
    extensionService: values.rateLimitExtensionService,
    domain: values.rateLimitDomain,
    failOpen: values.rateLimitFailOpen,
    enableXRateLimitHeaders: values.rateLimitHeaders,
    enableResourceExhaustedCode: values.rateLimitExhaustedCode,
    ...defined({ defaultPolicy: values.rateLimitDefaultPolicy }),
  };
}

function toExtAuth(values: Values): GlobalExtAuthConfig | undefined {
  if (values.extAuthExtensionService === undefined) return undefined;
  return {
    extensionService: values.extAuthExtensionService,
    serviceType: values.extAuthServiceType,
    responseTimeoutMs: values.extAuthResponseTimeout,
    failOpen: values.extAuthFailOpen,
    ...defined({ httpSettings: values.extAuthHttpSettings, authPolicy: values.extAuthPolicy, withRequestBody: values.extAuthRequestBody }),
  };
}

function toTracing(values: Values): TracingConfig | undefined {
  if (values.tracingExtensionService === undefined) return undefined;
  return {
    extensionService: values.tracingExtensionService,
    includePodDetail: values.tracingIncludePodDetail,
    serviceName: values.tracingServiceName,
    overallSampling: values.tracingOverallSampling,
    clientSampling: values.tracingClientSampling,
    randomSampling: values.tracingRandomSampling,
    maxPathTagLength: values.tracingMaxPathTagLength,
    customTags: values.tracingCustomTags,
  };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the fields that are undefined. */
function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

function positive<T extends Readonly<Record<string, number>>>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value > 0)) as Partial<T>;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
