import type { KindName } from '../../../pkg/apis/kinds.ts';
import { apiVersionOf, kindInfos } from '../../../pkg/apis/scheme.ts';
import { collectionPath, type KubeObject, type ResourceKind } from '../../../pkg/controller-runtime/client/object.ts';
import type { TestEnvironment } from '../../../pkg/controller-runtime/envtest/environment.ts';
import type { Random } from '../../lib/random.ts';

/** An object to apply: all but `apiVersion` and `metadata`. */
export interface Manifest {
  readonly kind: KindName;
  readonly name: string;
  readonly [field: string]: unknown;
}

export const namespace = 'shop';

/** Stands in EndpointSlices for `backendAddress`, which an API server does not take: it is loopback. */
export const backendPlaceholder = '192.0.2.10';
export const backendAddress = '127.0.0.10';

/** More than that many tenants there never are, so that random changes often meet the same ones. */
const tenants = 8;

export interface WorldOptions {
  /** Of the Gateway's two listeners. */
  readonly ports: { readonly http: number; readonly https: number };
  readonly backendPort: number;
  /** PEM. */
  readonly certificate: string;
  readonly privateKey: string;
}

/** The objects of a cluster, and random changes of some of them. */
export class World {
  readonly #environment: TestEnvironment;
  readonly #random: Random;
  readonly #backendPort: number;

  constructor(environment: TestEnvironment, random: Random, backendPort: number) {
    this.#environment = environment;
    this.#random = random;
    this.#backendPort = backendPort;
  }

  async create(options: WorldOptions): Promise<void> {
    for (const manifest of initialObjects(options)) await this.apply(manifest);
  }

  /** Creates or replaces an object. */
  async apply({ kind, name, ...fields }: Manifest): Promise<KubeObject> {
    const info = infoOf(kind);
    const path = `${collectionPath(info, namespace)}/${name}?fieldManager=world&force=true`;
    const body = { apiVersion: apiVersionOf(info.group, info.version), kind, metadata: { name }, ...fields };
    return (await this.#environment.request({ method: 'PATCH', path, body, contentType: 'application/apply-patch+yaml' })) as KubeObject;
  }

  /** Removes an object, if it is there. */
  async remove(kind: KindName, name: string): Promise<void> {
    const path = `${collectionPath(infoOf(kind), namespace)}/${name}`;
    await this.#environment.request({ method: 'DELETE', path }).catch((error: { readonly status?: number }) => {
      if (error.status !== 404) throw error;
    });
  }

  /** An object as it is now. */
  async get(kind: KindName, name: string): Promise<KubeObject & { readonly status?: Readonly<Record<string, unknown>> }> {
    return (await this.#environment.request({ method: 'GET', path: `${collectionPath(infoOf(kind), namespace)}/${name}` })) as KubeObject;
  }

  /** Makes so many random changes of tenants, one after the other: a host may come before its Service, and stay when that goes. */
  async churn(changes: number): Promise<void> {
    for (let i = 0; i < changes; i++) await this.#change(`tenant-${this.#random.below(tenants)}`);
  }

  /** A host that did not exist before. */
  async addHost(name: string): Promise<void> {
    await this.apply(httpProxy(name, 'app'));
  }

  async #change(tenant: string): Promise<void> {
    const kinds = ['Service', 'EndpointSlice', 'HTTPProxy', 'HTTPProxy', 'HTTPRoute', 'Secret'] as const;
    const kind = kinds[this.#random.below(kinds.length)] ?? 'HTTPProxy';
    if (this.#random.below(4) === 0) await this.remove(kind, tenant);
    else await this.apply(this.#tenantObject(kind, tenant));
  }

  #tenantObject(kind: KindName, name: string): Manifest {
    const variant = this.#random.below(3);
    switch (kind) {
      case 'Service':
        return service(name, 80 + variant);
      case 'EndpointSlice':
        return endpointSlice(name, this.#backendPort + variant);
      case 'HTTPRoute':
        return httpRoute(name, `${name}-route.example.com`, `/v${variant}`);
      case 'Secret':
        return { kind, name, type: 'Opaque', data: { 'ca.crt': 'bm90IGEgY2VydGlmaWNhdGU=' } };
      default:
        return httpProxy(name, name, { tls: variant === 0, prefix: `/v${variant}` });
    }
  }
}

function infoOf(kind: KindName): ResourceKind {
  const info = kindInfos.get(kind);
  if (info === undefined) throw new Error(`no kind ${kind}`);
  return info;
}

function service(name: string, port = 80): Manifest {
  return { kind: 'Service', name, spec: { ports: [{ name: 'http', port, targetPort: 8080 }] } };
}

function endpointSlice(name: string, port: number): Manifest {
  return {
    kind: 'EndpointSlice',
    name,
    metadata: { name, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port }],
    endpoints: [{ addresses: [backendPlaceholder], conditions: { ready: true } }],
  };
}

function httpProxy(name: string, backend: string, { tls = false, prefix = '/' } = {}): Manifest {
  return {
    kind: 'HTTPProxy',
    name,
    spec: {
      virtualhost: { fqdn: `${name}.example.com`, ...(tls && { tls: { secretName: 'certificate' } }) },
      routes: [{ conditions: [{ prefix }], services: [{ name: backend, port: 80 }] }],
    },
  };
}

function httpRoute(name: string, hostname: string, value: string): Manifest {
  const rules = [{ matches: [{ path: { type: 'PathPrefix', value } }], backendRefs: [{ name: 'app', port: 80 }] }];
  return { kind: 'HTTPRoute', name, spec: { parentRefs: [{ name: 'gateway' }], hostnames: [hostname], rules } };
}

function initialObjects({ ports, backendPort, certificate, privateKey }: WorldOptions): readonly Manifest[] {
  const data = { 'tls.crt': btoa(certificate), 'tls.key': btoa(privateKey) };
  const listeners = [
    { name: 'http', port: ports.http, protocol: 'HTTP' },
    { name: 'https', port: ports.https, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'certificate' }] } },
  ];
  const backend = { service: { name: 'app', port: { number: 80 } } };
  const paths = [{ path: '/', pathType: 'Prefix', backend }];
  return [
    { kind: 'Secret', name: 'certificate', type: 'kubernetes.io/tls', data },
    { kind: 'GatewayClass', name: 'isoline', spec: { controllerName: 'projectcontour.io/gateway-controller' } },
    { kind: 'Gateway', name: 'gateway', spec: { gatewayClassName: 'isoline', listeners } },
    service('app'),
    endpointSlice('app', backendPort),
    httpProxy('app', 'app'),
    httpProxy('secure', 'app', { tls: true }),
    httpProxy('broken', 'missing'),
    httpRoute('route', 'route.example.com', '/'),
    { kind: 'Ingress', name: 'ingress', spec: { rules: [{ host: 'ingress.example.com', http: { paths } }] } },
  ];
}
