import type { KubeObject } from '../../meta.ts';
import type { CircuitBreakerPolicy } from './extension-service.ts';
import type { AuthorizationServer, DetailedCondition, GlobalRateLimitPolicy } from '../v1/httpproxy.ts';

export interface ContourConfiguration extends KubeObject {
  readonly kind: 'ContourConfiguration';
  readonly spec: ContourConfigurationSpec;
  readonly status?: ContourConfigurationStatus;
}

export interface ContourConfigurationSpec {
  readonly debug?: {
    readonly address?: string;
    readonly port?: number;
  };
  readonly enableExternalNameService?: boolean;
  readonly envoy?: {
    readonly clientCertificate?: {
      readonly name: string;
      readonly namespace: string;
    };
    readonly cluster?: {
      readonly circuitBreakers?: CircuitBreakerPolicy;
      readonly dnsLookupFamily?: string;
      readonly maxRequestsPerConnection?: number;
      readonly 'per-connection-buffer-limit-bytes'?: number;
      readonly upstreamTLS?: {
        readonly cipherSuites?: readonly string[];
        readonly ecdhCurves?: readonly string[];
        readonly maximumProtocolVersion?: string;
        readonly minimumProtocolVersion?: string;
      };
    };
    readonly defaultHTTPVersions?: readonly string[];
    readonly health?: {
      readonly address?: string;
      readonly port?: number;
    };
    readonly http?: {
      readonly accessLog?: string;
      readonly address?: string;
      readonly port?: number;
    };
    readonly https?: {
      readonly accessLog?: string;
      readonly address?: string;
      readonly port?: number;
    };
    readonly listener?: {
      readonly compression?: {
        readonly algorithm?: 'gzip' | 'brotli' | 'zstd' | 'disabled';
      };
      readonly connectionBalancer?: string;
      readonly disableAllowChunkedLength?: boolean;
      readonly disableMergeSlashes?: boolean;
      readonly httpMaxConcurrentStreams?: number;
      readonly maxConnectionsPerListener?: number;
      readonly maxConnectionsToAcceptPerSocketEvent?: number;
      readonly maxRequestsPerConnection?: number;
      readonly maxRequestsPerIOCycle?: number;
      readonly 'per-connection-buffer-limit-bytes'?: number;
      readonly serverHeaderTransformation?: string;
      readonly socketOptions?: {
        readonly tos?: number;
        readonly trafficClass?: number;
      };
      readonly tls?: {
        readonly cipherSuites?: readonly string[];
        readonly ecdhCurves?: readonly string[];
        readonly fingerprint?: {
          readonly ja3?: boolean;
          readonly ja4?: boolean;
        };
        readonly maximumProtocolVersion?: string;
        readonly minimumProtocolVersion?: string;
      };
      readonly useProxyProtocol?: boolean;
    };
    readonly logging?: {
      readonly accessLogFormat?: string;
      readonly accessLogFormatString?: string;
      readonly accessLogJSONFields?: readonly string[];
      readonly accessLogLevel?: string;
    };
    readonly metrics?: {
      readonly address?: string;
      readonly port?: number;
      readonly tls?: {
        readonly caFile?: string;
        readonly certFile?: string;
        readonly keyFile?: string;
      };
    };
    readonly network?: {
      readonly adminPort?: number;
      readonly numTrustedHops?: number;
      readonly stripTrailingHostDot?: boolean;
    };
    readonly omEnforcedHealth?: {
      readonly address?: string;
      readonly port?: number;
    };
    readonly runtimeSettings?: Readonly<Record<string, string>>;
    readonly service?: {
      readonly name: string;
      readonly namespace: string;
    };
    readonly timeouts?: {
      readonly connectTimeout?: string;
      readonly connectionIdleTimeout?: string;
      readonly connectionShutdownGracePeriod?: string;
      readonly delayedCloseTimeout?: string;
      readonly maxConnectionDuration?: string;
      readonly requestTimeout?: string;
      readonly streamIdleTimeout?: string;
    };
  };
  readonly featureFlags?: readonly string[];
  readonly gateway?: {
    readonly gatewayRef: {
      readonly name: string;
      readonly namespace: string;
    };
  };
  readonly globalExtAuth?: AuthorizationServer;
  readonly health?: {
    readonly address?: string;
    readonly port?: number;
  };
  readonly httpproxy?: {
    readonly disablePermitInsecure?: boolean;
    readonly fallbackCertificate?: {
      readonly name: string;
      readonly namespace: string;
    };
    readonly rootNamespaces?: readonly string[];
  };
  readonly ingress?: {
    readonly classNames?: readonly string[];
    readonly statusAddress?: string;
  };
  readonly metrics?: {
    readonly address?: string;
    readonly port?: number;
    readonly tls?: {
      readonly caFile?: string;
      readonly certFile?: string;
      readonly keyFile?: string;
    };
  };
  readonly policy?: {
    readonly applyToIngress?: boolean;
    readonly requestHeaders?: {
      readonly remove?: readonly string[];
      readonly set?: Readonly<Record<string, string>>;
    };
    readonly responseHeaders?: {
      readonly remove?: readonly string[];
      readonly set?: Readonly<Record<string, string>>;
    };
  };
  readonly rateLimitService?: {
    readonly defaultGlobalRateLimitPolicy?: GlobalRateLimitPolicy;
    readonly domain?: string;
    readonly enableResourceExhaustedCode?: boolean;
    readonly enableXRateLimitHeaders?: boolean;
    readonly extensionService: {
      readonly name: string;
      readonly namespace: string;
    };
    readonly failOpen?: boolean;
  };
  readonly tracing?: {
    readonly clientSampling?: string;
    readonly customTags?: readonly {
      readonly literal?: string;
      readonly requestHeaderName?: string;
      readonly tagName: string;
    }[];
    readonly extensionService: {
      readonly name: string;
      readonly namespace: string;
    };
    readonly includePodDetail?: boolean;
    readonly maxPathTagLength?: number;
    readonly overallSampling?: string;
    readonly randomSampling?: string;
    readonly serviceName?: string;
  };
  readonly xdsServer?: {
    readonly address?: string;
    readonly port?: number;
    readonly tls?: {
      readonly caFile?: string;
      readonly certFile?: string;
      readonly insecure?: boolean;
      readonly keyFile?: string;
    };
  };
}

export interface ContourConfigurationStatus {
  readonly conditions?: readonly DetailedCondition[];
}
