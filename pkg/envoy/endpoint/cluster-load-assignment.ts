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
  return ClusterLoadAssignment.fromPartial({
    clusterName: name,
    endpoints: [{ lbEndpoints: lbEndpoints(endpoints), loadBalancingWeight: 1 }],
  });
}

/** A share of a cluster of several Services. */
export interface WeightedEndpoints {
  /** Tells it from the others. */
  readonly locality: string;
  /** 0: it gets no requests. */
  readonly weight: number;
  readonly endpoints: readonly ServiceEndpoint[];
}

/** The EDS resource of several Services, each a locality. Envoy shares out among those with endpoints, in proportion to their weights. */
export function weightedLoadAssignment(name: string, shares: readonly WeightedEndpoints[]): ClusterLoadAssignment {
  const served = shares.filter(({ weight, endpoints }) => weight > 0 && endpoints.length > 0);
  return ClusterLoadAssignment.fromPartial({
    clusterName: name,
    endpoints: served.map(({ locality, weight, endpoints }) => ({
      locality: { subZone: locality },
      lbEndpoints: lbEndpoints(endpoints),
      loadBalancingWeight: weight,
    })),
  });
}

function lbEndpoints(endpoints: readonly ServiceEndpoint[]) {
  return endpoints.map(({ address, port, healthPort }) => ({
    hostIdentifier: {
      $case: 'endpoint' as const,
      value: {
        address: socketAddress(address, port),
        ...(healthPort !== undefined && healthPort !== port && { healthCheckConfig: { portValue: healthPort } }),
      },
    },
  }));
}
