import type { HTTPProxyService } from '../../../apis/projectcontour/v1/httpproxy.ts';
import type { Problem } from '../../../util/outcome.ts';
import type { UpstreamProtocol } from '../../model/cluster.ts';
import { problem } from './build.ts';
import type { RouteContext } from './route-context.ts';
import type { RouteSettings } from './route-settings.ts';

/*
 * Fields that are right by themselves and do nothing where they stand. Whoever wrote them expects something of them, so each is told as a
 * warning; it takes nothing from what is served.
 */

/** Fields of a route that count only where requests go on to services. */
const forwardingFields = [
  'timeoutPolicy',
  'retryPolicy',
  'healthCheckPolicy',
  'loadBalancerPolicy',
  'pathRewritePolicy',
  'cookieRewritePolicies',
  'internalRedirectPolicy',
  'enableWebsockets',
] as const;

export function uselessRouteFields({ route, path }: RouteContext, { loadBalancing }: RouteSettings): readonly Problem[] {
  if (route.services?.length) {
    return [...loadBalancing.ignored.map((what) => useless(`${path}.loadBalancerPolicy: ${what}`)), ...uselessRetries(route, path)];
  }
  return forwardingFields
    .filter((field) => route[field] !== undefined && route[field] !== false)
    .map((field) => useless(`${path}.${field} has no effect on a route that forwards to no services`));
}

function uselessRetries({ retryPolicy }: RouteContext['route'], path: string): readonly Problem[] {
  const { retriableStatusCodes = [], retryOn = [], perTryTimeout = '', count } = retryPolicy ?? {};
  const field = `${path}.retryPolicy`;
  const codes = retriableStatusCodes.length > 0 && !retryOn.includes('retriable-status-codes');
  const endless = /^infini(?:ty|te)$/.test(perTryTimeout);
  const off = count !== undefined && count < 0 && (retryOn.length > 0 || retriableStatusCodes.length > 0 || perTryTimeout !== '');
  if (off) return [useless(`${field}: with count ${count} there are no retries, so that nothing else of it has an effect`)];
  return [
    ...(codes ? [useless(`${field}.retriableStatusCodes has no effect: retryOn does not have "retriable-status-codes"`)] : []),
    ...(endless ? [useless(`${field}.perTryTimeout "${perTryTimeout}" has no effect: each try has the time of the whole response`)] : []),
  ];
}

interface ServiceUse {
  /** Such as `spec.routes[0].services[1]`. */
  readonly path: string;
  /** How the service is spoken to. */
  readonly protocol: UpstreamProtocol | undefined;
  /** Whether there are health checks. */
  readonly checked: boolean;
}

export function uselessServiceFields(service: HTTPProxyService, { path, protocol, checked }: ServiceUse): readonly Problem[] {
  const tls = protocol === 'tls' || protocol === 'h2';
  return [
    ...(service.healthPort !== undefined && !checked
      ? [useless(`${path}.healthPort ${service.healthPort} has no effect without a healthCheckPolicy`)]
      : []),
    ...(service.validation !== undefined && !tls
      ? [useless(`${path}.validation has no effect: the service is not spoken to over TLS (protocol "tls" or "h2")`)]
      : []),
  ];
}

/** Fields of a service that count only for requests. */
const requestFields = ['mirror', 'requestHeadersPolicy', 'responseHeadersPolicy', 'cookieRewritePolicies'] as const;

/** What a service of a tcpproxy has that bytes know nothing of. */
export function uselessForBytes(service: HTTPProxyService, path: string): readonly Problem[] {
  return requestFields
    .filter((field) => service[field] !== undefined && service[field] !== false)
    .map((field) => useless(`${path}.${field} has no effect in a tcpproxy, which passes on bytes and no requests`));
}

function useless(message: string): Problem {
  return problem('SpecError', 'IgnoredField', message);
}
