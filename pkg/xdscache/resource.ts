import type { Origin } from '../dag/model/origin.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';

/** The types that Isoline serves, by the short name that the xDS documentation uses. */
export const typeUrls = {
  cluster: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
  endpoint: 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment',
  listener: 'type.googleapis.com/envoy.config.listener.v3.Listener',
  route: 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration',
  scopedRoute: 'type.googleapis.com/envoy.config.route.v3.ScopedRouteConfiguration',
  secret: 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret',
  runtime: 'type.googleapis.com/envoy.service.runtime.v3.Runtime',
} as const;

export type TypeUrl = (typeof typeUrls)[keyof typeof typeUrls];

/**
 * How a stream's Envoy is told to fetch what a resource refers to: over the same aggregated stream (`ads`),
 * or over a stream for each type to the cluster `contour` (`grpc`, for a Contour bootstrap).
 */
export type ConfigSourceKind = 'ads' | 'grpc';

/** The wire form of a resource. */
export interface EncodedResource {
  /** A hash of the bytes: the same bytes have the same version on every replica. */
  readonly version: string;
  /** The serialised message, without the Any around it. Never mutated; shared by all streams. */
  readonly bytes: Uint8Array;
}

/** A named resource of a snapshot. */
export interface Resource {
  readonly name: string;
  /** The objects that it is made of. */
  readonly origins: readonly Origin[];
  /** The hosts that a table of routes is made of, as they are in it; absent in other types. */
  readonly hosts?: () => readonly VirtualHost[];
  /**
   * The wire form for one kind of stream. Encoded at the first call and kept; types that refer to no other
   * resource give the same value for both kinds.
   */
  encoded(source: ConfigSourceKind): EncodedResource;
}

/** A resource whose bytes are there already and do not depend on the stream. */
export function encodedResource(name: string, origins: readonly Origin[], encoded: EncodedResource): Resource {
  return { name, origins, encoded: () => encoded };
}

/** What changes in a snapshot at once: by type, name to the new resource, or `undefined` where it goes. */
export type SnapshotUpdate = ReadonlyMap<TypeUrl, ReadonlyMap<string, Resource | undefined>>;

/**
 * The resources that proxies should have now. One for all proxies. It changes by `SnapshotUpdate`s only, between
 * which it can be read at any time; readers that lag behind see the newest state and never a queue.
 */
export interface SnapshotView {
  /** By its name; a secret also by a server name that it is for, of which it then has the name. */
  get(type: TypeUrl, name: string): Resource | undefined;
  /** All resources of a type, by name. */
  all(type: TypeUrl): ReadonlyMap<string, Resource>;
  /** Counts the updates applied; 0 before the first. */
  readonly sequence: number;
}
