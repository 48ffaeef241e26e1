import type { CircuitBreakers } from '../../config/config.ts';
import type { Cluster, SecretNode } from '../../dag/model/cluster.ts';
import { compareStrings } from '../../util/compare.ts';
import { secretName, serviceClusterName, shortHash } from '../names.ts';

/** @see ContourConfiguration `spec.envoy.timeouts.connectTimeout` */
const defaultConnectTimeoutMs = 2000;

const names = new WeakMap<Cluster, string>();

/** The name of a cluster: of its Service port, and a hash of all its settings. Clusters with equal settings share it. */
export function clusterName(cluster: Cluster): string {
  const known = names.get(cluster);
  if (known !== undefined) return known;
  const name = cluster.dnsScheme
    ? dnsClusterName(cluster, cluster.dnsScheme)
    : serviceClusterName(cluster.service, canonicalSettings(cluster));
  names.set(cluster, name);
  return name;
}

/** `dnsname/<scheme>/<host>`, with the port where it is another one, and a hash of the settings where there are some. */
function dnsClusterName(cluster: Cluster, scheme: 'http' | 'https'): string {
  const { port, externalName } = cluster.service;
  const usual = scheme === 'https' ? 443 : 80;
  const settings = JSON.stringify([cluster.dnsLookupFamily, canonicalValidation(cluster)]);
  return `dnsname/${scheme}/${externalName}${port === usual ? '' : `:${port}`}${settings === '[null,null]' ? '' : `/${shortHash(settings)}`}`;
}

/** The name in statistics, which does not depend on settings: `<namespace>_<service>_<port>`. */
export function clusterStatName(cluster: Cluster): string {
  const { service } = cluster;
  if (cluster.dnsScheme) return clusterName(cluster).replaceAll('/', '_');
  return `${service.namespace}_${service.name}_${service.port}`;
}

/**
 * Every setting of a cluster that is not the default, as text: equal exactly when the settings are. Settings without effect
 * (a client certificate where there is no TLS) are left out. All defaults give `''`, as in Contour, so the common name is the same.
 */
export function canonicalSettings(cluster: Cluster): string {
  const settings: readonly (readonly [string, unknown])[] = [
    ['circuitBreakers', canonicalBreakers(cluster.circuitBreakers)],
    ['clientCertificate', usesTls(cluster) && cluster.clientCertificate ? canonicalCertificate(cluster.clientCertificate) : undefined],
    ['connectTimeoutMs', cluster.connectTimeoutMs === defaultConnectTimeoutMs ? undefined : cluster.connectTimeoutMs],
    ['dnsLookupFamily', cluster.service.externalName === undefined ? undefined : cluster.dnsLookupFamily],
    ['externalName', cluster.service.externalName],
    ['followsRedirects', cluster.followsRedirects],
    ['healthCheck', cluster.healthCheck],
    ['healthPort', cluster.service.healthPort ?? cluster.service.healthPortName],
    ['idleConnectionTimeoutMs', cluster.idleConnectionTimeoutMs],
    ['loadBalancerPolicy', cluster.loadBalancerPolicy === 'RoundRobin' ? undefined : cluster.loadBalancerPolicy],
    ['maxRequestsPerConnection', cluster.maxRequestsPerConnection],
    ['perConnectionBufferLimitBytes', cluster.perConnectionBufferLimitBytes],
    ['protocol', cluster.protocol],
    ['rewritesCookies', cluster.rewritesCookies],
    ['slowStart', cluster.slowStart],
    ['sni', usesTls(cluster) ? cluster.sni : undefined],
    ['validation', usesTls(cluster) ? canonicalValidation(cluster) : undefined],
  ];
  const set = settings.filter(([, value]) => value !== undefined);
  return set.length === 0 ? '' : JSON.stringify(set);
}

/**
 * The content counts: connections that are open keep the certificate that they began with, so a renewed one needs a cluster of its own
 * to reach the upstream at once.
 */
function canonicalCertificate(secret: SecretNode): unknown {
  return [secretName(secret), shortHash(secret.certificate)];
}

/** Whether the upstream is spoken to over TLS. */
export function usesTls(cluster: Cluster): boolean {
  return cluster.protocol === 'tls' || cluster.protocol === 'h2';
}

function canonicalBreakers(breakers: CircuitBreakers): unknown {
  const set = Object.entries(breakers).filter(([, value]) => value !== undefined);
  return set.length === 0 ? undefined : set.sort(([a], [b]) => compareStrings(a, b));
}

function canonicalValidation({ upstreamValidation }: Cluster): unknown {
  if (upstreamValidation === undefined) return undefined;
  const { caCertificates, subjectNames, subjectUris } = upstreamValidation;
  return subjectUris === undefined ? [caCertificates, subjectNames] : [caCertificates, subjectNames, subjectUris];
}
