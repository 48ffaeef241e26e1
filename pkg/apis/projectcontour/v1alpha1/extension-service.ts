import { integer, list, object, oneOf, optional, redescribed, type Static } from '../../../schema/builder.ts';
import { type CustomResource, objectShape } from '../../custom-resource.ts';
import type { KubeObject } from '../../meta.ts';
import { detailedConditionsSchema } from '../v1/detailed-condition.ts';
import { serviceNameSchema, servicePortSchema } from '../v1/service.ts';
import { loadBalancerPolicySchema, timeoutPolicySchema } from '../v1/traffic-policy.ts';
import { upstreamValidationSchema } from '../v1/upstream-validation.ts';

/** Limits on what one Envoy asks of a cluster at a time. */
export const circuitBreakerPolicySchema = object(
  'Limits on what one Envoy asks of the Services at a time. What is over a limit is answered with 503 at once.',
  {
    maxConnections: optional(integer('Connections to all endpoints together. Default: 1024.', { format: 'int32' })),
    maxPendingRequests: optional(integer('Requests that wait for a connection. Default: 1024.', { format: 'int32' })),
    maxRequests: optional(integer('Requests under way. Default: 1024.', { format: 'int32' })),
    maxRetries: optional(integer('Retries under way. Default: 3.', { format: 'int32' })),
    perHostMaxConnections: optional(integer('Connections to one endpoint. Default: no limit.', { format: 'int32' })),
  },
);

const targetSchema = object('A Service in the namespace of the object.', {
  name: serviceNameSchema,
  port: servicePortSchema,
  weight: optional(integer('The share of requests, in proportion to the sum of all weights.', { format: 'int32' })),
});

const specSchema = object('The Services that do the work and how they are reached.', {
  services: list('The Services. They share the requests out among them.', targetSchema, { minItems: 1 }),
  validation: optional(
    redescribed(upstreamValidationSchema, 'How the certificates of the Services are checked. Only with the protocol `h2`.'),
  ),
  protocol: optional(
    oneOf('How the Services are spoken to: `h2` is HTTP/2 with TLS, `h2c` HTTP/2 without, `http/1.1` plain HTTP. Default: `h2`.', [
      'http/1.1',
      'h2',
      'h2c',
    ]),
  ),
  loadBalancerPolicy: optional(
    redescribed(loadBalancerPolicySchema, 'Which endpoint gets a request. `Cookie` and `RequestHash` are not possible here.'),
  ),
  timeoutPolicy: optional(redescribed(timeoutPolicySchema, 'How long calls may take. `idle` does not count here.')),
  protocolVersion: optional(oneOf('The version of the protocol that Envoy and the Services speak.', ['v3'])),
  circuitBreakerPolicy: optional(
    redescribed(
      circuitBreakerPolicySchema,
      'Limits on what one Envoy asks of the Services at a time, in place of those of the configuration.',
    ),
  ),
});

const statusSchema = object('What the controller says about the object.', {
  conditions: optional(detailedConditionsSchema),
});

export const extensionServiceResource: CustomResource = {
  group: 'projectcontour.io',
  version: 'v1alpha1',
  kind: 'ExtensionService',
  plural: 'extensionservices',
  shortNames: ['extensionservice', 'extensionservices'],
  schema: object('An ExtensionService is a service that Envoy itself asks, for authorization, rate limits or tracing.', {
    ...objectShape,
    spec: optional(specSchema),
    status: optional(statusSchema),
  }),
};

export type CircuitBreakerPolicy = Static<typeof circuitBreakerPolicySchema>;
export type ExtensionServiceTarget = Static<typeof targetSchema>;
export type ExtensionServiceSpec = Static<typeof specSchema>;

/** A service that Envoy itself asks. */
export interface ExtensionService extends KubeObject {
  readonly kind: 'ExtensionService';
  readonly spec: ExtensionServiceSpec;
  readonly status?: Static<typeof statusSchema>;
}
