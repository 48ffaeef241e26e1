import { ClusterLoadAssignment } from '../../envoy-api/envoy/config/endpoint/v3/endpoint.ts';
import { socketAddress } from '../addresses.ts';

/** An address that serves a Service's port. */
export interface ServiceEndpoint {
  /** An IP address as text. */
  readonly address: string;
  readonly port: number;
  /** Where active health checks go, when it is another port. */
  readonly healthPort?: number;
}

/** The EDS resource of a Service's port. Without endpoints it is sent too, with no locality: silence would keep Envoy waiting. */
export function clusterLoadAssignment(name: string, endpoints: readonly ServiceEndpoint[]): ClusterLoadAssignment {
  if (endpoints.length === 0) return ClusterLoadAssignment.fromPartial({ clusterName: name });
  const lbEndpoints = endpoints.map(({ address, port, healthPort }) => ({
    hostIdentifier: {
      $case: 'endpoint' as const,
      value: {
        address: socketAddress(address, port),
        ...(healthPort !== undefined && healthPort !== port && { healthCheckConfig: { portValue: healthPort } }),
      },
    },
  }));
  return ClusterLoadAssignment.fromPartial({ clusterName: name, endpoints: [{ lbEndpoints, loadBalancingWeight: 1 }] });
}
