/** The objects of a benchmark: routes with a host, a Service and an EndpointSlice of their own. */
import type { RouteKind } from './driver.ts';
import { ports } from './ports.ts';

export const namespace = 'bench';
/** The response header in which a route tells its revision. */
export const revisionHeader = 'x-bench-revision';

export const collections = {
  services: `/api/v1/namespaces/${namespace}/services`,
  slices: `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`,
} as const;

const routeTypes: Readonly<Record<RouteKind, { readonly apiVersion: string; readonly kind: string; readonly plural: string }>> = {
  httpproxy: { apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy', plural: 'httpproxies' },
  httproute: { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', plural: 'httproutes' },
  ingress: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', plural: 'ingresses' },
};

/** Blocks of addresses, two a Service, so that an answer tells which Service and version it came from. */
export const addressBlocks = { base: 2, propagation: 50_000, churn: 60_000, storm: 80_000 } as const;

/** An address of the block for benchmarks. @param index from 0 up to 131,071 */
export function address(index: number): string {
  return `198.${18 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
}

/** The two addresses of a Service. */
export function addressPair(block: keyof typeof addressBlocks, i: number): readonly [string, string] {
  const first = addressBlocks[block] + 2 * i;
  return [address(first), address(first + 1)];
}

export function host(name: string): string {
  return `${name}.bench.test`;
}

export function baseName(i: number): string {
  return `b${String(i).padStart(5, '0')}`;
}

export function service(name: string): object {
  return { metadata: { name }, spec: { clusterIP: 'None', ports: [{ name: 'http', port: 80, targetPort: 8080 }] } };
}

export function endpoints(addresses: readonly string[]): readonly object[] {
  return addresses.map((each) => ({ addresses: [each], conditions: { ready: true, serving: true, terminating: false } }));
}

export function slice(name: string, addresses: readonly string[]): object {
  return {
    metadata: { name, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints: endpoints(addresses),
    ports: [{ name: 'http', port: ports.backend, protocol: 'TCP' }],
  };
}

/** What a route says. */
export interface RouteContent {
  readonly service: string;
  /** Set as a response header; an Ingress cannot. */
  readonly revision?: string;
}

/** Routes of one kind. */
export class Workload {
  readonly kind: RouteKind;
  readonly collection: string;
  readonly #gateway: readonly [namespace: string, name: string];

  constructor(kind: RouteKind, gateway: readonly [namespace: string, name: string]) {
    this.kind = kind;
    const { apiVersion, plural } = routeTypes[kind];
    this.collection = `/apis/${apiVersion}/namespaces/${namespace}/${plural}`;
    this.#gateway = gateway;
  }

  route(name: string, content: RouteContent): object {
    const { apiVersion, kind } = routeTypes[this.kind];
    return { apiVersion, kind, metadata: { name }, spec: this.#spec(name, content) };
  }

  /** A merge patch that gives a route another content. */
  patch(name: string, content: RouteContent): object {
    const { virtualhost: _, hostnames: __, parentRefs: ___, ...spec } = this.#spec(name, content) as Record<string, unknown>;
    return { spec };
  }

  #spec(name: string, { service: target, revision }: RouteContent): object {
    const set = revision === undefined ? undefined : [{ name: revisionHeader, value: revision }];
    const backend = { name: target, port: 80 };
    if (this.kind === 'httpproxy') {
      const policy = set && { responseHeadersPolicy: { set } };
      return { virtualhost: { fqdn: host(name) }, routes: [{ conditions: [{ prefix: '/' }], services: [backend], ...policy }] };
    }
    if (this.kind === 'httproute') {
      const [namespace, gateway] = this.#gateway;
      const filters = set && [{ type: 'ResponseHeaderModifier', responseHeaderModifier: { set } }];
      const rule = { matches: [{ path: { type: 'PathPrefix', value: '/' } }], backendRefs: [backend], ...(filters && { filters }) };
      return { parentRefs: [{ namespace, name: gateway }], hostnames: [host(name)], rules: [rule] };
    }
    const path = { path: '/', pathType: 'Prefix', backend: { service: { name: target, port: { number: 80 } } } };
    return { rules: [{ host: host(name), http: { paths: [path] } }] };
  }
}
