import type { ObjectRef, WantedCondition } from '../apis/meta.ts';
import type { Problem } from '../util/outcome.ts';
import type { ExtensionCluster } from './model/extension-cluster.ts';
import type { Listener } from './model/listener.ts';
import type { VirtualHostPart } from './model/virtual-host.ts';

/**
 * What a processor makes of one root: values only. Two builds with the same reads give equal contributions;
 * nothing in it depends on other roots, on time or on order.
 */
export interface Contribution {
  /** Listeners that this root brings (the static ones, or those of a Gateway). */
  readonly listeners: readonly Listener[];
  readonly virtualHosts: readonly VirtualHostPart[];
  /** The upstream that this root is. */
  readonly extensionCluster?: ExtensionCluster;
  /** What this root has to say of objects: of itself, and of those that it reached. */
  readonly statuses: readonly StatusPart[];
  /** Attachments of routes to listeners of a Gateway, counted into its status. */
  readonly attachments: readonly Attachment[];
  /** What is wrong with objects whose API has no place for it in a status (Ingress): for the log and for events. */
  readonly notices?: readonly Notice[];
}

/** A problem of an object that has no status for it. */
export interface Notice {
  readonly object: ObjectRef;
  readonly problem: Problem;
}

export const emptyContribution: Contribution = { listeners: [], virtualHosts: [], statuses: [], attachments: [] };

/** A route's accepted parentRef on one listener. */
export interface Attachment {
  readonly gateway: ObjectRef;
  readonly listener: string;
}

/** One root's word on one object. All words on an object are merged in `status/`. */
export type StatusPart = DetailedStatusPart | RouteStatusPart | GatewayStatusPart | PolicyStatusPart | LoadBalancerStatusPart;

/** HTTPProxy and ExtensionService: one condition `Valid` with errors and warnings. */
export interface DetailedStatusPart {
  readonly type: 'detailed';
  readonly object: ObjectRef;
  readonly generation: number;
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** A proxy that is no root says this of itself; any other root's word on it outweighs it. */
  readonly orphan?: true;
}

/** HTTPRoute, TLSRoute, … : an entry of `status.parents` for each parentRef that is ours. */
export interface RouteStatusPart {
  readonly type: 'route';
  readonly object: ObjectRef;
  readonly generation: number;
  readonly parents: readonly RouteParentStatus[];
}

export interface RouteParentStatus {
  /** The parentRef as the route has it. */
  readonly parentRef: Readonly<Record<string, unknown>>;
  readonly controllerName: string;
  readonly conditions: readonly WantedCondition[];
}

/** Gateway: its conditions and those of its listeners. `attachedRoutes` is counted from all attachments. */
export interface GatewayStatusPart {
  readonly type: 'gateway';
  readonly object: ObjectRef;
  readonly generation: number;
  readonly conditions: readonly WantedCondition[];
  readonly listeners: readonly GatewayListenerStatus[];
}

export interface GatewayListenerStatus {
  readonly name: string;
  readonly supportedKinds: readonly { readonly group: string; readonly kind: string }[];
  readonly conditions: readonly WantedCondition[];
}

/** BackendTLSPolicy: an entry of `status.ancestors` for each Gateway that it counts for. The words of several roots are joined. */
export interface PolicyStatusPart {
  readonly type: 'policy';
  readonly object: ObjectRef;
  readonly generation: number;
  readonly ancestors: readonly PolicyAncestorStatus[];
}

export interface PolicyAncestorStatus {
  readonly ancestorRef: Readonly<Record<string, unknown>>;
  readonly controllerName: string;
  readonly conditions: readonly WantedCondition[];
}

/** Ingress: nothing but `status.loadBalancer`, which the load balancer status writer adds; it marks the object as ours. */
export interface LoadBalancerStatusPart {
  readonly type: 'load-balancer';
  readonly object: ObjectRef;
  readonly generation: number;
}
