import type { CommonRouteSpec, ParentReference, RouteStatus } from '../apis/gateway/common.ts';
import type { KindMap, KindName } from '../apis/kinds.ts';
import type { KubeObject } from '../apis/meta.ts';
import type { Config } from '../config/config.ts';
import { ingressClassMatches } from '../k8s/ingress-class.ts';

/** What decides which objects are our business. */
export type RelevanceConfig = Pick<Config, 'ingressClassNames' | 'gatewayRef' | 'gatewayControllerName'>;

type Relevance<T> = (object: T, config: RelevanceConfig) => boolean;

interface RouteObject extends KubeObject {
  readonly spec: CommonRouteSpec;
  readonly status?: RouteStatus;
}

const group = 'gateway.networking.k8s.io';

/** Objects of another ingress class do not exist for us. @see reference 4.1 */
const hasOurClass: Relevance<KubeObject> = (object, { ingressClassNames }) => ingressClassMatches(object, ingressClassNames);

const isOurGateway: Relevance<KubeObject> = ({ metadata }, { gatewayRef }) =>
  metadata.name === gatewayRef?.name && metadata.namespace === gatewayRef.namespace;

/** A route of our Gateway or of a set of listeners, which may be of our Gateway, or one whose status says that it was: then that has to go. */
const concernsOurGateway: Relevance<RouteObject> = ({ metadata: { namespace = '' }, spec, status }, config) =>
  (spec.parentRefs ?? []).some((parent) => mayBeOurs(parent, namespace, config)) ||
  (status?.parents ?? []).some(
    ({ controllerName, parentRef }) => controllerName === config.gatewayControllerName && mayBeOurs(parentRef, namespace, config),
  );

/**
 * The kinds whose objects may be none of our business, with what tells that they are. What is not is not kept: a build never sees it.
 * Each of them has a reconciler of its own; of all other kinds every object counts.
 */
export const relevance: { readonly [K in KindName]?: Relevance<KindMap[K]> } = {
  HTTPProxy: hasOurClass,
  Ingress: hasOurClass,
  Gateway: isOurGateway,
  HTTPRoute: concernsOurGateway,
  GRPCRoute: concernsOurGateway,
  TLSRoute: concernsOurGateway,
  TCPRoute: concernsOurGateway,
  UDPRoute: concernsOurGateway,
  ListenerSet: ({ metadata, spec }, config) => mayBeOurs(spec.parentRef, metadata.namespace ?? '', config),
};

/** Whether an object is our business. */
export function isRelevant(object: KubeObject, config: RelevanceConfig): boolean {
  const decide = relevance[object.kind as KindName] as Relevance<KubeObject> | undefined;
  return decide === undefined || decide(object, config);
}

function mayBeOurs(parent: ParentReference, namespace: string, { gatewayRef }: RelevanceConfig): boolean {
  if ((parent.group ?? group) !== group || gatewayRef === undefined) return false;
  if (parent.kind === 'ListenerSet') return true;
  return (
    (parent.kind ?? 'Gateway') === 'Gateway' && parent.name === gatewayRef.name && (parent.namespace ?? namespace) === gatewayRef.namespace
  );
}
