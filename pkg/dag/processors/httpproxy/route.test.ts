import { describe, expect, test } from '@jest/globals';
import { buildProxies, proxies } from '../../../../test/lib/httpproxies.ts';
import { object, service, tlsSecretObject } from '../../../../test/lib/memory-reader.ts';
import type { Config } from '../../../config/config.ts';
import type { WeightedCluster } from '../../model/cluster.ts';
import type { Route } from '../../model/route.ts';

const base = [
  service('ns/a'),
  service('ns/b'),
  service('ns/secure', { name: 'https', port: 443, appProtocol: 'https' }),
  object('Service', 'ns/ext', { spec: { type: 'ExternalName', externalName: 'up.example.com', ports: [{ port: 443 }] } }),
  object('Secret', 'ns/ca', { data: { 'ca.crt': 'pem' } }),
  object('Secret', 'other/ca', { data: { 'ca.crt': 'pem' } }),
  tlsSecretObject('sys/client'),
];
const world = (routes: string, changes: Partial<Config> = {}) =>
  buildProxies([...base, ...proxies(`app: {virtualhost: {fqdn: app.example.com}, routes: [${routes}]}`)], changes);
const one = 'services: [{name: a, port: 80}]';

function onlyRoute(routes: string, changes: Partial<Config> = {}): Route {
  const found = world(routes, changes).routes();
  expect(found).toHaveLength(1);
  return found[0] as Route;
}

function clustersOf(routes: string, changes: Partial<Config> = {}): readonly WeightedCluster[] {
  const { action } = onlyRoute(routes, changes);
  return action.type === 'forward' ? action.clusters : [];
}

const forwardOf = (routes: string) => {
  const { action } = onlyRoute(routes);
  return action.type === 'forward' ? action.forward : undefined;
};

describe('actions', () => {
  test.each([
    { route: '{conditions: [{prefix: /}]}', name: 'none' },
    { route: `{${one}, requestRedirectPolicy: {scheme: https}}`, name: 'services and a redirect' },
    { route: '{directResponsePolicy: {statusCode: 200}, requestRedirectPolicy: {scheme: https}}', name: 'a redirect and a response' },
  ])('$name: exactly one is wanted', ({ route }) => {
    expect(world(route).status('app')).toBe('RouteError/RouteActionCountNotValid');
    expect(world(route).parts).toEqual([]);
  });

  test.each([
    { policy: '{statusCode: 410, body: gone}', want: { status: 410, body: 'gone' } },
    { policy: '{statusCode: 204}', want: { status: 204 } },
  ])('a response of $policy', ({ policy, want }) => {
    expect(onlyRoute(`{directResponsePolicy: ${policy}}`).action).toEqual({ type: 'direct-response', ...want });
  });

  test.each([
    { policy: '{hostname: b.example.com}', want: { hostname: 'b.example.com', statusCode: 302 } },
    { policy: '{scheme: https, port: 8443, statusCode: 301}', want: { scheme: 'https', port: 8443, statusCode: 301 } },
    { policy: '{path: /fixed}', want: { statusCode: 302, path: { type: 'full-path', path: '/fixed' } } },
    { policy: '{prefix: /new}', want: { statusCode: 302, path: { type: 'prefix', replacement: '/new' } } },
  ])('a redirect of $policy', ({ policy, want }) => {
    expect(onlyRoute(`{requestRedirectPolicy: ${policy}}`).action).toEqual({ type: 'redirect', redirect: want });
  });

  test.each([0, 199, 600])('a response of status %d is refused', (code) => {
    const { status, messages } = world(`{directResponsePolicy: {statusCode: ${code}}}`);
    expect(status('app')).toBe('RouteError/DirectResponsePolicyNotValid');
    expect(messages('app')).toBe(`route.directResponsePolicy is invalid: statusCode ${code} is not in 200 to 599`);
  });

  test.each([
    { policy: '{maxInternalRedirects: -1}', want: 'maxInternalRedirects -1 is not in 0 to 4294967295' },
    {
      policy: '{redirectResponseCodes: [302, 9007199254740992]}',
      want: 'redirectResponseCodes: 9007199254740992 is not one of 301, 302, 303, 307, 308',
    },
    { policy: '{allowCrossSchemeRedirect: Often}', want: 'allowCrossSchemeRedirect "Often" is not known' },
  ])('internal redirects of $policy are refused', ({ policy, want }) => {
    const { status, messages } = world(`{${one}, internalRedirectPolicy: ${policy}}`);
    expect(status('app')).toBe('RouteError/InternalRedirectPolicyNotValid');
    expect(messages('app')).toBe(`route.internalRedirectPolicy is invalid: ${want}`);
  });

  test('a query parameter without a name is refused', () => {
    const { status, messages } = world(`{conditions: [{queryParameter: {name: '', prefix: a}}], ${one}}`);
    expect(status('app')).toBe('RouteError/QueryParameterMatchConditionsNotValid');
    expect(messages('app')).toBe('spec.routes[0].conditions: a query parameter condition must have a name');
  });

  test('a redirect of an unknown status is refused', () => {
    const { messages } = world('{requestRedirectPolicy: {statusCode: 300}}');
    expect(messages('app')).toBe('route.requestRedirectPolicy is invalid: statusCode 300 is not one of 301, 302, 303, 307, 308');
  });

  test.each([-1, 0, 65_536])('a redirect to port %d is refused', (port) => {
    const { status, messages } = world(`{requestRedirectPolicy: {port: ${port}}}`);
    expect(status('app')).toBe('RouteError/RequestRedirectPolicy');
    expect(messages('app')).toBe(`route.requestRedirectPolicy is invalid: port ${port} is not in 1 to 65535`);
  });
});

describe('services', () => {
  test('a Service that is not there is told of and left out', () => {
    const { status, messages, routes } = world('{services: [{name: a, port: 80, weight: 1}, {name: nope, port: 80, weight: 9}]}');
    expect(status('app')).toBe('ServiceError/ServiceUnresolvedReference');
    expect(messages('app')).toBe('Spec.Routes unresolved service reference: service "ns/nope" not found');
    expect(routes()).toMatchObject([{ action: { clusters: [{ cluster: { service: { name: 'a' } } }] } }]);
  });

  test.each([
    ['no usable one', '{services: [{name: nope, port: 80}, {name: a, port: 81}]}'],
    ['only a mirror', '{services: [{name: a, port: 80, mirror: true}]}'],
  ])('%s answers 503, and other routes stay', (_name, route) => {
    const actions = world(`{conditions: [{prefix: /x}], ${route.slice(1)}, {${one}}`)
      .routes()
      .map(({ action }) => action);
    expect(actions).toMatchObject([{ type: 'direct-response', status: 503 }, { type: 'forward' }]);
  });

  test('every fault is told of', () => {
    const { status } = world('{conditions: [{prefix: /x}], services: [{name: no1, port: 80}]}, {services: [{name: no2, port: 80}]}');
    expect(status('app')).toBe('ServiceError/ServiceUnresolvedReference ServiceError/ServiceUnresolvedReference');
  });

  test.each([
    { weights: '{name: a, port: 80, weight: 90}, {name: b, port: 80, weight: 10}', want: [90, 10] },
    { weights: '{name: a, port: 80, weight: 100}, {name: b, port: 80}', want: [100, 0] },
    { weights: '{name: a, port: 80}, {name: b, port: 80}', want: [1, 1] },
  ])('weights of $weights', ({ weights, want }) => {
    expect(clustersOf(`{services: [${weights}]}`).map(({ weight }) => weight)).toEqual(want);
  });

  test.each([
    { weight: '', want: 100 },
    { weight: ', weight: 0', want: 100 },
    { weight: ', weight: 20', want: 20 },
    { weight: ', weight: 300', want: 100 },
  ])('a mirror$weight gets $want percent', ({ weight, want }) => {
    const forward = forwardOf(`{services: [{name: a, port: 80}, {name: b, port: 80, mirror: true${weight}}]}`);
    expect(forward?.mirrors).toMatchObject([{ percent: want, cluster: { service: { name: 'b' } } }]);
  });

  test.each(['RoundRobin', 'WeightedLeastRequest', 'Random'])('strategy %s', (strategy) => {
    const [cluster] = clustersOf(`{loadBalancerPolicy: {strategy: ${strategy}}, ${one}}`);
    expect(cluster?.cluster.loadBalancerPolicy).toBe(strategy);
  });

  test('an unheard strategy is RoundRobin', () => {
    expect(clustersOf(`{loadBalancerPolicy: {strategy: Unheard}, ${one}}`)[0]?.cluster.loadBalancerPolicy).toBe('RoundRobin');
  });

  test('the field beats what the Service says', () => {
    expect(clustersOf('{services: [{name: secure, port: 443, protocol: h2}]}')[0]?.cluster.protocol).toBe('h2');
    expect(clustersOf('{services: [{name: secure, port: 443}]}')[0]?.cluster.protocol).toBe('tls');
  });
});

describe('TLS upstreams', () => {
  const secure = (more: string) => `{services: [{name: secure, port: 443, ${more}}]}`;

  test('are verified where the service says how', () => {
    const [cluster] = clustersOf(secure('validation: {caSecret: ca, subjectName: a.test}'));
    expect(cluster?.cluster.upstreamValidation).toEqual({
      caCertificates: 'pem',
      subjectNames: ['a.test'],
      origin: { kind: 'HTTPProxy', namespace: 'ns', name: 'app', path: 'spec.routes[0].services[0].validation' },
    });
  });

  test('a plaintext upstream has nothing to verify', () => {
    const { status, routes } = world('{services: [{name: a, port: 80, validation: {caSecret: nope, subjectName: a.test}}]}');
    expect(status('app')).toBe('valid');
    expect(routes()).toHaveLength(1);
  });

  test.each([
    { more: 'validation: {caSecret: nope, subjectName: a.test}', want: 'ServiceError/TLSUpstreamValidation' },
    { more: 'validation: {caSecret: other/ca, subjectName: a.test}', want: 'TLSError/CACertificateNotDelegated' },
  ])('$more: $want', ({ more, want }) => {
    expect(world(secure(more)).status('app')).toBe(want);
    expect(world(secure(more)).parts).toEqual([]);
  });

  test('get the client certificate; plaintext ones do not', () => {
    const changes = { clientCertificate: { namespace: 'sys', name: 'client' } };
    const [tls, plain] = clustersOf('{services: [{name: secure, port: 443}, {name: a, port: 80}]}', changes);
    expect(tls?.cluster.clientCertificate).toMatchObject({ namespace: 'sys', name: 'client' });
    expect(plain?.cluster).not.toHaveProperty('clientCertificate');
  });

  test('a client certificate that cannot be used is an error of the proxy', () => {
    const { status, messages } = world(secure(''), { clientCertificate: { namespace: 'sys', name: 'nope' } });
    expect(status('app')).toBe('TLSError/SecretNotValid');
    expect(messages('app')).toContain('tls.envoy-client-certificate Secret "sys/nope"');
  });

  const external = (route: string, service = '') => `{${route} services: [{name: ext, port: 443, protocol: tls${service}}]}`;
  const host = (value: string) => `requestHeadersPolicy: {set: [{name: Host, value: "${value}"}]}`;
  test.each([
    { name: 'the external name', route: external(''), want: 'up.example.com' },
    { name: 'the host of the route', route: external(`${host('front.example.com')},`), want: 'front.example.com' },
    { name: 'without its port', route: external(`${host('front.example.com:8443')},`), want: 'front.example.com' },
    {
      name: 'the host of the service first',
      route: external(`${host('front.example.com')},`, `, ${host('back.example.com')}`),
      want: 'back.example.com',
    },
    { name: 'not a host that is only known later', route: external(`${host('%REQ(x-host)%')},`), want: 'up.example.com' },
  ])('SNI is $name', ({ route, want }) => {
    expect(clustersOf(route, { enableExternalNameService: true })[0]?.cluster.sni).toBe(want);
  });
});

describe('header policies', () => {
  test('of route and service, with variables', () => {
    const set = (value: string) => `{set: [{name: x-a, value: "${value}"}]}`;
    const route = onlyRoute(
      `{requestHeadersPolicy: ${set('%CONTOUR_NAMESPACE%')}, responseHeadersPolicy: {remove: [x-b]}, services: [{name: a, port: 80, requestHeadersPolicy: ${set('%CONTOUR_SERVICE_NAME%:%CONTOUR_SERVICE_PORT%')}, responseHeadersPolicy: ${set('v')}}]}`,
    );
    expect(route.requestHeaders?.set).toEqual([{ name: 'X-A', value: 'ns' }]);
    expect(route.responseHeaders?.remove).toEqual(['X-B']);
    expect(route.action).toMatchObject({
      clusters: [{ requestHeaders: { set: [{ name: 'X-A', value: 'a:80' }] }, responseHeaders: { set: [{ name: 'X-A', value: 'v' }] } }],
    });
  });

  test('the defaults of the configuration are added to each service', () => {
    const edits = (value: string) => ({ set: { 'x-env': value }, remove: [] });
    const policy = { requestHeaders: edits('%CONTOUR_SERVICE_NAME%'), responseHeaders: edits('prod'), applyToIngress: false };
    const own = 'requestHeadersPolicy: {set: [{name: X-Env, value: dev}]}';
    const found = clustersOf(`{services: [{name: a, port: 80, ${own}}, {name: b, port: 80}]}`, { policy });
    expect(found.map(({ requestHeaders, responseHeaders }) => [requestHeaders?.set[0]?.value, responseHeaders?.set[0]?.value])).toEqual([
      ['dev', 'prod'],
      ['b', 'prod'],
    ]);
  });

  test('a Host from a header works on the route', () => {
    expect(onlyRoute(`{requestHeadersPolicy: {set: [{name: host, value: "%REQ(x-h)%"}]}, ${one}}`).requestHeaders).toMatchObject({
      hostRewriteHeader: 'X-H',
    });
  });

  test('and on the service it is told to have no effect', () => {
    const { status, warnings, routes } = world(
      '{services: [{name: a, port: 80, requestHeadersPolicy: {set: [{name: host, value: "%REQ(x-h)%"}]}}]}',
    );
    expect(status('app')).toBe('valid');
    expect(warnings('app')).toEqual(['SpecError/IgnoredField']);
    expect(JSON.stringify(routes())).not.toContain('hostRewriteHeader');
  });

  const twice = '{set: [{name: x-a, value: "1"}, {name: X-A, value: "2"}]}';
  test.each([
    { route: `{requestHeadersPolicy: ${twice}, ${one}}`, want: 'RouteError/RequestHeadersPolicyInvalid' },
    { route: `{responseHeadersPolicy: {set: [{name: Host, value: a}]}, ${one}}`, want: 'RouteError/ResponseHeaderPolicyInvalid' },
    { route: `{services: [{name: a, port: 80, requestHeadersPolicy: ${twice}}]}`, want: 'ServiceError/RequestHeadersPolicyInvalid' },
    { route: `{services: [{name: a, port: 80, responseHeadersPolicy: ${twice}}]}`, want: 'ServiceError/ResponseHeadersPolicyInvalid' },
  ])('$want', ({ route, want }) => {
    expect(world(route).status('app')).toBe(want);
    expect(world(route).parts).toEqual([]);
  });
});

describe('forwarding', () => {
  test.each([
    { route: 'timeoutPolicy: {response: 500ms, idle: infinity}', want: { responseTimeoutMs: 500, idleTimeoutMs: 'disabled' } },
    { route: 'retryPolicy: {count: -1}', want: { retry: { retryOn: '5xx', numRetries: 0, retriableStatusCodes: [] } } },
    { route: 'enableWebsockets: true', want: { websocket: true } },
    { route: 'timeoutPolicy: {response: 0s}', want: undefined },
    { route: 'enableWebsockets: false', want: undefined },
  ])('$route', ({ route, want }) => expect(forwardOf(`{${route}, ${one}}`)).toEqual(want));

  test('the idle timeout of connections belongs to the cluster', () => {
    expect(clustersOf(`{timeoutPolicy: {idleConnection: 3s}, ${one}}`)[0]?.cluster.idleConnectionTimeoutMs).toBe(3000);
  });
});

describe('errors', () => {
  test.each([
    { route: `{conditions: [{prefix: x}], ${one}}`, want: 'RouteError/PathMatchConditionsNotValid' },
    { route: `{conditions: [{prefix: /a}, {exact: /b}], ${one}}`, want: 'RouteError/PathMatchConditionsNotValid' },
    { route: `{conditions: [{regex: "/a["}], ${one}}`, want: 'RouteError/PathMatchConditionsNotValid' },
    { route: `{conditions: [{header: {name: x, regex: "["}}], ${one}}`, want: 'RouteError/HeaderMatchConditionsNotValid' },
    { route: `{conditions: [{queryParameter: {name: x}}], ${one}}`, want: 'RouteError/QueryParameterMatchConditionsNotValid' },
    { route: `{timeoutPolicy: {response: 99999999999h}, ${one}}`, want: 'RouteError/TimeoutPolicyNotValid' },
    { route: `{cookieRewritePolicies: [{name: sid}], ${one}}`, want: 'RouteError/CookieRewritePoliciesInvalid' },
    {
      route: `{cookieRewritePolicies: [{name: sid, secure: true}, {name: sid, secure: true}], ${one}}`,
      want: 'RouteError/CookieRewritePoliciesInvalid',
    },
    { route: '{services: [{name: a, port: 80, cookieRewritePolicies: [{name: sid}]}]}', want: 'RouteError/CookieRewritePoliciesInvalid' },
    { route: '{requestRedirectPolicy: {path: /a, prefix: /b}}', want: 'RouteError/RequestRedirectPolicy' },
    {
      route: `{healthCheckPolicy: {path: /h, expectedStatuses: [{start: 300, end: 200}]}, ${one}}`,
      want: 'RouteError/HealthCheckPolicyInvalid',
    },
    { route: `{jwtVerificationPolicy: {require: p, disabled: true}, ${one}}`, want: 'JWTVerificationError/InvalidJWTVerificationPolicy' },
    {
      route: `{ipAllowPolicy: [{source: Peer, cidr: 10.0.0.0/8}], ipDenyPolicy: [{source: Peer, cidr: 10.0.0.0/8}], ${one}}`,
      want: 'IPFilterError/IncompatibleIPAddressFilters',
    },
    { route: `{directResponsePolicy: {statusCode: 200, body: ${'é'.repeat(2049)}}}`, want: 'RouteError/DirectResponsePolicyNotValid' },
    { route: '{services: [{name: a, port: 0}]}', want: 'ServiceError/ServicePortInvalid' },
    { route: '{services: [{name: a, port: 80, protocol: ftp}]}', want: 'ServiceError/UnsupportedProtocol' },
    {
      route: '{services: [{name: a, port: 80}, {name: a, port: 80, mirror: true}, {name: a, port: 80, mirror: true}]}',
      want: 'ServiceError/OnlyOneMirror',
    },
    {
      route: '{loadBalancerPolicy: {strategy: Random}, services: [{name: a, port: 80, slowStartPolicy: {window: 3s}}]}',
      want: 'ServiceError/SlowStartInvalid',
    },
    { route: '{services: [{name: a, port: 80, slowStartPolicy: {window: soon}}]}', want: 'ServiceError/SlowStartInvalid' },
    { route: '{services: [{name: a, port: 80, slowStartPolicy: {window: 3s, aggression: much}}]}', want: 'ServiceError/SlowStartInvalid' },
  ])('$want of $route leaves nothing of the proxy', ({ route, want }) => {
    const { status, parts } = world(`{conditions: [{prefix: /fine}], ${one}}, ${route}`);
    expect(status('app')).toBe(want);
    expect(parts).toEqual([]);
  });
});
