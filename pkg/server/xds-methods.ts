import type { MethodDefinition } from '@grpc/grpc-js';
import { type ConfigSourceKind, type TypeUrl, typeUrls } from '../xdscache/resource.ts';
import type { Protocol } from './xds-wire.ts';

/** A gRPC method that streams resources. */
export interface XdsMethod {
  /** Such as `/envoy.service.cluster.v3.ClusterDiscoveryService/DeltaClusters`. */
  readonly path: string;
  readonly protocol: Protocol;
  /** The type of a request that names none; absent on aggregated streams, where each request must name one. */
  readonly defaultType?: TypeUrl;
  /** How resources on such a stream refer to others. */
  readonly source: ConfigSourceKind;
}

const singleTypeServices: readonly { readonly type: TypeUrl; readonly service: string; readonly what: string }[] = [
  { type: typeUrls.cluster, service: 'envoy.service.cluster.v3.ClusterDiscoveryService', what: 'Clusters' },
  { type: typeUrls.endpoint, service: 'envoy.service.endpoint.v3.EndpointDiscoveryService', what: 'Endpoints' },
  { type: typeUrls.listener, service: 'envoy.service.listener.v3.ListenerDiscoveryService', what: 'Listeners' },
  { type: typeUrls.route, service: 'envoy.service.route.v3.RouteDiscoveryService', what: 'Routes' },
  { type: typeUrls.scopedRoute, service: 'envoy.service.route.v3.ScopedRoutesDiscoveryService', what: 'ScopedRoutes' },
  { type: typeUrls.secret, service: 'envoy.service.secret.v3.SecretDiscoveryService', what: 'Secrets' },
  { type: typeUrls.runtime, service: 'envoy.service.runtime.v3.RuntimeDiscoveryService', what: 'Runtime' },
];

const aggregated = '/envoy.service.discovery.v3.AggregatedDiscoveryService';

/** Every method that is served: the aggregated ones, and two for each type. */
export const xdsMethods: readonly XdsMethod[] = [
  { path: `${aggregated}/DeltaAggregatedResources`, protocol: 'delta', source: 'ads' },
  { path: `${aggregated}/StreamAggregatedResources`, protocol: 'sotw', source: 'ads' },
  ...singleTypeServices.flatMap(({ type, service, what }): XdsMethod[] => [
    { path: `/${service}/Delta${what}`, protocol: 'delta', defaultType: type, source: 'grpc' },
    { path: `/${service}/Stream${what}`, protocol: 'sotw', defaultType: type, source: 'grpc' },
  ]),
];

const identity = (bytes: Buffer): Buffer => bytes;

/** The gRPC definition of a method, whose messages are bytes: what is sent is serialised once for all streams. */
export function methodDefinition({ path }: XdsMethod): MethodDefinition<Buffer, Buffer> {
  return {
    path,
    requestStream: true,
    responseStream: true,
    requestSerialize: identity,
    requestDeserialize: identity,
    responseSerialize: identity,
    responseDeserialize: identity,
  };
}
