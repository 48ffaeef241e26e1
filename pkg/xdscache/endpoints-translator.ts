import type { Endpoint, EndpointSlice } from '../apis/discovery/v1/endpoint-slice.ts';
import type { ServicePort } from '../dag/model/cluster.ts';
import { clusterLoadAssignment, type ServiceEndpoint, weightedLoadAssignment } from '../envoy/endpoint/cluster-load-assignment.ts';
import { endpointsName } from '../envoy/names.ts';
import { encode } from '../envoy/protobuf.ts';
import { ClusterLoadAssignment } from '../envoy-api/envoy/config/endpoint/v3/endpoint.ts';
import { isIpv4, isIpv6 } from '../schema/formats.ts';
import { compareStrings } from '../util/compare.ts';
import { encodedBytes } from './lazy-resource.ts';
import { encodedResource, typeUrls } from './resource.ts';
import type { UpdateBuilder } from './update-builder.ts';

const serviceLabel = 'kubernetes.io/service-name';

/** The endpoints of one or more Services' ports that some cluster uses. */
interface Wanted {
  readonly parts: readonly WeightedPort[];
  users: number;
  /** The version that was last given out. */
  version: string | undefined;
}

/** A share of the requests of a cluster of several Services. */
export interface WeightedPort {
  readonly service: ServicePort;
  readonly weight: number;
}

/**
 * Turns EndpointSlices into ClusterLoadAssignments, past the DAG (reference §8.9). Slices are kept whether anything uses their Service or
 * not; a change costs as much as the Service that it touches has endpoints.
 */
export class EndpointsTranslator {
  readonly #slices = new Map<string, Map<string, EndpointSlice>>();
  readonly #wanted = new Map<string, Wanted>();
  readonly #wantedOf = new Map<string, Set<string>>();
  readonly #stale = new Set<string>();

  acquire(port: ServicePort): void {
    this.acquireParts(endpointsName(port), [{ service: port, weight: 1 }]);
  }

  /** As `acquire`, for a cluster of several Services. What it had under the name has to be released before. */
  acquireParts(name: string, parts: readonly WeightedPort[]): void {
    const known = this.#wanted.get(name);
    // Released and not taken yet: the new parts count, and what was given out stays until they do.
    const wanted = known === undefined || known.users === 0 ? { parts, users: 0, version: known?.version } : known;
    if (known?.users === 0) this.#forget(name, known);
    this.#wanted.set(name, wanted);
    wanted.users += 1;
    for (const { service } of wanted.parts) {
      this.#wantedOf.getOrInsertComputed(serviceKey(service.namespace, service.name), () => new Set<string>()).add(name);
    }
    if (wanted.version === undefined || known?.users === 0) this.#stale.add(name);
  }

  /** Takes back one `acquire`. */
  release(port: ServicePort): void {
    this.releaseParts(endpointsName(port));
  }

  /** Takes back one `acquireParts`. */
  releaseParts(name: string): void {
    const wanted = this.#wanted.get(name);
    if (wanted === undefined) throw new Error(`endpoints ${name} are released more often than acquired`);
    wanted.users -= 1;
    if (wanted.users === 0) this.#stale.add(name);
  }

  /** A slice that is new, changed or gone. Its Service is the one that its label names. */
  applyEndpointSlice(before: EndpointSlice | undefined, after: EndpointSlice | undefined): void {
    if (before !== undefined) this.#slicesOf(before)?.delete(before.metadata.name);
    if (after !== undefined) {
      const service = serviceOf(after);
      if (service !== undefined) {
        this.#slices.getOrInsertComputed(service, () => new Map<string, EndpointSlice>()).set(after.metadata.name, after);
      }
    }
    for (const slice of [before, after]) {
      const service = slice && serviceOf(slice);
      if (service === undefined) continue;
      if (this.#slices.get(service)?.size === 0) this.#slices.delete(service);
      for (const name of this.#wantedOf.get(service) ?? []) this.#stale.add(name);
    }
  }

  /** Adds what changed since the last call. */
  take(update: UpdateBuilder): void {
    for (const name of this.#stale) this.#publish(name, update);
    this.#stale.clear();
  }

  #publish(name: string, update: UpdateBuilder): void {
    const wanted = this.#wanted.get(name);
    if (wanted === undefined) return;
    if (wanted.users === 0) {
      this.#forget(name, wanted);
      if (wanted.version !== undefined) update.delete(typeUrls.endpoint, name);
      return;
    }
    const encoded = encodedBytes(encode(ClusterLoadAssignment, this.#assignment(name, wanted.parts)));
    if (encoded.version === wanted.version) return;
    wanted.version = encoded.version;
    const origins = wanted.parts.map(({ service: { namespace, name: of } }) => ({ kind: 'Service', namespace, name: of, path: '' }));
    update.set(typeUrls.endpoint, encodedResource(name, origins, encoded));
  }

  #assignment(name: string, parts: readonly WeightedPort[]): ClusterLoadAssignment {
    const endpointsOf = ({ service }: WeightedPort) =>
      serviceEndpoints([...(this.#slices.get(serviceKey(service.namespace, service.name))?.values() ?? [])], service);
    const [only] = parts;
    if (only !== undefined && parts.length === 1) return clusterLoadAssignment(name, endpointsOf(only));
    return weightedLoadAssignment(
      name,
      parts.map((part) => ({ locality: localityOf(part), weight: part.weight, endpoints: endpointsOf(part) })),
    );
  }

  #forget(name: string, { parts }: Wanted): void {
    this.#wanted.delete(name);
    for (const { service } of parts) {
      const key = serviceKey(service.namespace, service.name);
      const names = this.#wantedOf.get(key);
      names?.delete(name);
      if (names?.size === 0) this.#wantedOf.delete(key);
    }
  }

  #slicesOf(slice: EndpointSlice): Map<string, EndpointSlice> | undefined {
    const service = serviceOf(slice);
    return service === undefined ? undefined : this.#slices.get(service);
  }
}

/** Tells the Services of one cluster apart: Envoy takes endpoints of one locality for one group. */
function localityOf({ service }: WeightedPort): string {
  return `${service.name}/${service.port}`;
}

function serviceKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function serviceOf({ metadata }: EndpointSlice): string | undefined {
  const name = metadata.labels?.[serviceLabel];
  return name === undefined ? undefined : serviceKey(metadata.namespace ?? '', name);
}

/**
 * The endpoints of a port over all slices of its Service, each address and port once, in order. Those that are ready; where there is
 * none, those that are going away and still serve, as kube-proxy has it.
 */
export function serviceEndpoints(slices: readonly EndpointSlice[], port: ServicePort): readonly ServiceEndpoint[] {
  const ordered = [...slices].sort((a, b) => compareStrings(a.metadata.name, b.metadata.name));
  const candidates = ordered.flatMap((slice) => sliceEndpoints(slice, port));
  const ready = candidates.filter(({ state }) => state === 'ready');
  const chosen = ready.length > 0 ? ready : candidates;
  const distinct = new Map(chosen.map(({ endpoint }) => [`${endpoint.address} ${endpoint.port}`, endpoint]));
  return [...distinct.values()].sort((a, b) => compareStrings(a.address, b.address) || a.port - b.port);
}

interface Candidate {
  readonly state: 'ready' | 'terminating';
  readonly endpoint: ServiceEndpoint;
}

function sliceEndpoints(slice: EndpointSlice, service: ServicePort): readonly Candidate[] {
  const ports = tcpPorts(slice).filter(({ name }) => service.portName === '' || name === service.portName);
  const healthPort = service.healthPortName === undefined ? undefined : tcpPorts(slice).find(({ name }) => name === service.healthPortName);
  const health = healthPort && { healthPort: healthPort.port };
  return (slice.endpoints ?? []).flatMap((endpoint): readonly Candidate[] => {
    const state = endpointState(endpoint);
    const address = endpoint.addresses[0]?.toLowerCase();
    // Envoy resolves no names here: a slice of FQDNs has nothing for it.
    if (state === undefined || address === undefined || !(isIpv4(address) || isIpv6(address))) return [];
    return ports.map(({ port }) => ({ state, endpoint: { address, port, ...health } }));
  });
}

function tcpPorts(slice: EndpointSlice): readonly { readonly name: string; readonly port: number }[] {
  return (slice.ports ?? []).flatMap(({ name, port, protocol }) =>
    (protocol ?? 'TCP') === 'TCP' && typeof port === 'number' ? [{ name: name ?? '', port }] : [],
  );
}

/** Conditions may be absent or null: then an endpoint counts as ready. */
function endpointState({ conditions }: Endpoint): Candidate['state'] | undefined {
  if (conditions?.ready ?? true) return 'ready';
  return (conditions?.serving ?? false) && (conditions?.terminating ?? false) ? 'terminating' : undefined;
}
