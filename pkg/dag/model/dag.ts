import type { ExtensionCluster } from './extension-cluster.ts';
import type { Listener } from './listener.ts';
import type { VirtualHost } from './virtual-host.ts';

/** Virtual hosts of one listener, by host. */
export type VirtualHosts = ReadonlyMap<string, VirtualHost>;

/**
 * The whole wanted configuration at one instant. The maps are views: they belong to the builder and are
 * current until the next build. The nodes in them are frozen and may be kept.
 */
export interface Dag {
  readonly listeners: ReadonlyMap<string, Listener>;
  /** By listener name, then host. Hosts with nothing to serve are absent. */
  readonly virtualHosts: ReadonlyMap<string, VirtualHosts>;
  /** By `namespace/name`. Absent: none. */
  readonly extensionClusters?: ReadonlyMap<string, ExtensionCluster>;
}

/** One entry of what a build changed. `undefined` is absence. */
export interface VirtualHostChange {
  readonly listener: string;
  readonly host: string;
  readonly before: VirtualHost | undefined;
  readonly after: VirtualHost | undefined;
}

export interface ListenerChange {
  readonly name: string;
  readonly before: Listener | undefined;
  readonly after: Listener | undefined;
}

export interface ExtensionClusterChange {
  readonly before: ExtensionCluster | undefined;
  readonly after: ExtensionCluster | undefined;
}

/** What one build changed in the DAG; empty lists where nothing did. */
export interface DagChanges {
  readonly listeners: readonly ListenerChange[];
  readonly virtualHosts: readonly VirtualHostChange[];
  /** Absent: none. */
  readonly extensionClusters?: readonly ExtensionClusterChange[];
}
