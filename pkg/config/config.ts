export type TlsVersion = '1.2' | '1.3';

export type DnsLookupFamily = 'auto' | 'v4' | 'v6' | 'all';

/** Limits of one cluster; a field that is absent leaves Envoy's default. */
export interface CircuitBreakers {
  readonly maxConnections?: number;
  readonly maxPendingRequests?: number;
  readonly maxRequests?: number;
  readonly maxRetries?: number;
  readonly perHostMaxConnections?: number;
}

/** A namespace and a name. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** Envoy's three-way timeouts: absent is Envoy's default. */
export type TimeoutSetting = number | 'disabled' | undefined;

/**
 * Everything that shapes the build, from flags, file and defaults, frozen. Process settings (kubeconfig, addresses of
 * our own servers, leader election) are in `ServeOptions`: a build never sees them.
 * Field sources: ContourConfiguration `spec` (path in brackets) and the configuration file.
 */
export interface Config {
  /** [ingress.classNames] Empty: objects without a class, and class `contour`. */
  readonly ingressClassNames: readonly string[];
  /** [httpproxy.rootNamespaces] Empty: roots may be anywhere. */
  readonly rootNamespaces: readonly string[];
  /** Who gets a host that several root HTTPProxies name: nobody, or the oldest of those that may be roots. Default `reject-all`. */
  readonly duplicateHosts: 'reject-all' | 'oldest-wins';
  /** [httpproxy.disablePermitInsecure] */
  readonly disablePermitInsecure: boolean;
  /** [enableExternalNameService] */
  readonly enableExternalNameService: boolean;
  /** [gateway.gatewayRef] Set: Gateway mode, listeners come from this Gateway. */
  readonly gatewayRef?: NamespacedName;
  /** `GatewayClass.spec.controllerName` that is ours. Default `projectcontour.io/gateway-controller`. */
  readonly gatewayControllerName: string;
  /** [envoy.clientCertificate] */
  readonly clientCertificate?: NamespacedName;
  /** [httpproxy.fallbackCertificate] */
  readonly fallbackCertificate?: NamespacedName;
  /** [ingress.statusAddress] Addresses to publish, already split. Empty: from the Envoy Service. */
  readonly statusAddresses: readonly string[];
  /** [envoy.service] */
  readonly envoyService: NamespacedName;
  readonly listener: ListenerConfig;
  readonly cluster: ClusterConfig;
  readonly timeouts: TimeoutsConfig;
  readonly logging: LoggingConfig;
  /** [envoy.network.adminPort] 0: no read-only admin listener. Default 9001. */
  readonly adminPort: number;
  /** [envoy.metrics], [envoy.health] Envoy's stats and health listeners. */
  readonly stats: AddressPort;
  readonly health: AddressPort;
  /** [envoy.runtimeSettings] */
  readonly runtimeSettings: Readonly<Record<string, string>>;
  /** [envoy.metrics.tls] Set: the stats listener speaks TLS with these files of the Envoy container. */
  readonly statsTls?: TlsFiles;
  /** [envoy.omEnforcedHealth] A further health listener, which obeys the overload manager. */
  readonly omEnforcedHealth?: AddressPort;
  /** [policy] */
  readonly policy?: DefaultPolicy;
  /** [rateLimitService] */
  readonly rateLimitService?: RateLimitServiceConfig;
  /** [globalExtAuth] */
  readonly globalExtAuth?: GlobalExtAuthConfig;
  /** [tracing] */
  readonly tracing?: TracingConfig;
}

/** Files of a TLS server; `caFile` set: clients must present a certificate that it signed. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile?: string;
}

/** Header changes for every route that does not say otherwise. */
export interface DefaultPolicy {
  readonly requestHeaders: HeaderEdits;
  readonly responseHeaders: HeaderEdits;
  /** Whether Ingress routes get them too. Default false. */
  readonly applyToIngress: boolean;
}

export interface HeaderEdits {
  readonly set: Readonly<Record<string, string>>;
  readonly remove: readonly string[];
}

/** The service that global rate limits ask. */
export interface RateLimitServiceConfig {
  /** An ExtensionService. */
  readonly extensionService: NamespacedName;
  readonly domain: string;
  readonly failOpen: boolean;
  readonly enableXRateLimitHeaders: boolean;
  readonly enableResourceExhaustedCode: boolean;
  /** What virtual hosts without limits of their own get. */
  readonly defaultPolicy?: DefaultRateLimitPolicy;
}

/** Descriptors as in an HTTPProxy. */
export interface DefaultRateLimitPolicy {
  readonly disabled?: boolean;
  readonly descriptors?: readonly { readonly entries: readonly RateLimitEntry[] }[];
}

/** Exactly one field is set. */
export interface RateLimitEntry {
  readonly genericKey?: { readonly key?: string; readonly value?: string };
  readonly requestHeader?: { readonly headerName?: string; readonly descriptorKey?: string };
  readonly requestHeaderValueMatch?: {
    readonly headers?: readonly ConfiguredHeaderMatch[];
    readonly expectMatch?: boolean;
    readonly value?: string;
  };
  readonly remoteAddress?: object;
}

/** A header condition as an HTTPProxy has it. */
export interface ConfiguredHeaderMatch {
  readonly name: string;
  readonly present?: boolean;
  readonly notpresent?: boolean;
  readonly contains?: string;
  readonly notcontains?: string;
  readonly exact?: string;
  readonly notexact?: string;
  readonly regex?: string;
  readonly ignoreCase?: boolean;
  readonly treatMissingAsEmpty?: boolean;
}

/** Authorization of every request to a virtual host that does not say otherwise. */
export interface GlobalExtAuthConfig {
  /** An ExtensionService. */
  readonly extensionService: NamespacedName;
  readonly serviceType: 'grpc' | 'http';
  readonly httpSettings?: HttpAuthSettings;
  readonly authPolicy?: DefaultAuthPolicy;
  readonly responseTimeoutMs: TimeoutSetting;
  readonly failOpen: boolean;
  readonly withRequestBody?: AuthRequestBody;
}

export interface DefaultAuthPolicy {
  readonly disabled?: boolean;
  readonly context?: Readonly<Record<string, string>>;
}

/** How much of a request's body the authorization server gets. */
export interface AuthRequestBody {
  readonly maxRequestBytes: number;
  readonly allowPartialMessage: boolean;
  readonly packAsBytes: boolean;
}

export interface HttpAuthSettings {
  readonly pathPrefix: string;
  readonly allowedAuthorizationHeaders: readonly HeaderNameMatch[];
  readonly allowedUpstreamHeaders: readonly HeaderNameMatch[];
}

export interface HeaderNameMatch {
  readonly exact?: string;
  readonly prefix?: string;
  readonly suffix?: string;
  readonly contains?: string;
  readonly regex?: string;
  readonly ignoreCase?: boolean;
}

/** Where spans go, and which. */
export interface TracingConfig {
  /** An ExtensionService. */
  readonly extensionService: NamespacedName;
  readonly includePodDetail: boolean;
  readonly serviceName: string;
  /** Percent, 0 to 100. */
  readonly overallSampling: number;
  readonly clientSampling: number;
  readonly randomSampling: number;
  readonly maxPathTagLength: number;
  readonly customTags: readonly CustomTag[];
}

export type CustomTag =
  | { readonly tagName: string; readonly literal: string }
  | { readonly tagName: string; readonly requestHeaderName: string };

export interface AddressPort {
  readonly address: string;
  /** 1 to 65535. */
  readonly port: number;
}

/** How Envoy listens. */
export interface ListenerConfig {
  /** [envoy.http] Default 0.0.0.0:8080, `/dev/stdout`. */
  readonly http: AddressPort & { readonly accessLog: string };
  /** [envoy.https] Default 0.0.0.0:8443, `/dev/stdout`. */
  readonly https: AddressPort & { readonly accessLog: string };
  readonly useProxyProtocol: boolean;
  readonly disableAllowChunkedLength: boolean;
  readonly disableMergeSlashes: boolean;
  readonly serverHeaderTransformation: 'overwrite' | 'append_if_absent' | 'pass_through';
  readonly compression: 'gzip' | 'brotli' | 'zstd' | 'disabled';
  readonly connectionBalancer: '' | 'exact';
  readonly maxRequestsPerConnection?: number;
  readonly perConnectionBufferLimitBytes?: number;
  readonly maxRequestsPerIoCycle?: number;
  readonly http2MaxConcurrentStreams?: number;
  readonly maxConnectionsPerListener?: number;
  readonly maxConnectionsToAcceptPerSocketEvent?: number;
  readonly socketOptions: { readonly tos: number; readonly trafficClass: number };
  readonly tls: TlsParameters & {
    readonly ja3: boolean;
    readonly ja4: boolean;
    /** [envoy.listener.tls.certificates] Whether proxies have all certificates, or fetch each when a client first names its host. */
    readonly certificates: 'preloaded' | 'on-demand';
  };
  /** `HTTP/1.1`, `HTTP/2` or both. Never empty. */
  readonly httpVersions: readonly ('HTTP/1.1' | 'HTTP/2')[];
  /** [envoy.network.numTrustedHops] */
  readonly numTrustedHops: number;
  /** [envoy.network.stripTrailingHostDot] */
  readonly stripTrailingHostDot: boolean;
}

export interface TlsParameters {
  readonly minVersion: TlsVersion;
  readonly maxVersion: TlsVersion;
  /** In Envoy's spelling, groups in brackets. */
  readonly cipherSuites: readonly string[];
  /** Empty: Envoy's default. */
  readonly ecdhCurves: readonly string[];
}

export interface ClusterConfig {
  readonly dnsLookupFamily: DnsLookupFamily;
  readonly connectTimeoutMs: number;
  readonly maxRequestsPerConnection?: number;
  readonly perConnectionBufferLimitBytes?: number;
  readonly circuitBreakers: CircuitBreakers;
  readonly upstreamTls: TlsParameters;
}

export interface TimeoutsConfig {
  readonly requestMs: TimeoutSetting;
  readonly connectionIdleMs: TimeoutSetting;
  readonly streamIdleMs: TimeoutSetting;
  readonly maxConnectionDurationMs: TimeoutSetting;
  readonly delayedCloseMs: TimeoutSetting;
  readonly connectionShutdownGracePeriodMs: TimeoutSetting;
}

export interface LoggingConfig {
  readonly format: 'envoy' | 'json';
  /** Envoy's text format; `''`: Envoy's default. */
  readonly formatString: string;
  readonly jsonFields: readonly string[];
  readonly level: 'info' | 'error' | 'critical' | 'disabled';
}
