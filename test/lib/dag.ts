/** Nodes of the DAG for tests: small values with defaults that a test does not care for. */
import type { EndpointSlice } from '../../pkg/apis/discovery/v1/endpoint-slice.ts';
import type { Cluster, SecretNode, ServicePort } from '../../pkg/dag/model/cluster.ts';
import type { Dag, DagChanges } from '../../pkg/dag/model/dag.ts';
import type { Listener } from '../../pkg/dag/model/listener.ts';
import type { Origin } from '../../pkg/dag/model/origin.ts';
import type { Route, RouteAction } from '../../pkg/dag/model/route.ts';
import type { VirtualHost } from '../../pkg/dag/model/virtual-host.ts';

export function origin(name = 'app', path = ''): Origin {
  return { kind: 'HTTPProxy', namespace: 'ns', name, path };
}

export function servicePort(name = 'web', fields: Partial<ServicePort> = {}): ServicePort {
  return { namespace: 'ns', name, port: 80, portName: '', ...fields };
}

export function cluster(service = 'web', fields: Partial<Cluster> = {}): Cluster {
  return { service: servicePort(service), loadBalancerPolicy: 'RoundRobin', circuitBreakers: {}, origin: origin(), ...fields };
}

/** Forwards to one cluster. */
export function forward(to: Cluster): RouteAction {
  return { type: 'forward', clusters: [{ cluster: to, weight: 1 }] };
}

/** A route for a path prefix. */
export function route(prefix = '/', fields: Partial<Route> = {}): Route {
  return {
    match: { path: { type: 'prefix', prefix, by: 'string' }, headers: [], queryParameters: [] },
    action: forward(cluster()),
    httpsRedirect: false,
    priority: 0,
    origin: origin(),
    ...fields,
  };
}

export function virtualHost(listener: string, host: string, fields: Partial<VirtualHost> = {}): VirtualHost {
  return { listener, host, routes: [route()], origins: [origin()], dropped: [], ...fields };
}

export function listener(name: string, fields: Partial<Listener> = {}): Listener {
  const protocol = name.includes('https') ? 'https' : name.startsWith('tcp') ? 'tcp' : 'http';
  return { name, protocol, address: '127.0.0.1', port: protocol === 'https' ? 8443 : 8080, origin: origin('listeners'), ...fields };
}

export function secretNode(name = 'tls', fields: Partial<SecretNode> = {}): SecretNode {
  return {
    namespace: 'ns',
    name,
    certificate: `certificate of ${name}`,
    privateKey: `key of ${name}`,
    origin: { kind: 'Secret', namespace: 'ns', name, path: '' },
    ...fields,
  };
}

/** A host behind TLS with one certificate. */
export function secureHost(name: string, host: string, fields: Partial<VirtualHost> = {}): VirtualHost {
  return virtualHost(name, host, { tls: { type: 'terminate', secrets: [secretNode()], minVersion: '1.2', maxVersion: '1.3' }, ...fields });
}

export function endpointSlice(
  service: string,
  addresses: readonly string[],
  fields: Partial<EndpointSlice> & { readonly name?: string } = {},
): EndpointSlice {
  const { name = `${service}-1`, ...rest } = fields;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: 'ns', name, labels: { 'kubernetes.io/service-name': service } },
    addressType: 'IPv4',
    ports: [{ name: '', port: 8000, protocol: 'TCP' }],
    endpoints: addresses.map((address) => ({ addresses: [address] })),
    ...rest,
  };
}

/** A DAG that tests change as a builder would, with the changes of each step. */
export class TestDag implements Dag {
  readonly listeners = new Map<string, Listener>();
  readonly virtualHosts = new Map<string, Map<string, VirtualHost>>();

  /** Puts listeners and hosts in, and takes out those given as `[listener, host]` or as a listener's name. */
  change(values: {
    readonly listeners?: readonly Listener[];
    readonly hosts?: readonly VirtualHost[];
    readonly without?: readonly (string | readonly [string, string])[];
  }): DagChanges {
    const changed = {
      listeners: new Map<string, Listener | undefined>(),
      hosts: new Map<string, readonly [string, string, VirtualHost | undefined]>(),
    };
    for (const value of values.listeners ?? []) changed.listeners.set(value.name, value);
    for (const value of values.hosts ?? []) changed.hosts.set(`${value.listener}|${value.host}`, [value.listener, value.host, value]);
    for (const gone of values.without ?? []) {
      if (typeof gone === 'string') changed.listeners.set(gone, undefined);
      else changed.hosts.set(gone.join('|'), [gone[0], gone[1], undefined]);
    }
    return {
      listeners: [...changed.listeners].map(([name, after]) => ({ name, before: put(this.listeners, name, after), after })),
      virtualHosts: [...changed.hosts.values()].map(([name, host, after]) => {
        const hosts = this.virtualHosts.getOrInsertComputed(name, () => new Map<string, VirtualHost>());
        return { listener: name, host, before: put(hosts, host, after), after };
      }),
    };
  }
}

function put<T>(map: Map<string, T>, key: string, value: T | undefined): T | undefined {
  const before = map.get(key);
  if (value === undefined) map.delete(key);
  else map.set(key, value);
  return before;
}
