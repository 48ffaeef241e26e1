import { watch } from '../cache/list-watch.ts';
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

const watchSeconds = 300;
/** The holder renews every few seconds, so a watch that says nothing for so long is dead. */
const idleTimeoutMs = 30_000;

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

  /**
   * Tells of the Lease as it is, and of each change, until the server ends the watch, the signal aborts or there is no
   * Lease. `undefined`: it was deleted. Throws as the client does, such as Forbidden.
   */
  async watch(tell: (lease: Lease | undefined) => void, signal: AbortSignal): Promise<void> {
    const present = await this.get(signal);
    tell(present);
    // Asking for what is there by version 0 is refused by servers whose etcd is older than 3.5.13.
    const resourceVersion = present?.metadata.resourceVersion;
    if (resourceVersion === undefined) return;
    const selection = { kind: leaseKind, namespace: this.namespace, fieldSelector: `metadata.name=${this.name}` };
    const options = { resourceVersion, timeoutSeconds: watchSeconds, idleTimeoutMs, signal };
    await watch(this.#client.rest, selection, options, ({ type, object }) => {
      if (type === 'DELETED') tell(undefined);
      else if (type === 'ADDED' || type === 'MODIFIED') tell(object as Lease);
    });
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
