/** Small resources for tests of the xDS server, of real types so that a client can decode them. */
import { fromJson } from '../../pkg/envoy/json.ts';
import { murmur3 } from '../../pkg/util/murmur3.ts';
import { encodedResource, type Resource, type SnapshotUpdate, type TypeUrl, typeUrls } from '../../pkg/xdscache/resource.ts';

/** A resource of a type from protobuf JSON. */
export function resource(type: TypeUrl, name: string, json: Readonly<Record<string, unknown>>): Resource {
  const bytes = fromJson(type, json);
  const origin = { kind: 'HTTPProxy', namespace: 'default', name, path: '' };
  return encodedResource(name, [origin], { version: murmur3(bytes), bytes });
}

/** An EDS cluster; `timeout` is there to be changed. */
export function cluster(name: string, timeout = '1s', serviceName = name): Resource {
  const edsClusterConfig = { eds_config: { ads: {}, resource_api_version: 'V3' }, service_name: serviceName };
  return resource(typeUrls.cluster, name, { name, type: 'EDS', connect_timeout: timeout, eds_cluster_config: edsClusterConfig });
}

/** A ClusterLoadAssignment with one endpoint on loopback. */
export function endpoints(clusterName: string, port = 80): Resource {
  const address = { socket_address: { address: '127.0.0.1', port_value: port } };
  return resource(typeUrls.endpoint, clusterName, {
    cluster_name: clusterName,
    endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }],
  });
}

/** A RouteConfiguration that answers every request with a body. */
export function routes(name: string, body = 'hello'): Resource {
  const route = { match: { prefix: '/' }, direct_response: { status: 200, body: { inline_string: body } } };
  return resource(typeUrls.route, name, { name, virtual_hosts: [{ name: 'all', domains: ['*'], routes: [route] }] });
}

/** A Listener without filters: good for protocol tests only. */
export function listener(name: string, port = 80): Resource {
  return resource(typeUrls.listener, name, { name, address: { socket_address: { address: '127.0.0.1', port_value: port } } });
}

/** An update: by short type name, the resources that are there now and the names that go. */
export function update(
  changes: {
    readonly [T in keyof typeof typeUrls]?: readonly (Resource | { readonly remove: string })[];
  },
): SnapshotUpdate {
  const types = Object.entries(changes) as [keyof typeof typeUrls, readonly (Resource | { readonly remove: string })[]][];
  return new Map(
    types.map(([type, list]) => [
      typeUrls[type],
      new Map(list.map((one): [string, Resource | undefined] => ('remove' in one ? [one.remove, undefined] : [one.name, one]))),
    ]),
  );
}
