import type { RemoteJWKS } from '../../apis/projectcontour/v1/httpproxy.ts';
import type { Config } from '../../config/config.ts';
import { parseGoDuration } from '../../k8s/duration.ts';
import type { Reader } from '../../kubernetes-cache/reader.ts';
import { errorMessage } from '../../util/error-text.ts';
import { fail, type Outcome, ok } from '../../util/outcome.ts';
import type { Cluster, UpstreamValidation } from '../model/cluster.ts';
import type { RemoteKeySet } from '../model/jwt.ts';
import type { Origin } from '../model/origin.ts';
import { upstreamValidation } from './upstream-validation.ts';

interface Server {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}

/** Where a key set is fetched. `field` stands before what is wrong. Problems are `JWTVerificationError`s. @see reference 3.6 */
export function remoteKeySet(
  { reader, config }: { readonly reader: Reader; readonly config: Config },
  jwks: RemoteJWKS,
  { field, origin }: { readonly field: string; readonly origin: Origin },
): Outcome<RemoteKeySet> {
  const server = serverOf(jwks.uri, field);
  if (!server.ok) return server;
  const validation = validationOf(reader, { server: server.value, jwks, field, origin });
  if (!validation.ok) return validation;
  const timeout = durationOf(jwks.timeout, { reason: 'RemoteJWKSTimeoutInvalid', field: `${field}.Timeout`, leastMs: 0 });
  if (!timeout.ok) return timeout;
  const cache = durationOf(jwks.cacheDuration, { reason: 'RemoteJWKSCacheDurationInvalid', field: `${field}.CacheDuration`, leastMs: 1 });
  if (!cache.ok) return cache;
  const family = jwks.dnsLookupFamily || undefined;
  // The schema has three of them; Contour's code takes `all` too.
  if (family !== undefined && !['auto', 'v4', 'v6', 'all'].includes(family)) {
    const message = `${field}.DNSLookupFamily "${String(family)}" is invalid: it must be auto, all, v4 or v6`;
    return invalid('RemoteJWKSDNSLookupFamilyInvalid', message);
  }
  const settings = { ...(validation.value && { upstreamValidation: validation.value }), ...(family && { dnsLookupFamily: family }) };
  return ok({
    type: 'remote',
    uri: jwks.uri,
    cluster: { ...clusterOf(server.value, config, origin), ...settings },
    timeoutMs: timeout.value ?? 1000,
    ...(cache.value !== undefined && { cacheDurationMs: cache.value }),
  });
}

function invalid(reason: string, message: string): Outcome<never> {
  return fail('JWTVerificationError', reason, message);
}

const uriPattern = /^([a-z][a-z0-9+.-]*):\/\/([a-z0-9._~-]+|\[[0-9a-f:.]+\])(?::(\d+))?(?:[/?][\x21-\x7e]*)?$/i;

function serverOf(uri: string, field: string): Outcome<Server> {
  const found = uriPattern.exec(uri);
  if (found === null) return invalid('RemoteJWKSURIInvalid', `${field}.URI "${uri}" is invalid: it is no http or https URI`);
  const scheme = found[1]!.toLowerCase();
  if (scheme !== 'http' && scheme !== 'https') {
    return invalid('RemoteJWKSSchemeInvalid', `${field}.URI "${uri}" has invalid scheme "${scheme}", must be http or https`);
  }
  const port = found[3] === undefined ? (scheme === 'https' ? 443 : 80) : Number(found[3]);
  if (port < 1 || port > 65_535) {
    return invalid('RemoteJWKSPortInvalid', `${field}.URI "${uri}" has invalid port ${port}, must be in the range 1-65535`);
  }
  return ok({ scheme, host: found[2]!.replace(/^\[|\]$/g, ''), port });
}

interface ValidationInput {
  readonly server: Server;
  readonly jwks: RemoteJWKS;
  readonly field: string;
  readonly origin: Origin;
}

function validationOf(reader: Reader, { server, jwks, field, origin }: ValidationInput): Outcome<UpstreamValidation | undefined> {
  if (jwks.validation === undefined) return ok(undefined);
  const reason = 'RemoteJWKSUpstreamValidationInvalid';
  if (server.scheme !== 'https') return invalid(reason, `${field}.UpstreamValidation must not be specified when URI scheme is http`);
  const found = upstreamValidation(reader, jwks.validation, origin);
  if (found.ok) return found;
  const { problem } = found;
  const delegated = problem.reason !== 'CACertificateNotDelegated';
  return invalid(delegated ? reason : 'RemoteJWKSCACertificateNotDelegated', `${field}.UpstreamValidation is invalid: ${problem.message}`);
}

/** What Envoy takes for a duration (tried with 1.40): more than a hundred years are refused with the whole listener. */
const mostMs = 100 * 365 * 24 * 3_600_000;

interface DurationField {
  readonly reason: string;
  readonly field: string;
  readonly leastMs: number;
}

function durationOf(text: string | undefined, { reason, field, leastMs }: DurationField): Outcome<number | undefined> {
  if (!text) return ok(undefined);
  try {
    const ms = parseGoDuration(text);
    if (ms >= leastMs && ms <= mostMs) return ok(ms);
    return invalid(reason, `${field} "${text}" is invalid: it must be from ${leastMs}ms to 876000h`);
  } catch (error) {
    return invalid(reason, `${field} "${text}" is invalid: ${errorMessage(error)}`);
  }
}

function clusterOf({ scheme, host, port }: Server, config: Config, origin: Origin): Cluster {
  return {
    service: { namespace: '', name: '', port, portName: '', externalName: host },
    dnsScheme: scheme,
    ...(scheme === 'https' && { protocol: 'tls', sni: host }),
    loadBalancerPolicy: 'RoundRobin',
    circuitBreakers: {},
    connectTimeoutMs: config.cluster.connectTimeoutMs,
    origin,
  };
}
