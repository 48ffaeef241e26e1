import { list, object, optional, redescribed, type Static, string } from '../../../schema/builder.ts';
import { loadBalancerStatusSchema } from '../../core/v1/load-balancer-status.ts';
import { type CustomResource, objectShapeWithMetadata } from '../../custom-resource.ts';
import type { KubeObject } from '../../meta.ts';
import { detailedConditionsSchema } from './detailed-condition.ts';
import { matchConditionSchema } from './match-condition.ts';
import { routeSchema } from './route.ts';
import { tcpProxySchema } from './tcp-proxy.ts';
import { virtualHostSchema } from './virtual-host.ts';

export type { LoadBalancerStatus } from '../../core/v1/load-balancer-status.ts';
export type * from './authorization.ts';
export type * from './detailed-condition.ts';
export type * from './headers-policy.ts';
export type * from './jwt.ts';
export type * from './match-condition.ts';
export type * from './rate-limit-policy.ts';
export type * from './route.ts';
export type * from './service.ts';
export type * from './tcp-proxy.ts';
export type * from './traffic-policy.ts';
export type * from './upstream-validation.ts';
export type * from './virtual-host.ts';

const includeSchema = object('Takes the routes of another HTTPProxy.', {
  name: string('The name of the other HTTPProxy, which must not be a root.', { minLength: 1 }),
  namespace: optional(string('Its namespace. Default: the same.')),
  conditions: optional(
    list('Tests that must hold in addition to those of the included routes: by prefix, header or query parameter.', matchConditionSchema),
  ),
});

const specSchema = object('What is served.', {
  virtualhost: optional(virtualHostSchema),
  routes: optional(
    list(
      'What happens to requests. Of the routes that match, the one that says most about the request is taken; the order of the list does not matter.',
      routeSchema,
    ),
  ),
  tcpproxy: optional(tcpProxySchema),
  includes: optional(list('Other HTTPProxies whose routes belong to this one, perhaps of other namespaces and owners.', includeSchema)),
  ingressClassName: optional(
    string('The class of the controller that serves the object. It goes before the annotation `kubernetes.io/ingress.class`.'),
  ),
});

const statusSchema = object(
  'What the controller says about the object.',
  {
    currentStatus: optional(string('`valid`, `invalid` or `orphaned`; `NotReconciled` before a controller has looked at it.')),
    description: optional(string('What currentStatus means here, in a sentence.')),
    loadBalancer: optional(loadBalancerStatusSchema),
    conditions: optional(redescribed(detailedConditionsSchema, 'What the controller found out. `Valid` lists every error and warning.')),
  },
  { default: { currentStatus: 'NotReconciled', description: 'Waiting for controller' } },
);

export const httpProxyResource: CustomResource = {
  group: 'projectcontour.io',
  version: 'v1',
  kind: 'HTTPProxy',
  plural: 'httpproxies',
  shortNames: ['proxy', 'proxies'],
  printerColumns: [
    { name: 'FQDN', description: 'Host name that is served', type: 'string', jsonPath: '.spec.virtualhost.fqdn' },
    { name: 'TLS Secret', description: 'Secret with the certificate', type: 'string', jsonPath: '.spec.virtualhost.tls.secretName' },
    { name: 'Status', description: 'Whether the object is served', type: 'string', jsonPath: '.status.currentStatus' },
    { name: 'Status Description', description: 'What the status means here', type: 'string', jsonPath: '.status.description' },
  ],
  schema: object('An HTTPProxy serves a virtual host, or a part of one that other HTTPProxies include.', {
    ...objectShapeWithMetadata,
    spec: specSchema,
    status: optional(statusSchema),
  }),
};

export type Include = Static<typeof includeSchema>;
export type HTTPProxySpec = Static<typeof specSchema>;
export type HTTPProxyStatus = Static<typeof statusSchema>;

/** A virtual host, or a part of one. */
export interface HTTPProxy extends KubeObject {
  readonly kind: 'HTTPProxy';
  readonly spec: HTTPProxySpec;
  readonly status?: HTTPProxyStatus;
}
