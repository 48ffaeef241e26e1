import * as fc from 'fast-check';
import type { KubeObject } from '../../pkg/apis/meta.ts';

/**
 * Arbitraries for a small, crowded world: few names and hosts, so that random objects refer to one another, conflict,
 * miss and come back. Every kind that a build reads is there.
 */
const namespaces = ['one', 'two'] as const;
const names = ['a', 'b', 'c'] as const;
const hosts = ['x.example.com', 'y.example.com', '*.example.com'] as const;
const prefixes = ['/', '/api', '/api/v1'] as const;

const namespace = fc.constantFrom(...namespaces);
const name = fc.constantFrom(...names);
const host = fc.constantFrom(...hosts);
const prefix = fc.constantFrom(...prefixes);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const few = <T>(arbitrary: fc.Arbitrary<T>, maxLength = 2) => fc.array(arbitrary, { maxLength });
const some = <T>(arbitrary: fc.Arbitrary<T>, maxLength = 2) => fc.array(arbitrary, { minLength: 1, maxLength });

/** Drops fields that are `undefined`, as JSON from an API server has none. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

type Body = Record<string, unknown>;

function kind(apiVersion: string, kindName: string, body: fc.Arbitrary<Body>): fc.Arbitrary<KubeObject> {
  return fc
    .record({ namespace, name, body, age: fc.integer({ min: 1, max: 3 }) })
    .map(({ namespace, name, body, age }) =>
      plain({ apiVersion, kind: kindName, metadata: { namespace, name, creationTimestamp: `2026-01-0${age}T00:00:00Z` }, ...body }),
    );
}

const service = fc.record({ name, port: fc.constantFrom(80, 81), weight: maybe(fc.constantFrom(0, 1, 10)) });
const secretName = fc.constantFrom('a', 'b', 'one/a', 'two/b');

const proxyRoute = fc.record({
  conditions: maybe(
    some(
      fc.oneof(
        fc.record({ prefix }),
        fc.constant({ exact: '/exact' }),
        fc.constantFrom({ regex: '/re.*' }, { regex: '/[' }),
        fc.record({ header: fc.record({ name: fc.constantFrom('x-one', 'x-two'), exact: fc.constantFrom('1', '2') }) }),
      ),
    ),
  ),
  services: maybe(some(service)),
  permitInsecure: maybe(fc.boolean()),
});

const httpProxy = kind(
  'projectcontour.io/v1',
  'HTTPProxy',
  fc
    .record({
      virtualhost: maybe(
        fc.record({ fqdn: host, tls: maybe(fc.record({ secretName: maybe(secretName), passthrough: maybe(fc.boolean()) })) }),
      ),
      routes: few(proxyRoute),
      includes: few(fc.record({ name, namespace: maybe(namespace), conditions: maybe(some(fc.record({ prefix }), 1)) })),
      tcpproxy: fc.option(fc.record({ services: some(service) }), { nil: undefined, freq: 8 }),
      ingressClassName: fc.option(fc.constant('other'), { nil: undefined, freq: 8 }),
    })
    .map((spec) => ({ spec })),
);

const backend = fc.record({ service: fc.record({ name, port: fc.record({ number: fc.constantFrom(80, 81) }) }) });

const ingress = kind(
  'networking.k8s.io/v1',
  'Ingress',
  fc
    .record({
      defaultBackend: fc.option(backend, { nil: undefined, freq: 5 }),
      tls: maybe(some(fc.record({ hosts: some(fc.constantFrom('x.example.com', 'y.example.com')), secretName }), 1)),
      rules: few(
        fc.record({
          host: maybe(host),
          http: fc.record({
            paths: some(fc.record({ path: prefix, pathType: fc.constantFrom('Prefix', 'Exact', 'ImplementationSpecific'), backend })),
          }),
        }),
      ),
    })
    .map((spec) => ({ spec })),
);

const parentRef = fc.record({
  name: fc.constantFrom('a', 'b'),
  namespace: fc.constant('one'),
  sectionName: maybe(fc.constantFrom('http', 'https')),
});
const backendRef = fc.record({
  name,
  namespace: maybe(namespace),
  port: fc.constantFrom(80, 81),
  weight: maybe(fc.constantFrom(0, 1, 5)),
  kind: fc.constant('Service'),
  group: fc.constant(''),
});

const httpRoute = kind(
  'gateway.networking.k8s.io/v1',
  'HTTPRoute',
  fc
    .record({
      parentRefs: some(parentRef),
      hostnames: few(host),
      rules: some(
        fc.record({
          matches: some(fc.record({ path: fc.record({ type: fc.constantFrom('PathPrefix', 'Exact'), value: prefix }) })),
          backendRefs: few(backendRef),
        }),
      ),
    })
    .map((spec) => ({ spec })),
);

const tlsRoute = kind(
  'gateway.networking.k8s.io/v1',
  'TLSRoute',
  fc
    .record({ parentRefs: some(parentRef), hostnames: some(host), rules: some(fc.record({ backendRefs: some(backendRef) }), 1) })
    .map((spec) => ({ spec })),
);

const gatewayListener = fc.constantFrom(
  { name: 'http', port: 80, protocol: 'HTTP' },
  { name: 'https', port: 443, protocol: 'HTTPS', tls: { mode: 'Terminate', certificateRefs: [{ kind: 'Secret', group: '', name: 'a' }] } },
  {
    name: 'https',
    port: 443,
    protocol: 'HTTPS',
    tls: { mode: 'Terminate', certificateRefs: [{ kind: 'Secret', group: '', name: 'b', namespace: 'two' }] },
  },
  { name: 'tls', port: 444, protocol: 'TLS', tls: { mode: 'Passthrough' } },
  { name: 'odd', port: 80, protocol: 'SCTP' },
);
const allowed = fc.constantFrom({ namespaces: { from: 'All' } }, { namespaces: { from: 'Same' } });

const gateway = fc
  .record({
    name: fc.constantFrom('a', 'b'),
    listeners: fc.uniqueArray(fc.tuple(gatewayListener, maybe(host), allowed), {
      minLength: 1,
      maxLength: 3,
      selector: ([{ name }]) => name,
    }),
  })
  .map(({ name, listeners }) =>
    plain({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: { namespace: 'one', name, creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: {
        gatewayClassName: 'gc',
        listeners: listeners.map(([listener, hostname, allowedRoutes]) => ({ ...listener, hostname, allowedRoutes })),
      },
    }),
  );

const gatewayClass = fc.constantFrom('projectcontour.io/gateway-controller', 'example.com/other').map((controllerName) => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'GatewayClass',
  metadata: { name: 'gc', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { controllerName },
}));

const serviceObject = kind(
  'v1',
  'Service',
  fc
    .record({
      ports: some(
        fc.constantFrom({ name: 'http', port: 80, protocol: 'TCP' }, { name: 'alt', port: 81, protocol: 'TCP' }, { port: 80 }),
        1,
      ),
      externalName: fc.option(fc.constant('backend.example.net'), { nil: undefined, freq: 6 }),
    })
    .map(({ ports, externalName }) => ({ spec: { ports, ...(externalName !== undefined && { type: 'ExternalName', externalName }) } })),
);

const endpointSlice = kind(
  'discovery.k8s.io/v1',
  'EndpointSlice',
  fc
    .record({
      addresses: some(fc.constantFrom('192.0.2.1', '192.0.2.2', '192.0.2.3'), 1),
      conditions: fc.record({ ready: maybe(fc.boolean()), serving: maybe(fc.boolean()), terminating: maybe(fc.boolean()) }),
      portName: fc.constantFrom('http', 'alt', ''),
    })
    .map(({ addresses, conditions, portName }) => ({
      addressType: 'IPv4',
      endpoints: [{ addresses, conditions }],
      ports: [{ name: portName, port: 8080, protocol: 'TCP' }],
    })),
).chain((slice) => name.map((owner) => ({ ...slice, metadata: { ...slice.metadata, labels: { 'kubernetes.io/service-name': owner } } })));

const secret = kind(
  'v1',
  'Secret',
  fc
    .constantFrom('good', 'better', 'bad')
    .map((quality) => ({ type: 'kubernetes.io/tls', data: { 'tls.crt': quality, 'tls.key': quality } })),
);

const delegation = kind(
  'projectcontour.io/v1',
  'TLSCertificateDelegation',
  fc
    .record({ delegations: some(fc.record({ secretName: name, targetNamespaces: fc.constantFrom(['*'], ['one'], ['two']) })) })
    .map((spec) => ({ spec })),
);

const referenceGrant = kind(
  'gateway.networking.k8s.io/v1',
  'ReferenceGrant',
  fc
    .record({
      from: some(
        fc.record({
          group: fc.constant('gateway.networking.k8s.io'),
          kind: fc.constantFrom('HTTPRoute', 'TLSRoute', 'Gateway'),
          namespace,
        }),
      ),
      to: some(fc.record({ group: fc.constant(''), kind: fc.constantFrom('Service', 'Secret'), name: maybe(name) })),
    })
    .map((spec) => ({ spec })),
);

const configMap = kind(
  'v1',
  'ConfigMap',
  fc.constantFrom({}, { 'ca.crt': 'one CA' }, { 'ca.crt': 'another CA' }).map((data) => ({ data })),
);

const backendTlsPolicy = kind(
  'gateway.networking.k8s.io/v1',
  'BackendTLSPolicy',
  fc
    .record({
      targetRefs: some(
        fc.record({ group: fc.constant(''), kind: fc.constant('Service'), name, sectionName: maybe(fc.constantFrom('http', 'alt')) }),
      ),
      validation: fc.record({
        hostname: fc.constantFrom('x.example.com', '10.0.0.1'),
        caCertificateRefs: some(fc.record({ group: fc.constant(''), kind: fc.constantFrom('ConfigMap', 'Secret'), name })),
      }),
    })
    .map((spec) => ({ spec })),
);

const namespaceObject = fc
  .record({ name: namespace, team: maybe(fc.constantFrom('red', 'blue')) })
  .map(({ name, team }) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: team === undefined ? {} : { team } } }));

export const anyObject: fc.Arbitrary<KubeObject> = fc.oneof(
  { arbitrary: httpProxy, weight: 6 },
  { arbitrary: ingress, weight: 4 },
  { arbitrary: httpRoute, weight: 5 },
  { arbitrary: tlsRoute, weight: 2 },
  { arbitrary: gateway, weight: 3 },
  { arbitrary: gatewayClass, weight: 1 },
  { arbitrary: serviceObject, weight: 4 },
  { arbitrary: endpointSlice, weight: 3 },
  { arbitrary: secret, weight: 3 },
  { arbitrary: delegation, weight: 1 },
  { arbitrary: referenceGrant, weight: 2 },
  { arbitrary: configMap, weight: 2 },
  { arbitrary: backendTlsPolicy, weight: 3 },
  { arbitrary: namespaceObject, weight: 1 },
);

/** One edit: write an object, or delete the one of its kind and name. */
export interface Edit {
  readonly object: KubeObject;
  readonly remove: boolean;
}

/** Batches of edits, as a controller sees them. */
export const batches: fc.Arbitrary<readonly (readonly Edit[])[]> = fc.array(
  fc.array(fc.record({ object: anyObject, remove: fc.integer({ min: 0, max: 4 }).map((n) => n === 0) }), { minLength: 1, maxLength: 3 }),
  { minLength: 1, maxLength: 30 },
);

const stamp = { creationTimestamp: '2026-01-01T00:00:00Z' };

/** What a sequence of edits starts from: enough that most random objects are served. Edits may change or delete it. */
export const firstObjects: readonly (KubeObject & Body)[] = [
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'GatewayClass',
    metadata: { name: 'gc', ...stamp },
    spec: { controllerName: 'projectcontour.io/gateway-controller' },
  },
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { namespace: 'one', name: 'a', ...stamp },
    spec: {
      gatewayClassName: 'gc',
      listeners: [
        { name: 'http', port: 80, protocol: 'HTTP', allowedRoutes: { namespaces: { from: 'All' } } },
        {
          name: 'https',
          port: 443,
          protocol: 'HTTPS',
          tls: { mode: 'Terminate', certificateRefs: [{ kind: 'Secret', group: '', name: 'a' }] },
        },
      ],
    },
  },
  ...namespaces.flatMap((namespace) => [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, ...stamp } },
    ...names.flatMap((name) => [
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { namespace, name, ...stamp },
        spec: { ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace, name, ...stamp },
        type: 'kubernetes.io/tls',
        data: { 'tls.crt': 'good', 'tls.key': 'good' },
      },
    ]),
  ]),
];
