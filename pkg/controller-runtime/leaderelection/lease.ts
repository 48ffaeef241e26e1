import type { Client } from '../client/client.ts';
import type { KubeObject, ResourceKind } from '../client/object.ts';

/** `coordination.k8s.io/v1` Lease as far as leader election reads it. */
export interface Lease extends KubeObject {
  readonly kind: 'Lease';
  readonly spec?: LeaseSpec;
}

export interface LeaseSpec {
  /** `''` or absent: nobody holds it. */
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  /** RFC 3339 with microseconds. */
  readonly acquireTime?: string;
  readonly renewTime?: string;
  /** How often the holder changed. */
  readonly leaseTransitions?: number;
}

export const leaseKind: ResourceKind = {
  kind: 'Lease',
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  namespaced: true,
};

/** One Lease on the API server. Writes fail with Conflict or AlreadyExists if somebody else was faster. */
export class LeaseLock {
  readonly namespace: string;
  readonly name: string;
  readonly #client: Client;

  constructor(client: Client, namespace: string, name: string) {
    this.#client = client;
    this.namespace = namespace;
    this.name = name;
  }

  get(signal: AbortSignal): Promise<Lease | undefined> {
    return this.#client.get<Lease>(leaseKind, { namespace: this.namespace, name: this.name }, { signal });
  }

  create(spec: LeaseSpec, signal: AbortSignal): Promise<Lease> {
    const metadata = { namespace: this.namespace, name: this.name };
    const lease: Lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
    return this.#client.create(leaseKind, lease, { signal });
  }

  update(lease: Lease, spec: LeaseSpec, signal: AbortSignal): Promise<Lease> {
    return this.#client.update<Lease>(leaseKind, { ...lease, spec }, { signal });
  }
}

/** A date as Leases have it. */
export function microTime(date: Date): string {
  return date.toISOString().replace('Z', '000Z');
}
