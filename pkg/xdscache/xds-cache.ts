import type { EndpointSlice } from '../apis/discovery/v1/endpoint-slice.ts';
import type { Config } from '../config/config.ts';
import type { Cluster, SecretNode } from '../dag/model/cluster.ts';
import type { Dag, DagChanges, ExtensionClusterChange, ListenerChange } from '../dag/model/dag.ts';
import type { ExtensionCluster } from '../dag/model/extension-cluster.ts';
import type { Listener } from '../dag/model/listener.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
import { clusterName } from '../envoy/cluster/cluster-name.ts';
import { extensionCluster } from '../envoy/cluster/extension-cluster.ts';
import { serviceCluster } from '../envoy/cluster/service-cluster.ts';
import { endpointsName, extensionClusterName, secretName } from '../envoy/names.ts';
import { encode } from '../envoy/protobuf.ts';
import { tlsSecret } from '../envoy/secret/secret.ts';
import { Cluster as ClusterMessage } from '../envoy-api/envoy/config/cluster/v3/cluster.ts';
import { Secret as SecretMessage } from '../envoy-api/envoy/extensions/transport_sockets/tls/v3/secret.ts';
import { compareStrings } from '../util/compare.ts';
import { EndpointsTranslator } from './endpoints-translator.ts';
import { addFixedResources, runtimeResource } from './fixed-resources.ts';
import { hostUses } from './host-uses.ts';
import { encodedBytes, sharedResource, sourcedResource } from './lazy-resource.ts';
import type { ListenerState } from './listener-state.ts';
import { PlainListenerState } from './plain-listener.ts';
import { type Resource, type SnapshotUpdate, typeUrls } from './resource.ts';
import { SecureListenerState } from './secure-listener.ts';
import { type SharedNodeKind, SharedNodes } from './shared-nodes.ts';
import { TcpListenerState } from './tcp-listener.ts';
import { UpdateBuilder } from './update-builder.ts';

/** Makes Envoy resources of what changes, and of nothing else. Its state is what it was told: the same DAG and slices give the same resources. */
export interface XdsCache {
  /**
   * Takes in what a build changed, and gives all that it, and the slices since the last call, change in the snapshot.
   * The first call also gives the resources that are always there.
   */
  update(dag: Dag, changes: DagChanges): SnapshotUpdate;
  /** Takes in an EndpointSlice that is new, changed or gone. */
  applyEndpointSlice(before: EndpointSlice | undefined, after: EndpointSlice | undefined): void;
  /** What the slices since the last call change, for who will not wait for a build. */
  takeEndpoints(): SnapshotUpdate;
}

/** An empty cache. */
export function createXdsCache(config: Config): XdsCache {
  return new Cache(config);
}

class Cache implements XdsCache {
  readonly #config: Config;
  readonly #listeners = new Map<string, ListenerState>();
  /** The listener of each state. */
  readonly #nodes = new Map<string, Listener>();
  readonly #clusters: SharedNodes<Cluster>;
  readonly #secrets = new SharedNodes(secretKind);
  readonly #endpoints = new EndpointsTranslator();
  #started = false;

  constructor(config: Config) {
    this.#config = config;
    this.#clusters = new SharedNodes(clusterKind(config));
  }

  update(dag: Dag, changes: DagChanges): SnapshotUpdate {
    const update = new UpdateBuilder();
    const replaced: Replacement[] = [];
    const renewed = new Set<string>();
    for (const change of changes.listeners) {
      if (this.#changeListener(change, dag, update, replaced)) renewed.add(change.name);
    }
    for (const { listener, host, after } of changes.virtualHosts) {
      const state = renewed.has(listener) ? undefined : this.#listeners.get(listener);
      if (state) replaced.push(replaceHost(state, host, after));
    }
    this.#recount(replaced);
    for (const change of changes.extensionClusters ?? []) this.#changeExtension(change, update);
    for (const state of this.#listeners.values()) state.take(update);
    this.#clusters.take(update);
    this.#secrets.take(update);
    this.#endpoints.take(update);
    this.#takeFixed(changes.listeners.length > 0, update);
    return update.update;
  }

  applyEndpointSlice(before: EndpointSlice | undefined, after: EndpointSlice | undefined): void {
    this.#endpoints.applyEndpointSlice(before, after);
  }

  takeEndpoints(): SnapshotUpdate {
    const update = new UpdateBuilder();
    this.#endpoints.take(update);
    return update.update;
  }

  /** Gives true where all hosts of the listener were taken from the DAG. */
  #changeListener({ name, after }: ListenerChange, dag: Dag, update: UpdateBuilder, replaced: Replacement[]): boolean {
    const state = this.#listeners.get(name);
    const kept = after !== undefined && this.#nodes.get(name)?.protocol === after.protocol;
    if (after) this.#nodes.set(name, after);
    else this.#nodes.delete(name);
    if (state && kept) {
      state.replaceListener(after);
      return false;
    }
    if (state) {
      for (const host of [...state.hosts.keys()]) replaced.push(replaceHost(state, host, undefined));
      state.take(update);
      this.#listeners.delete(name);
    }
    if (after === undefined) return true;
    const fresh = listenerState(after, this.#config);
    this.#listeners.set(name, fresh);
    for (const [host, value] of dag.virtualHosts.get(name) ?? []) replaced.push(replaceHost(fresh, host, value));
    return true;
  }

  /** New users first: what goes on being used is never taken away in between. */
  #recount(replaced: readonly Replacement[]): void {
    for (const { after } of replaced) {
      if (after === undefined) continue;
      const { clusters, secrets } = hostUses(after);
      for (const cluster of clusters) this.#acquire(cluster);
      for (const secret of secrets) this.#secrets.acquire(secret);
    }
    for (const { before } of replaced) {
      if (before === undefined) continue;
      const { clusters, secrets } = hostUses(before);
      for (const cluster of clusters) this.#release(cluster);
      for (const secret of secrets) this.#secrets.release(secret);
    }
  }

  #changeExtension({ before, after }: ExtensionClusterChange, update: UpdateBuilder): void {
    // What goes on being used is never taken away in between.
    if (after?.clientCertificate) this.#secrets.acquire(after.clientCertificate);
    if (before?.clientCertificate) this.#secrets.release(before.clientCertificate);
    if (before) this.#endpoints.releaseParts(extensionClusterName(before));
    if (after) this.#endpoints.acquireParts(extensionClusterName(after), after.services);
    if (after) update.set(typeUrls.cluster, extensionResource(after, this.#config));
    else if (before) update.delete(typeUrls.cluster, extensionClusterName(before));
  }

  #acquire(cluster: Cluster): void {
    this.#clusters.acquire(cluster);
    if (cluster.service.externalName === undefined) this.#endpoints.acquire(cluster.service);
  }

  #release(cluster: Cluster): void {
    this.#clusters.release(cluster);
    if (cluster.service.externalName === undefined) this.#endpoints.release(cluster.service);
  }

  #takeFixed(listenersChanged: boolean, update: UpdateBuilder): void {
    if (!this.#started) addFixedResources(this.#config, update);
    if (!this.#started || (listenersChanged && this.#config.listener.maxConnectionsPerListener !== undefined)) {
      update.set(typeUrls.runtime, runtimeResource(this.#config, [...this.#nodes.keys()].sort(compareStrings)));
    }
    this.#started = true;
  }
}

/** A host of a listener before and after; `undefined` where it is not served. */
interface Replacement {
  readonly before: VirtualHost | undefined;
  readonly after: VirtualHost | undefined;
}

function replaceHost(state: ListenerState, host: string, value: VirtualHost | undefined): Replacement {
  const before = state.hosts.get(host);
  state.set(host, value);
  return { before, after: state.hosts.get(host) };
}

function clusterKind(config: Config): SharedNodeKind<Cluster> {
  return {
    type: typeUrls.cluster,
    name: clusterName,
    // The name says the rest.
    content: ({ service }) => endpointsName(service),
    origin: ({ origin }) => origin,
    resource: (node, origins) =>
      sourcedResource(clusterName(node), origins, (source) =>
        encodedBytes(encode(ClusterMessage, serviceCluster(node, config.cluster, source))),
      ),
  };
}

function extensionResource(extension: ExtensionCluster, config: Config): Resource {
  return sourcedResource(
    extensionClusterName(extension),
    () => [extension.origin],
    (source) => encodedBytes(encode(ClusterMessage, extensionCluster(extension, config.cluster, source))),
  );
}

const secretKind: SharedNodeKind<SecretNode> = {
  type: typeUrls.secret,
  name: secretName,
  content: ({ certificate, privateKey }) => certificate + privateKey,
  origin: ({ origin }) => origin,
  resource: (node, origins) => sharedResource(secretName(node), origins, () => encodedBytes(encode(SecretMessage, tlsSecret(node)))),
};

/** The state of a listener without hosts. */
function listenerState(listener: Listener, config: Config): ListenerState {
  switch (listener.protocol) {
    case 'http':
      return new PlainListenerState(listener, config);
    case 'https':
      return new SecureListenerState(listener, config);
    case 'tcp':
      return new TcpListenerState(listener, config);
  }
}
