import { list, object, optional, redescribed, type Static, string } from '../../../schema/builder.ts';
import { serviceSchema } from './service.ts';
import { loadBalancerPolicySchema, tcpHealthCheckPolicySchema } from './traffic-policy.ts';

const includeSchema = object('Takes the tcpproxy of another HTTPProxy.', {
  name: string('The name of the other HTTPProxy.'),
  namespace: optional(string('Its namespace. Default: the same.')),
});

export const tcpProxySchema = object(
  'Sends the bytes of each TLS connection to a backend, decrypted or as they are. The virtual host needs tls.',
  {
    services: optional(list('The Services that connections are shared out to. Not together with include.', serviceSchema)),
    include: optional(includeSchema),
    includes: optional(redescribed(includeSchema, 'The old spelling of include, which goes before it.')),
    loadBalancerPolicy: optional(
      redescribed(loadBalancerPolicySchema, 'Which endpoint gets a connection. `Cookie` and `RequestHash` are not possible here.'),
    ),
    healthCheckPolicy: optional(tcpHealthCheckPolicySchema),
  },
);

export type TCPProxyInclude = Static<typeof includeSchema>;
export type TCPProxy = Static<typeof tcpProxySchema>;
