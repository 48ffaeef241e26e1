import type { CircuitBreakers, DnsLookupFamily } from '../../config/config.ts';
import type { HeadersPolicy } from './headers.ts';
import type { CookieRewrite } from './host-policies.ts';
import type { Origin } from './origin.ts';

/** How Isoline speaks to an upstream. `undefined` is HTTP/1.1 in the clear. */
export type UpstreamProtocol = 'h2' | 'h2c' | 'tls';

export type LoadBalancerPolicy = 'RoundRobin' | 'WeightedLeastRequest' | 'Random' | 'Cookie' | 'RequestHash';

/** Whom to trust as an upstream. */
export interface UpstreamValidation {
  /** PEM of one or more CA certificates. */
  readonly caCertificates: string;
  /** Names of which the upstream's certificate must have one (DNS subject alternative names); `*.suffix` is any name one label longer. */
  readonly subjectNames: readonly string[];
  /** URIs that will do as well. Never empty. */
  readonly subjectUris?: readonly string[];
  readonly origin: Origin;
}

/**
 * The port of a Service that requests go to. All clusters on one port share its endpoints.
 * `portName` selects the EndpointSlice ports; `''` is an unnamed port and matches every slice port.
 */
export interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  readonly portName: string;
  /** Set for a Service of type ExternalName: the DNS name, resolved by Envoy. */
  readonly externalName?: string;
  /** The name of the Service port that active health checks go to, when it is another one. */
  readonly healthPortName?: string;
  /** The number of that port: for an ExternalName Service, which has no EndpointSlices to look it up in. */
  readonly healthPort?: number;
}

/** Thresholds and times of active health checks. @see reference §8.6 */
interface HealthCheckBase {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly unhealthyThreshold: number;
  readonly healthyThreshold: number;
}

/** How Envoy finds out by itself whether an endpoint is well. */
export type HealthCheck =
  | (HealthCheckBase & {
      readonly type: 'http';
      readonly path: string;
      readonly host: string;
      /** Half-open ranges of good answers; empty: 200. */
      readonly expectedStatuses: readonly { readonly start: number; readonly end: number }[];
    })
  /** Tries to connect. */
  | (HealthCheckBase & { readonly type: 'tcp' });

/** An endpoint that has just become ready gets its share of requests little by little. */
export interface SlowStart {
  readonly windowMs: number;
  /** The bend of the ramp: above 1 the share grows fast at first. */
  readonly aggression: number;
  /** The share at the start, 0 to 100. */
  readonly minWeightPercent: number;
}

/**
 * An upstream with all settings that make it one Envoy cluster. Two clusters whose fields (the origin and
 * weight apart, which live elsewhere) are equal become one Envoy cluster.
 */
export interface Cluster {
  readonly service: ServicePort;
  /** Set for the upstream of no Service, such as the server of a key set: the scheme that `service.externalName` is spoken to by. */
  readonly dnsScheme?: 'http' | 'https';
  readonly protocol?: UpstreamProtocol;
  readonly loadBalancerPolicy: LoadBalancerPolicy;
  readonly circuitBreakers: CircuitBreakers;
  readonly healthCheck?: HealthCheck;
  /** Only with RoundRobin and WeightedLeastRequest. */
  readonly slowStart?: SlowStart;
  readonly upstreamValidation?: UpstreamValidation;
  /** SNI to send upstream. */
  readonly sni?: string;
  /** The Envoy client certificate, presented to TLS upstreams. */
  readonly clientCertificate?: SecretNode;
  readonly dnsLookupFamily?: DnsLookupFamily;
  readonly connectTimeoutMs?: number;
  readonly idleConnectionTimeoutMs?: number | 'disabled';
  readonly maxRequestsPerConnection?: number;
  readonly perConnectionBufferLimitBytes?: number;
  /** Whether a route changes the cookies of its responses. */
  readonly rewritesCookies?: boolean;
  /** Whether a route has its redirects followed. */
  readonly followsRedirects?: boolean;
  readonly origin: Origin;
}

/** A cluster with its share of a route's requests. */
export interface WeightedCluster {
  readonly cluster: Cluster;
  /** At least 0; shares are relative to the sum over a route. When all are 0, all count 1 (HTTPProxy). */
  readonly weight: number;
  readonly requestHeaders?: HeadersPolicy;
  readonly responseHeaders?: HeadersPolicy;
  /** Those of its route included. Never empty. */
  readonly cookieRewrites?: readonly CookieRewrite[];
}

/** A serving or client certificate that was checked: it becomes an SDS resource. */
export interface SecretNode {
  readonly namespace: string;
  readonly name: string;
  /** PEM of the chain, leaf first. */
  readonly certificate: string;
  /** PEM of the one private key. Never printed: dumps redact it. */
  readonly privateKey: string;
  /** The DNS names of the leaf, as spelled there, and the kind of its key: by them Envoy chooses among several. Absent: not known. */
  readonly dnsNames?: readonly string[];
  readonly keyType?: string;
  /** True where clients make Envoy ask for certificates by server names: no server name may be the name of this one. */
  readonly sealed?: true;
  readonly origin: Origin;
}
