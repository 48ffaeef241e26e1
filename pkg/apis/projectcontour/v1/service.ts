import { boolean, integer, list, object, oneOf, optional, redescribed, type Static, string } from '../../../schema/builder.ts';
import { cookieRewritePolicySchema, headersPolicySchema } from './headers-policy.ts';
import { durationPattern } from './patterns.ts';
import { upstreamValidationSchema } from './upstream-validation.ts';

const slowStartPolicySchema = object(
  'Gives an endpoint that has just become ready its share of requests little by little. Counts with RoundRobin and WeightedLeastRequest.',
  {
    window: string('How long the ramp is, such as `30s`.', { pattern: durationPattern }),
    aggression: optional(
      string('The bend of the ramp, as a decimal number. Above 1.0 the share grows fast at first; 1.0 is a straight line.', {
        default: '1.0',
        pattern: '^([0-9]+([.][0-9]+)?|[.][0-9]+)$',
      }),
    ),
    minWeightPercent: optional(
      integer('The share at the start, in percent of the full one.', { format: 'int32', default: 10, minimum: 0, maximum: 100 }),
    ),
  },
);

export const serviceNameSchema = string('The name of the Service.');
export const servicePortSchema = integer('The port of the Service, by number.', { minimum: 1, maximum: 65535 });

export const serviceSchema = object('A Service that requests are sent to, in the namespace of the HTTPProxy.', {
  name: serviceNameSchema,
  port: servicePortSchema,
  healthPort: optional(integer('The port that health checks go to, if it is another one.', { minimum: 1, maximum: 65535 })),
  protocol: optional(
    oneOf(
      'How the Service is spoken to: `h2` is HTTP/2 with TLS, `h2c` HTTP/2 without, `tls` HTTP/1.1 with TLS. It goes before annotations and appProtocol of the Service. Default: HTTP/1.1.',
      ['h2', 'h2c', 'tls'],
    ),
  ),
  weight: optional(
    integer('The share of requests, in proportion to the sum of all weights. If all are 0, all get the same.', {
      format: 'int64',
      minimum: 0,
    }),
  ),
  validation: optional(
    redescribed(upstreamValidationSchema, 'How the certificate of the Service is checked. Counts with the protocols `tls` and `h2`.'),
  ),
  mirror: optional(
    boolean(
      'Send a copy of each request here and drop the answer. At most one Service of a route may be a mirror; its weight is then a percentage.',
    ),
  ),
  requestHeadersPolicy: optional(redescribed(headersPolicySchema, 'Changes to the headers of requests to this Service.')),
  responseHeadersPolicy: optional(
    redescribed(headersPolicySchema, 'Changes to the headers of responses of this Service. `Host` cannot be set.'),
  ),
  cookieRewritePolicies: optional(
    list('Changes to cookies that this Service sets. They go before those of the route.', cookieRewritePolicySchema),
  ),
  slowStartPolicy: optional(slowStartPolicySchema),
});

export type SlowStartPolicy = Static<typeof slowStartPolicySchema>;
export type HTTPProxyService = Static<typeof serviceSchema>;
