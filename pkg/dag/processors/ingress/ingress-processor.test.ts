import { describe, expect, test } from '@jest/globals';
import { testConfig } from '../../../../test/lib/config.ts';
import { memoryReader, object, service, tlsSecretObject } from '../../../../test/lib/memory-reader.ts';
import type { KubeObject } from '../../../apis/meta.ts';
import type { Config } from '../../../config/config.ts';
import type { Contribution } from '../../contribution.ts';
import type { Route } from '../../model/route.ts';
import { ingressProcessor } from './ingress-processor.ts';

const host = 'app.example.com';
const backend = (name = 'web', port: object = { number: 80 }) => ({ service: { name, port } });
const rule = (path: string, pathType = 'Prefix', more: object = {}) => ({
  host,
  http: { paths: [{ path, pathType, backend: backend(), ...more }] },
});
const ingress = (spec: object, annotations: Record<string, string> = {}) => object('Ingress', 'ns/app', { spec }, { annotations });

function build(root: KubeObject, others: readonly KubeObject[] = [service('ns/web')], config: Config = testConfig()): Contribution {
  const { namespace = '', name } = root.metadata;
  return ingressProcessor.process({ kind: 'Ingress', namespace, name }, memoryReader([root, ...others]), config);
}

function partOn(contribution: Contribution, listener: string, wanted = host) {
  return contribution.virtualHosts.find((part) => part.listener === listener && part.host === wanted);
}

/** The one plaintext route of an Ingress with one path. */
function onlyRoute(contribution: Contribution): Route {
  const routes = contribution.virtualHosts.filter(({ listener }) => listener === 'ingress_http').flatMap((part) => part.routes);
  expect(routes).toHaveLength(1);
  return routes[0]!;
}

describe('paths', () => {
  test.each([
    { pathType: 'Prefix', path: '/seg', want: { type: 'prefix', prefix: '/seg', by: 'segment' } },
    { pathType: 'Prefix', path: '/seg//', want: { type: 'prefix', prefix: '/seg', by: 'segment' } },
    { pathType: 'Prefix', path: '/', want: { type: 'prefix', prefix: '/', by: 'string' } },
    { pathType: 'Prefix', path: '', want: { type: 'prefix', prefix: '/', by: 'string' } },
    { pathType: 'Prefix', path: '/{a|b}', want: { type: 'prefix', prefix: '/{a|b}', by: 'segment' } },
    { pathType: 'Exact', path: '/exact', want: { type: 'exact', path: '/exact' } },
    { pathType: 'ImplementationSpecific', path: '/impl', want: { type: 'prefix', prefix: '/impl', by: 'string' } },
    { pathType: 'ImplementationSpecific', path: '/item/[0-9]+', want: { type: 'regex', regex: '/item/[0-9]+' } },
  ])('$pathType "$path"', ({ pathType, path, want }) => {
    const { match } = onlyRoute(build(ingress({ rules: [rule(path, pathType)] })));
    expect(match).toEqual({ path: want, headers: [], queryParameters: [] });
  });

  test.each([
    { pathType: 'ImplementationSpecific', path: '/a[' },
    { pathType: 'Prefix', path: '/a?b' },
  ])('$pathType "$path" is left out and told of; the other paths stay', ({ pathType, path }) => {
    const paths = [
      { path, pathType, backend: backend() },
      { path: '/ok', pathType: 'Prefix', backend: backend() },
    ];
    const contribution = build(ingress({ rules: [{ host, http: { paths } }] }));
    expect(onlyRoute(contribution).match.path).toEqual({ type: 'prefix', prefix: '/ok', by: 'segment' });
    expect(contribution.notices).toHaveLength(1);
    expect(contribution.notices?.[0]?.problem).toMatchObject({
      reason: 'PathNotValid',
      message: expect.stringContaining('spec.rules[0].http.paths[0].path'),
    });
  });
});

describe('hosts', () => {
  test('a rule without a host serves `*`, and never on TLS', () => {
    const spec = { tls: [{ hosts: ['*'], secretName: 'cert' }], rules: [{ http: rule('/').http }] };
    const { virtualHosts } = build(ingress(spec), [service('ns/web'), tlsSecretObject('ns/cert')]);
    expect(virtualHosts.map((part) => [part.listener, part.host])).toEqual([['ingress_http', '*']]);
  });

  test('a wildcard stands for one label: its routes match the authority', () => {
    const { match } = onlyRoute(build(ingress({ rules: [{ ...rule('/'), host: '*.example.com' }] })));
    expect(match.headers).toEqual([
      expect.objectContaining({ name: ':authority', type: 'regex', value: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?\\.example\\.com(:[0-9]+)?' }),
    ]);
  });

  test('hosts are told apart without their case', () => {
    const { virtualHosts } = build(ingress({ rules: [rule('/a'), { ...rule('/b'), host: 'APP.example.com' }] }));
    expect(virtualHosts.map((part) => part.host)).toEqual([host]);
    expect(virtualHosts[0]?.routes).toHaveLength(2);
  });

  test('an impossible host is told of and left out', () => {
    const contribution = build(ingress({ rules: [{ ...rule('/'), host: 'a_b.example.com' }, rule('/')] }));
    expect(contribution.virtualHosts.map((part) => part.host)).toEqual([host]);
    expect(contribution.notices?.[0]?.problem.message).toContain('spec.rules[0].host');
  });

  test('the default backend is a first rule for everything; a rule without http does no harm', () => {
    const { virtualHosts } = build(ingress({ defaultBackend: backend(), rules: [{ host: 'empty.example.com' }, rule('/b')] }));
    expect(virtualHosts.map((part) => part.host)).toEqual(['*', host]);
    expect(virtualHosts[0]?.routes[0]).toMatchObject({
      match: { path: { type: 'prefix', prefix: '/', by: 'string' } },
      origin: { path: 'spec.defaultBackend' },
    });
  });
});

describe('backends', () => {
  test('a missing Service answers 503 on its own path', () => {
    const contribution = build(ingress({ rules: [rule('/pay')] }), []);
    expect(onlyRoute(contribution).action).toEqual({ type: 'direct-response', status: 503 });
    expect(contribution.notices?.[0]).toEqual({
      object: { kind: 'Ingress', namespace: 'ns', name: 'app' },
      problem: {
        type: 'ServiceError',
        reason: 'ServiceUnresolvedReference',
        message: 'spec.rules[0].http.paths[0].backend: service "ns/web" not found',
      },
    });
  });

  test('a resource is no backend', () => {
    const more = { backend: { resource: { kind: 'Bucket', name: 'x' } } };
    expect(onlyRoute(build(ingress({ rules: [rule('/', 'Prefix', more)] }))).action).toEqual({ type: 'direct-response', status: 503 });
  });

  test.each([{ number: 80 }, { name: 'http' }])('a port by %j', (port) => {
    const { action } = onlyRoute(build(ingress({ rules: [rule('/', 'Prefix', { backend: backend('web', port) })] })));
    expect(action).toMatchObject({
      type: 'forward',
      clusters: [{ weight: 1, cluster: { service: { namespace: 'ns', name: 'web', port: 80, portName: 'http' } } }],
    });
  });

  test('origins name the field', () => {
    const route = onlyRoute(build(ingress({ rules: [rule('/')] })));
    expect(route.origin).toEqual({ kind: 'Ingress', namespace: 'ns', name: 'app', path: 'spec.rules[0].http.paths[0]' });
    expect(route.action).toMatchObject({ clusters: [{ cluster: { origin: { path: 'spec.rules[0].http.paths[0].backend.service' } } }] });
  });
});

describe('annotations', () => {
  const forward = (annotations: Record<string, string>) => {
    const { action } = onlyRoute(build(ingress({ rules: [rule('/ws')] }, annotations)));
    return action.type === 'forward' ? action.forward : undefined;
  };

  test.each([
    { annotations: { 'projectcontour.io/response-timeout': '500ms' }, want: { responseTimeoutMs: 500 } },
    { annotations: { 'projectcontour.io/request-timeout': '2s' }, want: { responseTimeoutMs: 2000 } },
    {
      annotations: { 'projectcontour.io/response-timeout': 'infinity', 'projectcontour.io/request-timeout': '2s' },
      want: { responseTimeoutMs: 'disabled' },
    },
    { annotations: { 'projectcontour.io/websocket-routes': '/a, /ws' }, want: { websocket: true } },
    { annotations: { 'projectcontour.io/websocket-routes': '/ws/' }, want: {} },
    { annotations: { 'projectcontour.io/num-retries': '2' }, want: {} },
    {
      annotations: { 'projectcontour.io/retry-on': '5xx', 'projectcontour.io/per-try-timeout': '1s' },
      want: { retry: { retryOn: '5xx', numRetries: 1, perTryTimeoutMs: 1000, retriableStatusCodes: [] } },
    },
  ])('$annotations', ({ annotations, want }) => {
    expect(forward(annotations as Record<string, string>)).toEqual(want);
  });

  test.each([
    ['-1', 0],
    ['0', 1],
    ['3', 3],
    ['-5', 1],
    ['many', 1],
  ])('num-retries %j is %j', (text, want) => {
    expect(forward({ 'projectcontour.io/retry-on': '5xx', 'projectcontour.io/num-retries': text })?.retry?.numRetries).toBe(want);
  });

  test('a timeout that cannot be read is told of and left at its default', () => {
    const contribution = build(ingress({ rules: [rule('/')] }, { 'projectcontour.io/response-timeout': '90' }));
    expect(onlyRoute(contribution).action).toMatchObject({ forward: {} });
    expect(contribution.notices?.[0]?.problem.message).toContain('annotation projectcontour.io/response-timeout');
  });

  test('force-ssl-redirect redirects plaintext routes, even where allow-http forbids them', () => {
    const annotations = { 'ingress.kubernetes.io/force-ssl-redirect': 'true', 'kubernetes.io/ingress.allow-http': 'false' };
    expect(onlyRoute(build(ingress({ rules: [rule('/')] }, annotations))).httpsRedirect).toBe(true);
  });

  test('allow-http false leaves no plaintext host', () => {
    const { virtualHosts } = build(ingress({ rules: [rule('/')] }, { 'kubernetes.io/ingress.allow-http': 'false' }));
    expect(virtualHosts).toEqual([]);
  });
});

describe('TLS', () => {
  const spec = { tls: [{ hosts: ['APP.example.com', 'bare.example.com'], secretName: 'cert' }], rules: [rule('/')] };
  const withSecret = [service('ns/web'), tlsSecretObject('ns/cert')];

  test('a host is served on both ports', () => {
    const contribution = build(ingress(spec), withSecret);
    expect(partOn(contribution, 'ingress_http')?.tls).toBeUndefined();
    const secure = partOn(contribution, 'ingress_https');
    expect(secure?.tls).toMatchObject({
      type: 'terminate',
      secrets: [{ namespace: 'ns', name: 'cert', origin: { path: 'spec.tls[0].secretName' } }],
      minVersion: '1.2',
      maxVersion: '1.3',
    });
    expect(secure?.routes).toEqual(partOn(contribution, 'ingress_http')?.routes);
    expect(partOn(contribution, 'ingress_https', 'bare.example.com')?.routes).toEqual([]);
    expect(contribution.notices).toBeUndefined();
  });

  test('the redirect is for plaintext only', () => {
    const contribution = build(ingress(spec, { 'ingress.kubernetes.io/force-ssl-redirect': 'true' }), withSecret);
    expect(partOn(contribution, 'ingress_https')?.routes[0]?.httpsRedirect).toBe(false);
  });

  test('a missing Secret takes away only the TLS side', () => {
    const contribution = build(ingress(spec));
    expect(partOn(contribution, 'ingress_http')?.routes).toHaveLength(1);
    expect(partOn(contribution, 'ingress_https')?.tls).toBeUndefined();
    expect(contribution.notices?.[0]?.problem).toMatchObject({
      reason: 'SecretNotValid',
      message: expect.stringContaining('Secret "ns/cert" is invalid'),
    });
  });

  test('a host that another Ingress secures gets the routes of this one too', () => {
    const other = object('Ingress', 'ns/other', { spec: { tls: [{ hosts: [host], secretName: 'cert' }] } });
    const part = partOn(build(ingress({ rules: [rule('/x')] }), [...withSecret, other]), 'ingress_https');
    expect(part?.tls).toBeUndefined();
    expect(part?.routes).toHaveLength(1);
    expect(partOn(build(ingress({ rules: [rule('/x')] }), withSecret), 'ingress_https')).toBeUndefined();
  });

  describe('a Secret of another namespace', () => {
    const foreign = [service('ns/web'), tlsSecretObject('shared/cert')];
    const delegation = object('TLSCertificateDelegation', 'shared/d', {
      spec: { delegations: [{ secretName: 'cert', targetNamespaces: ['ns'] }] },
    });
    const byAnnotation = ingress(spec, { 'projectcontour.io/tls-cert-namespace': 'shared' });
    const byName = ingress(
      { ...spec, tls: [{ hosts: [host], secretName: 'shared/cert' }] },
      { 'projectcontour.io/tls-cert-namespace': 'elsewhere' },
    );

    test.each([
      ['annotation', byAnnotation],
      ['name', byName],
    ])('by %s needs a delegation', (_how, root) => {
      const refused = build(root, foreign);
      expect(partOn(refused, 'ingress_https')?.tls).toBeUndefined();
      expect(refused.notices?.[0]?.problem.message).toContain('is not delegated to namespace "ns"');
      expect(partOn(build(root, [...foreign, delegation]), 'ingress_https')?.tls).toMatchObject({ secrets: [{ namespace: 'shared' }] });
    });
  });

  test('versions are those of the annotations within those of the configuration', () => {
    const tlsOf = (annotations: Record<string, string>, config = testConfig()) =>
      partOn(build(ingress(spec, annotations), withSecret, config), 'ingress_https')?.tls;
    const [minimum, maximum] = ['projectcontour.io/tls-minimum-protocol-version', 'projectcontour.io/tls-maximum-protocol-version'];
    expect(tlsOf({ [minimum]: '1.3' })).toMatchObject({ minVersion: '1.3', maxVersion: '1.3' });
    expect(tlsOf({ [maximum]: '1.2' })).toMatchObject({ minVersion: '1.2', maxVersion: '1.2' });
    expect(tlsOf({ [minimum]: '1.1' })).toMatchObject({ minVersion: '1.2', maxVersion: '1.3' });
    expect(tlsOf({ [minimum]: '1.3', [maximum]: '1.2' })).toBeUndefined();
  });

  test('a certificate that ran out is served, and told of', () => {
    const contribution = build(ingress(spec), [service('ns/web'), tlsSecretObject('ns/cert', 'expired')]);
    expect(partOn(contribution, 'ingress_https')?.tls).toBeDefined();
    expect(contribution.notices?.map(({ problem }) => problem.reason)).toEqual(['CertificateExpired']);
  });
});

describe('on a Gateway', () => {
  const gatewayConfig = testConfig({ gatewayRef: { namespace: 'gw', name: 'main' } });
  const gatewayClass = object('GatewayClass', 'gc', { spec: { controllerName: 'c' } });
  const gateway = (...listeners: object[]) => object('Gateway', 'gw/main', { spec: { gatewayClassName: 'gc', listeners } });

  test('the one HTTP listener serves it; without an HTTPS one TLS is left out', () => {
    const root = ingress({ tls: [{ hosts: [host], secretName: 'cert' }], rules: [rule('/a')] });
    const contribution = build(
      root,
      [service('ns/web'), tlsSecretObject('ns/cert'), gatewayClass, gateway({ name: 'http', port: 80, protocol: 'HTTP' })],
      gatewayConfig,
    );
    expect(contribution.virtualHosts.map((part) => part.listener)).toEqual(['http-80']);
    expect(contribution.notices?.map(({ problem }) => problem.reason)).toEqual(['ErrorIdentifyingListener']);
  });

  test('two HTTP listeners are too many', () => {
    const listeners = gateway({ name: 'one', port: 80, protocol: 'HTTP' }, { name: 'two', port: 81, protocol: 'HTTP' });
    const contribution = build(ingress({ rules: [rule('/')] }), [service('ns/web'), gatewayClass, listeners], gatewayConfig);
    expect(contribution.virtualHosts).toEqual([]);
    expect(contribution.notices?.[0]?.problem).toMatchObject({ type: 'ListenerError', reason: 'ErrorIdentifyingListener' });
  });
});

test('every Ingress is marked as ours', () => {
  expect(build(ingress({})).statuses).toEqual([
    { type: 'load-balancer', object: { kind: 'Ingress', namespace: 'ns', name: 'app' }, generation: 1 },
  ]);
});
