import type { CircuitBreakers, Config } from '../../config/config.ts';
import type { Reader } from '../../kubernetes-cache/reader.ts';
import type { Outcome } from '../../util/outcome.ts';
import { fail, ok } from '../../util/outcome.ts';
import type {
  Cluster,
  HealthCheck,
  LoadBalancerPolicy,
  SecretNode,
  SlowStart,
  UpstreamProtocol,
  UpstreamValidation,
} from '../model/cluster.ts';
import type { Origin } from '../model/origin.ts';
import { tlsSecret } from './secret.ts';
import type { ResolvedService } from './service.ts';

/** What a route adds to a Service to make a cluster of it. */
export interface ClusterSettings {
  readonly origin: Origin;
  /** Overrides what the Service says of itself. */
  readonly protocol?: UpstreamProtocol | undefined;
  /** Default `RoundRobin`. */
  readonly loadBalancerPolicy?: LoadBalancerPolicy | undefined;
  readonly healthCheck?: HealthCheck | undefined;
  readonly slowStart?: SlowStart | undefined;
  /** Only kept where the protocol is `tls` or `h2`. */
  readonly upstreamValidation?: UpstreamValidation | undefined;
  /** Default: the DNS name of an ExternalName Service. Only kept where the protocol is `tls` or `h2`. */
  readonly sni?: string | undefined;
  /** Only kept where the protocol is `tls` or `h2`. */
  readonly clientCertificate?: SecretNode | undefined;
  readonly idleConnectionTimeoutMs?: number | 'disabled' | undefined;
  /** Whether a route changes the cookies of its responses. Default false. */
  readonly rewritesCookies?: boolean;
  /** Whether a route has its redirects followed. Default false. */
  readonly followsRedirects?: boolean;
  /** Whether the limits of the configuration stand in for those that the Service lacks. Default true. */
  readonly defaultCircuitBreakers?: boolean;
}

/** The cluster of a Service's port, with the settings of the route, the Service and the configuration, in this order. */
export function serviceCluster(resolved: ResolvedService, settings: ClusterSettings, config: Config): Cluster {
  const protocol = settings.protocol ?? resolved.protocol;
  const { externalName } = resolved.service;
  const { connectTimeoutMs, maxRequestsPerConnection, perConnectionBufferLimitBytes } = config.cluster;
  const { idleConnectionTimeoutMs, healthCheck, slowStart } = settings;
  return {
    service: resolved.service,
    ...(protocol !== undefined && { protocol }),
    loadBalancerPolicy: settings.loadBalancerPolicy ?? 'RoundRobin',
    circuitBreakers: limitsOf(resolved, settings, config),
    ...(healthCheck !== undefined && { healthCheck }),
    ...(slowStart !== undefined && { slowStart }),
    ...upstreamTls(protocol, externalName, settings),
    ...(externalName !== undefined && { dnsLookupFamily: config.cluster.dnsLookupFamily }),
    connectTimeoutMs,
    ...(idleConnectionTimeoutMs !== undefined && { idleConnectionTimeoutMs }),
    ...(maxRequestsPerConnection !== undefined && { maxRequestsPerConnection }),
    ...(perConnectionBufferLimitBytes !== undefined && { perConnectionBufferLimitBytes }),
    ...(settings.rewritesCookies === true && { rewritesCookies: true }),
    ...(settings.followsRedirects === true && { followsRedirects: true }),
    origin: settings.origin,
  };
}

function limitsOf(resolved: ResolvedService, settings: ClusterSettings, config: Config): CircuitBreakers {
  if (settings.defaultCircuitBreakers === false) return resolved.circuitBreakers;
  return { ...config.cluster.circuitBreakers, ...resolved.circuitBreakers };
}

type UpstreamTlsFields = Pick<Cluster, 'upstreamValidation' | 'sni' | 'clientCertificate'>;

function upstreamTls(
  protocol: UpstreamProtocol | undefined,
  externalName: string | undefined,
  { upstreamValidation, clientCertificate, sni = externalName }: ClusterSettings,
): UpstreamTlsFields {
  if (protocol !== 'tls' && protocol !== 'h2') return {};
  return {
    ...(upstreamValidation !== undefined && { upstreamValidation }),
    ...(sni !== undefined && { sni }),
    ...(clientCertificate !== undefined && { clientCertificate }),
  };
}

/**
 * The certificate that Envoy shows to TLS upstreams, if one is configured. An administrator chose it, so it needs no
 * delegation. The problem names the setting and the Secret.
 */
export function clientCertificate(reader: Reader, config: Config): Outcome<SecretNode | undefined> {
  const ref = config.clientCertificate;
  if (ref === undefined) return ok(undefined);
  const origin: Origin = { kind: 'Secret', namespace: ref.namespace, name: ref.name, path: '' };
  const secret = tlsSecret(reader, ref, origin, config);
  if (secret.ok) return ok(secret.value.node);
  const { type, reason, message } = secret.problem;
  return fail(type, reason, `tls.envoy-client-certificate Secret "${ref.namespace}/${ref.name}" is invalid: ${message}`);
}
