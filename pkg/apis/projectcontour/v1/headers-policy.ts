import { boolean, list, object, oneOf, optional, type Static, string } from '../../../schema/builder.ts';
import { cookieNamePattern, cookiePathPattern, dnsNamePattern } from './patterns.ts';

export const headerValueSchema = object('A header and its value.', {
  name: string('The name of the header.', { minLength: 1 }),
  value: string(
    'The value. Variables such as `%DOWNSTREAM_REMOTE_ADDRESS%`, `%REQ(X-Name)%` and `%CONTOUR_NAMESPACE%` are filled in; any other percent sign stands for itself.',
    { minLength: 1 },
  ),
});

/** Changes to request or response headers. */
export const headersPolicySchema = object('Headers to set and to take away.', {
  set: optional(
    list(
      'Headers that get this value, in place of any that they had. `Host` may be set on requests: it rewrites the host name.',
      headerValueSchema,
    ),
  ),
  remove: optional(list('Names of headers to take away.', string('The name of a header.'))),
});

export const cookieRewritePolicySchema = object(
  'Changes to the attributes of a cookie that a backend sets. At least one attribute must be named.',
  {
    name: string('The name of the cookie.', { minLength: 1, maxLength: 4096, pattern: cookieNamePattern }),
    pathRewrite: optional(
      object('Replaces the Path attribute.', {
        value: string('The new path.', { minLength: 1, maxLength: 4096, pattern: cookiePathPattern }),
      }),
    ),
    domainRewrite: optional(
      object('Replaces the Domain attribute.', {
        value: string('The new domain.', { minLength: 1, maxLength: 4096, pattern: dnsNamePattern }),
      }),
    ),
    secure: optional(boolean('Adds the Secure attribute, or takes it away. Default: left as it is.')),
    sameSite: optional(oneOf('The new SameSite attribute. Default: left as it is.', ['Strict', 'Lax', 'None'])),
  },
);

export type HeaderValue = Static<typeof headerValueSchema>;
export type HeadersPolicy = Static<typeof headersPolicySchema>;
export type CookieRewritePolicy = Static<typeof cookieRewritePolicySchema>;
