import type { HTTPProxyService } from '../../../apis/projectcontour/v1/httpproxy.ts';
import { fail, type Outcome, ok } from '../../../util/outcome.ts';
import type { UpstreamProtocol, UpstreamValidation, WeightedCluster } from '../../model/cluster.ts';
import type { HeadersPolicy } from '../../model/headers.ts';
import { clientCertificate, serviceCluster } from '../../policy/cluster.ts';
import { cookieRewrites, mergeCookieRewrites } from '../../policy/cookie-rewrite.ts';
import { headersPolicy, withHeaderDefaults } from '../../policy/headers.ts';
import { type ResolvedService, resolveService } from '../../policy/service.ts';
import { slowStartOf } from '../../policy/slow-start.ts';
import { upstreamValidation } from '../../policy/upstream-validation.ts';
import { originOf, problem, type RootBuild, type Visit } from './build.ts';
import type { RouteContext } from './route-context.ts';
import type { RouteSettings } from './route-settings.ts';
import { uselessServiceFields } from './useless-fields.ts';

/**
 * One service of a route. `undefined` is a Service that cannot be found or used, which is recorded and leaves the
 * rest of the route alone; a problem is the end of the whole proxy's routes.
 */
export function processService(
  context: RouteContext,
  settings: RouteSettings,
  service: HTTPProxyService,
  index: number,
): Outcome<WeightedCluster | undefined> {
  const { build, visit } = context;
  const path = `${context.path}.services[${index}]`;
  const resolved = resolve(build, visit, service, { field: 'Spec.Routes', checked: settings.healthCheck !== undefined });
  if (!resolved.ok) {
    if (resolved.problem.reason !== 'ServiceUnresolvedReference') return resolved;
    visit.errors.push(resolved.problem);
    return ok(undefined);
  }
  const upstream = upstreamTls(build, visit, { service, resolved: resolved.value, path });
  if (!upstream.ok) return upstream;
  const headers = serviceHeaders(context, service, path);
  if (!headers.ok) return headers;
  const cookies = cookieRewrites(service.cookieRewritePolicies, 'service');
  if (!cookies.ok) return cookies;
  const slowStart = service.slowStartPolicy && slowStartOf(service.slowStartPolicy, settings.loadBalancing.policy, path);
  if (slowStart?.ok === false) return slowStart;

  const useless = uselessServiceFields(service, { path, protocol: upstream.value.protocol, checked: settings.healthCheck !== undefined });
  visit.warnings.push(...useless);
  const cluster = serviceCluster(
    resolved.value,
    {
      origin: originOf(visit.proxy, path),
      ...upstream.value,
      loadBalancerPolicy: settings.loadBalancing.policy,
      healthCheck: settings.healthCheck,
      slowStart: slowStart?.value,
      sni: serverName(headers.value.requestHeaders?.hostRewrite ?? settings.requestHeaders?.hostRewrite),
      idleConnectionTimeoutMs: settings.timeouts.idleConnection,
      rewritesCookies: settings.cookies.length + cookies.value.length > 0,
      followsRedirects: context.route.internalRedirectPolicy !== undefined,
    },
    build.config,
  );
  const rewrites = cookies.value.length > 0 && { cookieRewrites: mergeCookieRewrites(settings.cookies, cookies.value) };
  return ok({ cluster, weight: service.weight ?? 0, ...headers.value, ...rewrites });
}

/** Finds the Service; the problem names the field that the services are in. */
export function resolve(
  build: RootBuild,
  { namespace }: Visit,
  service: HTTPProxyService,
  {
    field,
    checked,
  }: { readonly field: 'Spec.Routes' | 'Spec.TCPProxy' /** Whether there are health checks. */; readonly checked: boolean },
): Outcome<ResolvedService> {
  const { name, port } = service;
  const healthPort = checked ? service.healthPort : undefined;
  if (port < 1 || port > 65535) {
    return fail('ServiceError', 'ServicePortInvalid', `service "${name}": port must be in the range 1-65535`);
  }
  const resolved = resolveService(build.reader, build.config, { namespace, name, port, healthPort });
  if (resolved.ok) return resolved;
  const { type, reason, message } = resolved.problem;
  return fail(type, reason, `${field} unresolved service reference: ${message}`);
}

interface ServiceHeaders {
  readonly requestHeaders?: HeadersPolicy;
  readonly responseHeaders?: HeadersPolicy;
}

function serviceHeaders({ build, visit }: RouteContext, service: HTTPProxyService, path: string): Outcome<ServiceHeaders> {
  const variables = {
    CONTOUR_NAMESPACE: visit.namespace,
    CONTOUR_SERVICE_NAME: service.name,
    CONTOUR_SERVICE_PORT: String(service.port),
  };
  const { policy } = build.config;
  const own = headersPolicy(service.requestHeadersPolicy, { host: 'literal-or-header', variables });
  const request = own.ok ? withHeaderDefaults(own.value, policy?.requestHeaders, variables) : own;
  if (!request.ok) return fail('ServiceError', 'RequestHeadersPolicyInvalid', `${request.problem.message} on request headers`);
  const ownResponse = headersPolicy(service.responseHeadersPolicy, { host: 'refused', variables });
  const response = ownResponse.ok ? withHeaderDefaults(ownResponse.value, policy?.responseHeaders, variables) : ownResponse;
  if (!response.ok) return fail('ServiceError', 'ResponseHeadersPolicyInvalid', `${response.problem.message} on response headers`);
  return ok({
    ...(request.value !== undefined && { requestHeaders: withoutHostHeader(request.value, visit, path) }),
    ...(response.value !== undefined && { responseHeaders: response.value }),
  });
}

/** Envoy can take the host from a header for a whole route only. */
function withoutHostHeader(policy: HeadersPolicy, visit: Visit, path: string): HeadersPolicy {
  if (policy.hostRewriteHeader === undefined) return policy;
  const message = `${path}.requestHeadersPolicy: a Host from another header works on the route only and has no effect here`;
  visit.warnings.push(problem('SpecError', 'IgnoredField', message));
  const { hostRewriteHeader: _, ...rest } = policy;
  return rest;
}

/** A host as a server name: without its port. */
function serverName(host: string | undefined): string | undefined {
  return host?.replace(/:\d+$/, '');
}

interface UpstreamTls {
  readonly protocol?: UpstreamProtocol | undefined;
  readonly upstreamValidation?: UpstreamValidation | undefined;
  readonly clientCertificate?: WeightedCluster['cluster']['clientCertificate'];
}

/** What makes the way to a service safe: the protocol, whom to trust, what to show. Only TLS needs the last two. */
export function upstreamTls(
  { reader, config }: RootBuild,
  { proxy }: Visit,
  { service, resolved, path }: { service: HTTPProxyService; resolved: ResolvedService; path: string },
): Outcome<UpstreamTls> {
  const protocol = service.protocol ?? resolved.protocol;
  if (protocol !== undefined && protocol !== 'h2' && protocol !== 'h2c' && protocol !== 'tls') {
    return fail('ServiceError', 'UnsupportedProtocol', `unsupported protocol: ${String(protocol)}`);
  }
  if (protocol !== 'tls' && protocol !== 'h2') return ok({ protocol });
  const certificate = clientCertificate(reader, config);
  if (!certificate.ok) return certificate;
  const shown = certificate.value === undefined ? {} : { clientCertificate: certificate.value };
  if (service.validation === undefined) return ok({ protocol, ...shown });

  const validation = upstreamValidation(reader, service.validation, originOf(proxy, `${path}.validation`));
  if (validation.ok) return ok({ protocol, ...shown, upstreamValidation: validation.value });
  const { type, reason, message } = validation.problem;
  if (reason !== 'TLSUpstreamValidation') return validation;
  return fail(type, reason, `Service [${service.name}:${service.port}] TLS upstream validation policy error: ${message}`);
}
