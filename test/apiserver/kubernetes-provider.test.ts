import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { gatewayApiCrdDir } from '../../hack/lib/binaries.ts';
import type { KindName } from '../../pkg/apis/kinds.ts';
import type { KubeObject } from '../../pkg/apis/meta.ts';
import { apiVersionOf, kindInfos } from '../../pkg/apis/scheme.ts';
import type { ServeOptions } from '../../pkg/config/serve-options.ts';
import { collectionPath } from '../../pkg/controller-runtime/client/object.ts';
import type { TestEnvironment } from '../../pkg/controller-runtime/envtest/environment.ts';
import { openConnection } from '../../pkg/provider/kubernetes/connection.ts';
import { KubernetesProvider, type KubernetesProviderDeps } from '../../pkg/provider/kubernetes.ts';
import { silentLogger } from '../../pkg/util/logger.ts';
import { startApiServer } from '../lib/api-server.ts';
import { eventually } from '../lib/eventually.ts';

const route = { parentRefs: [{ name: 'gw' }], rules: [{ backendRefs: [{ name: 's', port: 80 }] }] };
const target = { group: '', kind: 'Service', name: 's' };

/** One object of each kind that is watched: what is beside `apiVersion`, `kind` and `metadata`. */
const objects: Readonly<Partial<Record<KindName, object>>> = {
  Service: { spec: { ports: [{ port: 80 }] } },
  EndpointSlice: { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ name: '', port: 80 }] },
  Secret: { type: 'Opaque', data: { 'ca.crt': 'Yw==', password: 'cA==' } },
  HTTPProxy: { spec: { virtualhost: { fqdn: 'a.example.com' } } },
  TLSCertificateDelegation: { spec: { delegations: [{ secretName: 's', targetNamespaces: ['*'] }] } },
  ExtensionService: { spec: { services: [{ name: 's', port: 80 }] } },
  Ingress: { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
  IngressClass: { spec: { controller: 'projectcontour.io/contour' } },
  ContourConfiguration: { spec: { debug: { port: 6061 } } },
  Namespace: {},
  ConfigMap: { data: { 'ca.crt': 'pem', other: 'x' } },
  GatewayClass: { spec: { controllerName: 'projectcontour.io/gateway-controller' } },
  Gateway: { spec: { gatewayClassName: 'c', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] } },
  HTTPRoute: { spec: route },
  GRPCRoute: { spec: route },
  TLSRoute: { spec: { ...route, hostnames: ['a.example.com'] } },
  TCPRoute: { spec: route },
  UDPRoute: { spec: route },
  ListenerSet: { spec: { parentRef: { name: 'gw' }, listeners: [{ name: 'more', port: 81, protocol: 'HTTP' }] } },
  BackendTLSPolicy: { spec: { targetRefs: [target], validation: { hostname: 'a.example.com', wellKnownCACertificates: 'System' } } },
  ReferenceGrant: {
    spec: { from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: 'x' }], to: [{ group: '', kind: 'Service' }] },
  },
};
const kinds = Object.keys(objects) as readonly KindName[];

let environment: TestEnvironment;
let stop: AbortController;
let runs: Promise<void>[];
let logged: string[];

beforeAll(async () => {
  environment = await startApiServer({ namespaces: ['shop', 'other'], crds: ['config/crd', gatewayApiCrdDir('experimental')] });
  for (const kind of kinds) await create(kind, 'shop');
}, 150_000);

afterAll(() => environment.stop());

beforeEach(() => {
  [stop, runs, logged] = [new AbortController(), [], []];
});

afterEach(async () => {
  stop.abort();
  await Promise.all(runs);
});

async function create(kind: KindName, namespace: string): Promise<void> {
  const info = kindInfos.get(kind);
  if (info === undefined) throw new Error(`no kind ${kind}`);
  const metadata = { name: 'a', ...(info.namespaced && { namespace }) };
  const body = { apiVersion: apiVersionOf(info.group, info.version), kind, metadata, ...objects[kind] };
  await environment.request({ method: 'POST', path: collectionPath(info, namespace), body });
}

async function start(
  options: Partial<ServeOptions> = {},
  config: Partial<KubernetesProviderDeps['config']> = {},
  kubeconfig = environment.kubeconfig,
) {
  const line = (fields: object, message: string) =>
    logged.push(`${message} ${JSON.stringify(fields)} ${String((fields as { error?: unknown }).error)}`);
  const log = { ...silentLogger, info: line, warn: line, error: line };
  const { reads } = await openConnection({ inCluster: false, kubeconfig }, { environment: {}, userAgent: 'test', log });
  const seen = new Map<string, KubeObject>();
  const provider = new KubernetesProvider({
    rest: reads,
    config: { rootNamespaces: [], gatewayRef: { namespace: 'shop', name: 'a' }, ...config },
    options: { watchNamespaces: [], disabledFeatures: [], ...options },
    handlers: [({ object }) => seen.set(`${object.kind}/${object.metadata.namespace ?? ''}/${object.metadata.name}`, object)],
    log,
  });
  runs.push(provider.run(stop.signal));
  return { provider, seen };
}

describe('with the rights that are needed', () => {
  let seen: ReadonlyMap<string, KubeObject>;
  let provider: KubernetesProvider;
  beforeEach(async () => {
    ({ seen, provider } = await start());
    await provider.ready;
  });

  test.each(kinds)('%s is told of, trimmed, in the version that we read', (kind) => {
    const info = kindInfos.get(kind);
    const key = `${kind}/${info?.namespaced === true ? 'shop' : ''}/a`;
    expect(seen.get(key)).toMatchObject({ kind, apiVersion: apiVersionOf(info?.group ?? '', info?.version ?? ''), ...kept(kind) });
    expect(seen.get(key)).not.toHaveProperty('metadata.managedFields');
    expect(provider.live({ kind, namespace: info?.namespaced === true ? 'shop' : '', name: 'a' })).toBe(seen.get(key));
  });

  function kept(kind: KindName): object {
    if (kind === 'Secret') return { data: { 'ca.crt': 'Yw==' } };
    if (kind === 'ConfigMap') return { data: { 'ca.crt': 'pem' } };
    return objects[kind] ?? {};
  }
});

describe('what is not watched', () => {
  test('without a Gateway: its kinds', async () => {
    const { provider, seen } = await start({}, { gatewayRef: undefined as never });
    await provider.ready;
    expect(provider.informer('HTTPRoute')).toBeUndefined();
    expect([...seen.keys()].filter((key) => /Gateway|Route|Namespace|ConfigMap/.test(key))).toEqual([]);
    expect(seen.has('HTTPProxy/shop/a')).toBe(true);
  });

  test('features that are disabled', async () => {
    const { provider } = await start({ disabledFeatures: ['extensionservices', 'tcproutes'] });
    await provider.ready;
    expect([provider.informer('ExtensionService'), provider.informer('TCPRoute')]).toEqual([undefined, undefined]);
  });

  test('other namespaces; but kinds without a namespace are', async () => {
    const { provider, seen } = await start({ watchNamespaces: ['other'] });
    await provider.ready;
    expect(seen.has('HTTPProxy/shop/a')).toBe(false);
    expect(seen.has('GatewayClass//a')).toBe(true);
    await create('Service', 'other');
    await eventually('the Service', () => seen.has('Service/other/a'));
  });

  test('Secrets outside of the root namespaces and those that the configuration names', async () => {
    await create('Secret', 'default');
    await create('Secret', 'other');
    const { provider, seen } = await start({}, { rootNamespaces: ['shop'], fallbackCertificate: { namespace: 'other', name: 'a' } });
    await provider.ready;
    expect([...seen.keys()].filter((key) => key.startsWith('Secret/')).toSorted()).toEqual(['Secret/other/a', 'Secret/shop/a']);
    expect(seen.has('HTTPProxy/shop/a')).toBe(true);
  });

  test('releases of Helm and tokens', async () => {
    for (const type of ['helm.sh/release.v1', 'kubernetes.io/service-account-token']) {
      const annotations = { 'kubernetes.io/service-account.name': 'default' };
      const metadata = { generateName: 'ignored-', annotations };
      await environment.request({ method: 'POST', path: '/api/v1/namespaces/shop/secrets', body: { metadata, type } });
    }
    const { provider, seen } = await start();
    await provider.ready;
    expect([...seen.keys()].filter((key) => key.includes('ignored-'))).toEqual([]);
  });
});

describe('with fewer rights', () => {
  const read = ['get', 'list', 'watch'];

  test('the missing verb and resource are named, and nothing counts as synced', async () => {
    const kubeconfig = await environment.addUser('no-proxies', [
      { apiGroups: ['', 'discovery.k8s.io', 'networking.k8s.io'], resources: ['*'], verbs: read },
    ]);
    const { provider } = await start({}, { gatewayRef: undefined as never }, kubeconfig);
    await eventually('the refusals', () => logged.filter((line) => line.includes('no permission')).length >= 4);
    for (const resource of ['httpproxies', 'tlscertificatedelegations', 'extensionservices']) {
      expect(logged.join('\n')).toMatch(
        new RegExp(`no permission for verb "(list|watch)" on resource "${resource}" of API group "projectcontour.io"`),
      );
    }
    expect(logged.join('\n')).toContain('- {apiGroups: ["projectcontour.io"], resources: ["httpproxies"], verbs: ["');
    await eventually('the other kinds', () => provider.unsynced().length === 3);
    expect(provider.unsynced().toSorted()).toEqual(['ExtensionService', 'HTTPProxy', 'TLSCertificateDelegation']);
  });

  test('the role of Contour is enough: kinds that it does not know count as empty', async () => {
    const contour = [
      'backendtlspolicies',
      'gatewayclasses',
      'gateways',
      'grpcroutes',
      'httproutes',
      'referencegrants',
      'tcproutes',
      'tlsroutes',
    ];
    const kubeconfig = await environment.addUser('contour', [
      { apiGroups: [''], resources: ['secrets', 'services', 'namespaces', 'configmaps'], verbs: read },
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: read },
      { apiGroups: ['networking.k8s.io'], resources: ['ingresses'], verbs: read },
      { apiGroups: ['projectcontour.io'], resources: ['*'], verbs: read },
      { apiGroups: ['gateway.networking.k8s.io'], resources: contour, verbs: read },
    ]);
    const { provider, seen } = await start({}, {}, kubeconfig);
    await provider.ready;
    expect(seen.has('HTTPRoute/shop/a')).toBe(true);
    expect(['UDPRoute', 'ListenerSet', 'IngressClass'].map((kind) => provider.informer(kind)?.size)).toEqual([0, 0, 0]);
  });
});
