import type { KubeObject } from '../../meta.ts';

/** A share of the endpoints of the Service that the label `kubernetes.io/service-name` names. */
export interface EndpointSlice extends KubeObject {
  readonly kind: 'EndpointSlice';
  readonly addressType: 'IPv4' | 'IPv6' | 'FQDN';
  readonly endpoints: readonly Endpoint[];
  /** Hold for every endpoint of the slice. */
  readonly ports?: readonly EndpointPort[];
}

export interface Endpoint {
  /** 1 to 100; all of the slice's family. Consumers use the first. */
  readonly addresses: readonly string[];
  readonly conditions?: EndpointConditions;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly zone?: string;
  readonly targetRef?: {
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
  };
  readonly hints?: { readonly forZones?: readonly { readonly name: string }[]; readonly forNodes?: readonly { readonly name: string }[] };
}

export interface EndpointConditions {
  /** Absent counts as true. */
  readonly ready?: boolean;
  /** As `ready`, but without regard to termination. Absent: the value of `ready`. */
  readonly serving?: boolean;
  /** Absent counts as false. */
  readonly terminating?: boolean;
}

export interface EndpointPort {
  /** The name of the Service's port; `''` for the one without a name. */
  readonly name?: string;
  /** Absent: all ports. */
  readonly port?: number;
  readonly protocol?: 'TCP' | 'UDP' | 'SCTP';
  readonly appProtocol?: string;
}
