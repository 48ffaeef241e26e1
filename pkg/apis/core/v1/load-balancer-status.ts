import { integer, list, object, optional, type Static, string } from '../../../schema/builder.ts';

const errorPattern = '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$';

const portStatusSchema = object('A port of the load balancer.', {
  port: integer('The number of the port.', { format: 'int32' }),
  protocol: string('`TCP`, `UDP` or `SCTP`.'),
  error: optional(string('Why the port does not work, in one word.', { maxLength: 316, pattern: errorPattern })),
});

const ingressSchema = object('One address of the load balancer: ip or hostname is set.', {
  ip: optional(string('An IP address.')),
  hostname: optional(string('A DNS name.')),
  ipMode: optional(string('How traffic to the IP address arrives: `VIP` or `Proxy`.')),
  ports: optional(list('The ports, where the load balancer tells.', portStatusSchema, { atomic: true })),
});

/** Where the world reaches a load balancer. */
export const loadBalancerStatusSchema = object('Where the load balancer in front of Envoy is reached.', {
  ingress: optional(list('Its addresses.', ingressSchema, { atomic: true })),
});

export type LoadBalancerIngress = Static<typeof ingressSchema>;
export type LoadBalancerStatus = Static<typeof loadBalancerStatusSchema>;
