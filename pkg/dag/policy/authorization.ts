import type { AuthorizationServer, HTTPAuthorizationServerAllowedHeaders } from '../../apis/projectcontour/v1/authorization.ts';
import type { Config, HttpAuthSettings, NamespacedName, TimeoutSetting } from '../../config/config.ts';
import type { Reader } from '../../kubernetes-cache/reader.ts';
import { errorMessage } from '../../util/error-text.ts';
import { fail, type Outcome, ok } from '../../util/outcome.ts';
import type { ExtensionTarget, ExternalAuthorization, ListenerGuards, RouteAuthorization } from '../model/guards.ts';
import { extensionTarget } from './extension-service.ts';
import { parseTimeout } from './timeout.ts';

const extensionVersion = 'projectcontour.io/v1alpha1';

/** The ExtensionService that a virtual host names for its authorization; `undefined`: it names none. */
export function ownAuthorizationRef(authorization: AuthorizationServer | undefined, namespace: string): NamespacedName | undefined {
  const ref = authorization?.extensionRef;
  return ref?.name ? { namespace: ref.namespace || namespace, name: ref.name } : undefined;
}

/** The authorization of a virtual host by an ExtensionService of its own. Problems are `AuthError`s. @see reference 3.3 */
export function ownAuthorization(
  reader: Reader,
  config: Config,
  server: AuthorizationServer,
  namespace: string,
): Outcome<ExternalAuthorization | undefined> {
  const ref = ownAuthorizationRef(server, namespace);
  if (ref === undefined) return ok(undefined);
  const apiVersion = server.extensionRef?.apiVersion ?? extensionVersion;
  if (apiVersion !== extensionVersion) {
    const message = `Spec.Virtualhost.Authorization.ServiceRef specifies an unsupported resource version "${apiVersion}"`;
    return fail('AuthError', 'AuthBadResourceVersion', message);
  }
  const target = extensionTarget(reader, config, ref);
  if (!target.ok) {
    return fail('AuthError', 'ExtensionServiceNotFound', `Spec.Virtualhost.Authorization.ServiceRef ${target.problem.message}`);
  }
  const timeout = responseTimeout(server.responseTimeout);
  if (!timeout.ok) return timeout;
  return serverSettings(server, withTimeout(target.value, timeout.value));
}

/** Envoy counts in 32 bits. */
const maxBodyBytes = 2 ** 32 - 1;

function serverSettings(server: AuthorizationServer, target: ExtensionTarget): Outcome<ExternalAuthorization> {
  const { serviceType = 'grpc', withRequestBody, failOpen = false } = server;
  if (serviceType === 'http' && Object.keys(server.authPolicy?.context ?? {}).length > 0) {
    const message = 'Spec.Virtualhost.Authorization.AuthPolicy.Context cannot be used with service type http';
    return fail('AuthError', 'AuthContextForHTTP', message);
  }
  const { maxRequestBytes = 0 } = withRequestBody ?? {};
  if (!(maxRequestBytes >= 0 && maxRequestBytes <= maxBodyBytes)) {
    const message = `Spec.Virtualhost.Authorization.WithRequestBody.MaxRequestBytes is ${maxRequestBytes} and must be from 1 to ${maxBodyBytes}`;
    return fail('AuthError', 'AuthRequestBodyInvalid', message);
  }
  const http = serviceType === 'http' ? httpSettings(server) : ok(undefined);
  if (!http.ok) return http;
  return ok({
    target,
    serviceType,
    ...(http.value !== undefined && { http: http.value }),
    failOpen,
    ...(withRequestBody !== undefined && {
      requestBody: {
        maxRequestBytes: maxRequestBytes || 1024,
        allowPartialMessage: withRequestBody.allowPartialMessage ?? false,
        packAsBytes: withRequestBody.packAsBytes ?? false,
      },
    }),
  });
}

function responseTimeout(text = ''): Outcome<TimeoutSetting> {
  try {
    return ok(parseTimeout(text));
  } catch (error) {
    return fail(
      'AuthError',
      'AuthResponseTimeoutInvalid',
      `Spec.Virtualhost.Authorization.ResponseTimeout is invalid: ${errorMessage(error)}`,
    );
  }
}

function withTimeout(target: ExtensionTarget, timeoutMs: TimeoutSetting): ExtensionTarget {
  return timeoutMs === undefined ? target : { ...target, timeoutMs };
}

function httpSettings({ httpSettings: given = {} }: AuthorizationServer): Outcome<HttpAuthSettings> {
  const { pathPrefix = '', allowedAuthorizationHeaders = [], allowedUpstreamHeaders = [] } = given;
  const field = 'Spec.Virtualhost.Authorization.HttpSettings';
  if (pathPrefix !== '' && !pathPrefix.startsWith('/')) {
    return fail('AuthError', 'AuthBadPathPrefix', `${field}.PathPrefix "${pathPrefix}" must start with /`);
  }
  const lists = { allowedAuthorizationHeaders, allowedUpstreamHeaders };
  for (const [name, rules] of Object.entries(lists)) {
    const index = rules.findIndex((rule) => operatorsOf(rule) !== 1);
    if (index < 0) continue;
    const message = `${field}.${name}[${index}] must set exactly one of exact, prefix, suffix and contains`;
    return fail('AuthError', 'AuthBadAllowedHeader', message);
  }
  return ok({ pathPrefix, ...lists });
}

function operatorsOf({ exact, prefix, suffix, contains }: HTTPAuthorizationServerAllowedHeaders): number {
  return [exact, prefix, suffix, contains].filter(Boolean).length;
}

/**
 * What holds for every request to a listener, by the configuration. A service that cannot be asked is named all the same: then the answer
 * is an error, and not that nobody asks.
 */
export function listenerGuards(reader: Reader, config: Config): { readonly guards?: ListenerGuards } {
  const authorization = globalAuthorization(reader, config);
  const rateLimit = config.rateLimitService && {
    target: targetOr(reader, config, config.rateLimitService.extensionService),
    domain: config.rateLimitService.domain,
    failOpen: config.rateLimitService.failOpen,
    enableXRateLimitHeaders: config.rateLimitService.enableXRateLimitHeaders,
    enableResourceExhaustedCode: config.rateLimitService.enableResourceExhaustedCode,
  };
  if (authorization === undefined && rateLimit === undefined) return {};
  return { guards: { ...(authorization && { authorization }), ...(rateLimit && { rateLimit }) } };
}

function globalAuthorization(reader: Reader, config: Config): ExternalAuthorization | undefined {
  const global = config.globalExtAuth;
  if (global === undefined) return undefined;
  const { serviceType, httpSettings: http, failOpen, withRequestBody, responseTimeoutMs } = global;
  const settings = http ?? { pathPrefix: '', allowedAuthorizationHeaders: [], allowedUpstreamHeaders: [] };
  return {
    target: withTimeout(targetOr(reader, config, global.extensionService), responseTimeoutMs),
    serviceType,
    ...(serviceType === 'http' && { http: settings }),
    failOpen,
    ...(withRequestBody !== undefined && { requestBody: withRequestBody }),
  };
}

function targetOr(reader: Reader, config: Config, ref: NamespacedName): ExtensionTarget {
  const found = extensionTarget(reader, config, ref);
  return found.ok ? found.value : { namespace: ref.namespace, name: ref.name };
}

interface AuthorizationPolicy {
  readonly disabled?: boolean;
  readonly context?: Readonly<Record<string, string>>;
}

/** The policy of a virtual host: that of its own stanza, which also stands for what it does not say, else that of the configuration. */
export function hostAuthorizationPolicy(config: Config, server: AuthorizationServer | undefined): AuthorizationPolicy {
  return server === undefined ? (config.globalExtAuth?.authPolicy ?? {}) : (server.authPolicy ?? {});
}

/**
 * What holds for a route; `undefined`: nobody asks. The route's word counts, else the host's, and of the context each key of the route.
 * `own`: whether its host names a server of its own.
 */
export function routeAuthorization(
  config: Config,
  { server, own }: { readonly server: AuthorizationServer | undefined; readonly own: boolean },
  route: AuthorizationPolicy | undefined,
): RouteAuthorization | undefined {
  if (!own && config.globalExtAuth === undefined) return undefined;
  const host = hostAuthorizationPolicy(config, server);
  const disabled = (route ?? host).disabled ?? false;
  if (disabled) return { type: 'disabled' };
  const merged = Object.entries({ ...host.context, ...route?.context }).sort(([a], [b]) => (a < b ? -1 : 1));
  return { type: 'required', by: own ? 'host' : 'listener', context: Object.fromEntries(merged) };
}

/** What holds for the routes of a front end that has no word on authorization: what the configuration says. */
export function defaultRouteAuthorization(config: Config): { readonly authorization?: RouteAuthorization } {
  const authorization = routeAuthorization(config, { server: undefined, own: false }, undefined);
  return authorization === undefined ? {} : { authorization };
}
