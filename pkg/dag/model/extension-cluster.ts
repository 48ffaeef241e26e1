import type { CircuitBreakers } from '../../config/config.ts';
import type { LoadBalancerPolicy, SecretNode, ServicePort, UpstreamValidation } from './cluster.ts';
import type { Origin } from './origin.ts';

/** The upstream of an ExtensionService: it is there whether anything asks it or not. */
export interface ExtensionCluster {
  readonly namespace: string;
  readonly name: string;
  /** Never empty, no weight negative, not all 0. */
  readonly services: readonly { readonly service: ServicePort; readonly weight: number }[];
  /** `undefined` is HTTP/1.1 in the clear. */
  readonly protocol?: 'h2' | 'h2c';
  readonly loadBalancerPolicy: LoadBalancerPolicy;
  readonly circuitBreakers: CircuitBreakers;
  readonly upstreamValidation?: UpstreamValidation;
  readonly sni?: string;
  readonly clientCertificate?: SecretNode;
  readonly idleConnectionTimeoutMs?: number | 'disabled';
  readonly origin: Origin;
}
