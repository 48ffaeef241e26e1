import {
  boolean,
  integer,
  list,
  object,
  oneOf,
  oneOfIntegers,
  optional,
  redescribed,
  type Static,
  string,
} from '../../../schema/builder.ts';
import { authorizationPolicySchema } from './authorization.ts';
import { cookieRewritePolicySchema, headersPolicySchema } from './headers-policy.ts';
import { jwtVerificationPolicySchema } from './jwt.ts';
import { matchConditionSchema } from './match-condition.ts';
import { dnsNamePattern } from './patterns.ts';
import { rateLimitPolicySchema } from './rate-limit-policy.ts';
import { serviceSchema } from './service.ts';
import { httpHealthCheckPolicySchema, loadBalancerPolicySchema, retryPolicySchema, timeoutPolicySchema } from './traffic-policy.ts';
import { ipAllowPolicySchema, ipDenyPolicySchema } from './virtual-host.ts';

const replacePrefixSchema = object('A replacement of a prefix.', {
  prefix: optional(
    string('The prefix, joined from all includes, that this entry is for. Default: any that no other entry names.', { minLength: 1 }),
  ),
  replacement: string('What stands in its place.', { minLength: 1 }),
});

const pathRewritePolicySchema = object('Changes the path on its way to the backend.', {
  replacePrefix: optional(
    list(
      'Replaces the prefix that the route matched, one entry for each prefix under which the route is included. The route must match by prefix.',
      replacePrefixSchema,
    ),
  ),
});

const redirectCodes = [301, 302, 303, 307, 308] as const;
const absolutePath = '^\\/.*$';

const requestRedirectPolicySchema = object('Sends the client elsewhere. What is not set stays as it was in the request.', {
  scheme: optional(oneOf('The scheme of the new location.', ['http', 'https'])),
  hostname: optional(string('The host of the new location.', { minLength: 1, maxLength: 253, pattern: dnsNamePattern })),
  port: optional(integer('The port of the new location.', { format: 'int32', minimum: 1, maximum: 65535 })),
  statusCode: optional(oneOfIntegers('The status of the answer.', redirectCodes, { format: 'int32', default: 302 })),
  path: optional(string('The path of the new location, with `/` at its start. Not together with prefix.', { pattern: absolutePath })),
  prefix: optional(
    string('Stands in the new location where the matched prefix was, with `/` at its start. Not together with path.', {
      pattern: absolutePath,
    }),
  ),
});

const directResponsePolicySchema = object('Answers without a backend.', {
  statusCode: integer('The status of the answer.', { minimum: 200, maximum: 599 }),
  body: optional(string('The body of the answer. Default: none.')),
});

const internalRedirectPolicySchema = object('Follows redirects of the backend by itself, so that the client does not see them.', {
  maxInternalRedirects: optional(integer('How many redirects of one request are followed. Default: 1.', { format: 'int32' })),
  redirectResponseCodes: optional(
    list('Which redirects are followed. Default: 302.', oneOfIntegers('A status code.', redirectCodes, { format: 'int32' })),
  ),
  allowCrossSchemeRedirect: optional(
    oneOf(
      'Whether a redirect may change from HTTP to HTTPS or back; `SafeOnly` allows what does not lead from HTTPS to HTTP.',
      ['Always', 'Never', 'SafeOnly'],
      { default: 'Never' },
    ),
  ),
  denyRepeatedRouteRedirect: optional(
    boolean('True: a redirect to a route that was gone through before is sent to the client. Default: false.'),
  ),
});

export const routeSchema = object(
  'What happens to requests that match. Exactly one of services, requestRedirectPolicy and directResponsePolicy must be set.',
  {
    conditions: optional(
      list(
        'Tests that must all hold for a request to match. At most one may be of the path. Default: every request.',
        matchConditionSchema,
      ),
    ),
    services: optional(list('The Services that the requests are shared out to.', serviceSchema)),
    enableWebsockets: optional(boolean('True: requests may be upgraded to WebSocket.')),
    permitInsecure: optional(
      boolean(
        'True: the route is served over plain HTTP too, where the host has TLS. Default: false, such requests are redirected to HTTPS.',
      ),
    ),
    authPolicy: optional(redescribed(authorizationPolicySchema, 'Authorization on this route, on top of what the virtual host says.')),
    timeoutPolicy: optional(timeoutPolicySchema),
    retryPolicy: optional(retryPolicySchema),
    healthCheckPolicy: optional(httpHealthCheckPolicySchema),
    loadBalancerPolicy: optional(loadBalancerPolicySchema),
    pathRewritePolicy: optional(pathRewritePolicySchema),
    requestHeadersPolicy: optional(redescribed(headersPolicySchema, 'Changes to the headers of requests, before those of the Service.')),
    responseHeadersPolicy: optional(redescribed(headersPolicySchema, 'Changes to the headers of responses. `Host` cannot be set.')),
    cookieRewritePolicies: optional(list('Changes to cookies that backends set.', cookieRewritePolicySchema)),
    rateLimitPolicy: optional(redescribed(rateLimitPolicySchema, 'How many requests may come in on this route.')),
    requestRedirectPolicy: optional(requestRedirectPolicySchema),
    directResponsePolicy: optional(directResponsePolicySchema),
    internalRedirectPolicy: optional(internalRedirectPolicySchema),
    jwtVerificationPolicy: optional(jwtVerificationPolicySchema),
    ipAllowPolicy: optional(
      redescribed(
        ipAllowPolicySchema,
        'Address ranges whose requests are let through; all others get 403. Stands in place of the lists of the virtual host.',
      ),
    ),
    ipDenyPolicy: optional(
      redescribed(
        ipDenyPolicySchema,
        'Address ranges whose requests get 403; all others are let through. Stands in place of the lists of the virtual host.',
      ),
    ),
  },
);

export type ReplacePrefix = Static<typeof replacePrefixSchema>;
export type PathRewritePolicy = Static<typeof pathRewritePolicySchema>;
export type HTTPRequestRedirectPolicy = Static<typeof requestRedirectPolicySchema>;
export type HTTPDirectResponsePolicy = Static<typeof directResponsePolicySchema>;
export type HTTPInternalRedirectPolicy = Static<typeof internalRedirectPolicySchema>;
export type HTTPProxyRoute = Static<typeof routeSchema>;
