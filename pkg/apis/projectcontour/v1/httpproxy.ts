import type { KubeObject } from '../../meta.ts';

export interface HTTPProxy extends KubeObject {
  readonly kind: 'HTTPProxy';
  readonly spec: HTTPProxySpec;
  readonly status?: HTTPProxyStatus;
}

export interface HTTPProxySpec {
  readonly includes?: readonly Include[];
  readonly ingressClassName?: string;
  readonly routes?: readonly HTTPProxyRoute[];
  readonly tcpproxy?: TCPProxy;
  readonly virtualhost?: VirtualHost;
}

export interface HTTPProxyStatus {
  readonly conditions?: readonly DetailedCondition[];
  readonly currentStatus?: string;
  readonly description?: string;
  readonly loadBalancer?: LoadBalancerStatus;
}

export interface Include {
  readonly conditions?: readonly MatchCondition[];
  readonly name: string;
  readonly namespace?: string;
}

export interface MatchCondition {
  readonly exact?: string;
  readonly header?: HeaderMatchCondition;
  readonly prefix?: string;
  readonly queryParameter?: QueryParameterMatchCondition;
  readonly regex?: string;
}

export interface HeaderMatchCondition {
  readonly contains?: string;
  readonly exact?: string;
  readonly ignoreCase?: boolean;
  readonly name: string;
  readonly notcontains?: string;
  readonly notexact?: string;
  readonly notpresent?: boolean;
  readonly present?: boolean;
  readonly regex?: string;
  readonly treatMissingAsEmpty?: boolean;
}

export interface QueryParameterMatchCondition {
  readonly contains?: string;
  readonly exact?: string;
  readonly ignoreCase?: boolean;
  readonly name: string;
  readonly prefix?: string;
  readonly present?: boolean;
  readonly regex?: string;
  readonly suffix?: string;
}

export interface HTTPProxyRoute {
  readonly authPolicy?: AuthorizationPolicy;
  readonly conditions?: readonly MatchCondition[];
  readonly cookieRewritePolicies?: readonly CookieRewritePolicy[];
  readonly directResponsePolicy?: HTTPDirectResponsePolicy;
  readonly enableWebsockets?: boolean;
  readonly healthCheckPolicy?: HTTPHealthCheckPolicy;
  readonly internalRedirectPolicy?: HTTPInternalRedirectPolicy;
  readonly ipAllowPolicy?: readonly IPFilterPolicy[];
  readonly ipDenyPolicy?: readonly IPFilterPolicy[];
  readonly jwtVerificationPolicy?: JWTVerificationPolicy;
  readonly loadBalancerPolicy?: LoadBalancerPolicy;
  readonly pathRewritePolicy?: PathRewritePolicy;
  readonly permitInsecure?: boolean;
  readonly rateLimitPolicy?: RateLimitPolicy;
  readonly requestHeadersPolicy?: HeadersPolicy;
  readonly requestRedirectPolicy?: HTTPRequestRedirectPolicy;
  readonly responseHeadersPolicy?: HeadersPolicy;
  readonly retryPolicy?: RetryPolicy;
  readonly services?: readonly HTTPProxyService[];
  readonly timeoutPolicy?: TimeoutPolicy;
}

export interface AuthorizationPolicy {
  readonly context?: Readonly<Record<string, string>>;
  readonly disabled?: boolean;
}

export interface CookieRewritePolicy {
  readonly domainRewrite?: {
    readonly value: string;
  };
  readonly name: string;
  readonly pathRewrite?: {
    readonly value: string;
  };
  readonly sameSite?: 'Strict' | 'Lax' | 'None';
  readonly secure?: boolean;
}

export interface HTTPDirectResponsePolicy {
  readonly body?: string;
  readonly statusCode: number;
}

export interface HTTPHealthCheckPolicy {
  readonly expectedStatuses?: readonly HTTPStatusRange[];
  readonly healthyThresholdCount?: number;
  readonly host?: string;
  readonly intervalSeconds?: number;
  readonly path: string;
  readonly timeoutSeconds?: number;
  readonly unhealthyThresholdCount?: number;
}

export interface HTTPStatusRange {
  readonly end: number;
  readonly start: number;
}

export interface HTTPInternalRedirectPolicy {
  readonly allowCrossSchemeRedirect?: 'Always' | 'Never' | 'SafeOnly';
  readonly denyRepeatedRouteRedirect?: boolean;
  readonly maxInternalRedirects?: number;
  readonly redirectResponseCodes?: readonly (301 | 302 | 303 | 307 | 308)[];
}

export interface IPFilterPolicy {
  readonly cidr: string;
  readonly source: 'Peer' | 'Remote';
}

export interface JWTVerificationPolicy {
  readonly disabled?: boolean;
  readonly require?: string;
}

export interface LoadBalancerPolicy {
  readonly requestHashPolicies?: readonly RequestHashPolicy[];
  readonly strategy?: string;
}

export interface RequestHashPolicy {
  readonly hashSourceIP?: boolean;
  readonly headerHashOptions?: {
    readonly headerName: string;
  };
  readonly queryParameterHashOptions?: {
    readonly parameterName: string;
  };
  readonly terminal?: boolean;
}

export interface PathRewritePolicy {
  readonly replacePrefix?: readonly ReplacePrefix[];
}

export interface ReplacePrefix {
  readonly prefix?: string;
  readonly replacement: string;
}

export interface RateLimitPolicy {
  readonly global?: GlobalRateLimitPolicy;
  readonly local?: LocalRateLimitPolicy;
}

export interface GlobalRateLimitPolicy {
  readonly descriptors?: readonly RateLimitDescriptor[];
  readonly disabled?: boolean;
}

export interface RateLimitDescriptor {
  readonly entries: readonly RateLimitDescriptorEntry[];
}

export interface RateLimitDescriptorEntry {
  readonly genericKey?: {
    readonly key?: string;
    readonly value: string;
  };
  readonly remoteAddress?: Readonly<Record<string, never>>;
  readonly requestHeader?: {
    readonly descriptorKey: string;
    readonly headerName: string;
  };
  readonly requestHeaderValueMatch?: {
    readonly expectMatch?: boolean;
    readonly headers?: readonly HeaderMatchCondition[];
    readonly value: string;
  };
}

export interface LocalRateLimitPolicy {
  readonly burst?: number;
  readonly requests: number;
  readonly responseHeadersToAdd?: readonly HeaderValue[];
  readonly responseStatusCode?: number;
  readonly unit: 'second' | 'minute' | 'hour';
}

export interface HeaderValue {
  readonly name: string;
  readonly value: string;
}

export interface HeadersPolicy {
  readonly remove?: readonly string[];
  readonly set?: readonly HeaderValue[];
}

export interface HTTPRequestRedirectPolicy {
  readonly hostname?: string;
  readonly path?: string;
  readonly port?: number;
  readonly prefix?: string;
  readonly scheme?: 'http' | 'https';
  readonly statusCode?: 301 | 302 | 303 | 307 | 308;
}

export interface RetryPolicy {
  readonly count?: number;
  readonly perTryTimeout?: string;
  readonly retriableStatusCodes?: readonly number[];
  readonly retryOn?: readonly ('5xx' | 'gateway-error' | 'reset' | 'reset-before-request' | 'connect-failure' | 'envoy-ratelimited' | 'retriable-4xx' | 'refused-stream' | 'retriable-status-codes' | 'retriable-headers' | 'http3-post-connect-failure' | 'cancelled' | 'deadline-exceeded' | 'internal' | 'resource-exhausted' | 'unavailable')[];
}

export interface HTTPProxyService {
  readonly cookieRewritePolicies?: readonly CookieRewritePolicy[];
  readonly healthPort?: number;
  readonly mirror?: boolean;
  readonly name: string;
  readonly port: number;
  readonly protocol?: 'h2' | 'h2c' | 'tls';
  readonly requestHeadersPolicy?: HeadersPolicy;
  readonly responseHeadersPolicy?: HeadersPolicy;
  readonly slowStartPolicy?: SlowStartPolicy;
  readonly validation?: UpstreamValidation;
  readonly weight?: number;
}

export interface SlowStartPolicy {
  readonly aggression?: string;
  readonly minWeightPercent?: number;
  readonly window: string;
}

export interface UpstreamValidation {
  readonly caSecret: string;
  readonly subjectName: string;
  readonly subjectNames?: readonly string[];
}

export interface TimeoutPolicy {
  readonly idle?: string;
  readonly idleConnection?: string;
  readonly response?: string;
}

export interface TCPProxy {
  readonly healthCheckPolicy?: TCPHealthCheckPolicy;
  readonly include?: TCPProxyInclude;
  readonly includes?: TCPProxyInclude;
  readonly loadBalancerPolicy?: LoadBalancerPolicy;
  readonly services?: readonly HTTPProxyService[];
}

export interface TCPHealthCheckPolicy {
  readonly healthyThresholdCount?: number;
  readonly intervalSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly unhealthyThresholdCount?: number;
}

export interface TCPProxyInclude {
  readonly name: string;
  readonly namespace?: string;
}

export interface VirtualHost {
  readonly authorization?: AuthorizationServer;
  readonly corsPolicy?: CORSPolicy;
  readonly fqdn: string;
  readonly ipAllowPolicy?: readonly IPFilterPolicy[];
  readonly ipDenyPolicy?: readonly IPFilterPolicy[];
  readonly jwtProviders?: readonly JWTProvider[];
  readonly rateLimitPolicy?: RateLimitPolicy;
  readonly tls?: TLS;
}

export interface AuthorizationServer {
  readonly authPolicy?: AuthorizationPolicy;
  readonly extensionRef?: ExtensionServiceReference;
  readonly failOpen?: boolean;
  readonly httpSettings?: HTTPAuthorizationServerSettings;
  readonly responseTimeout?: string;
  readonly serviceType?: 'http' | 'grpc';
  readonly withRequestBody?: AuthorizationServerBufferSettings;
}

export interface ExtensionServiceReference {
  readonly apiVersion?: string;
  readonly name?: string;
  readonly namespace?: string;
}

export interface HTTPAuthorizationServerSettings {
  readonly allowedAuthorizationHeaders?: readonly HTTPAuthorizationServerAllowedHeaders[];
  readonly allowedUpstreamHeaders?: readonly HTTPAuthorizationServerAllowedHeaders[];
  readonly pathPrefix?: string;
}

export interface HTTPAuthorizationServerAllowedHeaders {
  readonly contains?: string;
  readonly exact?: string;
  readonly ignoreCase?: boolean;
  readonly prefix?: string;
  readonly suffix?: string;
}

export interface AuthorizationServerBufferSettings {
  readonly allowPartialMessage?: boolean;
  readonly maxRequestBytes?: number;
  readonly packAsBytes?: boolean;
}

export interface CORSPolicy {
  readonly allowCredentials?: boolean;
  readonly allowHeaders?: readonly string[];
  readonly allowMethods: readonly string[];
  readonly allowOrigin: readonly string[];
  readonly allowPrivateNetwork?: boolean;
  readonly exposeHeaders?: readonly string[];
  readonly maxAge?: string;
}

export interface JWTProvider {
  readonly audiences?: readonly string[];
  readonly default?: boolean;
  readonly forwardJWT?: boolean;
  readonly issuer?: string;
  readonly localJWKS?: LocalJWKS;
  readonly name: string;
  readonly remoteJWKS?: RemoteJWKS;
}

export interface LocalJWKS {
  readonly key: string;
  readonly secretName: string;
}

export interface RemoteJWKS {
  readonly cacheDuration?: string;
  readonly dnsLookupFamily?: 'auto' | 'v4' | 'v6';
  readonly timeout?: string;
  readonly uri: string;
  readonly validation?: UpstreamValidation;
}

export interface TLS {
  readonly clientValidation?: DownstreamValidation;
  readonly enableFallbackCertificate?: boolean;
  readonly maximumProtocolVersion?: string;
  readonly minimumProtocolVersion?: string;
  readonly passthrough?: boolean;
  readonly secretName?: string;
}

export interface DownstreamValidation {
  readonly caSecret?: string;
  readonly crlOnlyVerifyLeafCert?: boolean;
  readonly crlSecret?: string;
  readonly forwardClientCertificate?: ClientCertificateDetails;
  readonly optionalClientCertificate?: boolean;
  readonly skipClientCertValidation?: boolean;
}

export interface ClientCertificateDetails {
  readonly cert?: boolean;
  readonly chain?: boolean;
  readonly dns?: boolean;
  readonly subject?: boolean;
  readonly uri?: boolean;
}

export interface DetailedCondition {
  readonly errors?: readonly SubCondition[];
  readonly lastTransitionTime: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly reason: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly type: string;
  readonly warnings?: readonly SubCondition[];
}

export interface SubCondition {
  readonly message: string;
  readonly reason: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly type: string;
}

export interface LoadBalancerStatus {
  readonly ingress?: readonly {
    readonly hostname?: string;
    readonly ip?: string;
    readonly ipMode?: string;
    readonly ports?: readonly {
      readonly error?: string;
      readonly port: number;
      readonly protocol: string;
    }[];
  }[];
}
