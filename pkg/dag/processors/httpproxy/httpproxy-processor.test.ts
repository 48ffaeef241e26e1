import { describe, expect, test } from '@jest/globals';
import { buildProxies, proxies } from '../../../../test/lib/httpproxies.ts';
import { object, service, tlsSecretObject } from '../../../../test/lib/memory-reader.ts';
import type { Config } from '../../../config/config.ts';

const services = [service('ns/a'), service('ns/b'), service('ns/c')];
const app = 'virtualhost: {fqdn: app.example.com}';
const secured = 'virtualhost: {fqdn: app.example.com, tls: {secretName: tls}}';
const world = (yaml: string, changes: Partial<Config> = {}) =>
  buildProxies([...services, tlsSecretObject('ns/tls'), ...proxies(yaml)], changes);

describe('a root', () => {
  test('brings its host, with an origin for every node', () => {
    const { parts, status, statuses } = world(`app: {${app}, routes: [{services: [{name: a, port: 80}]}]}`);
    expect(status('app')).toBe('valid');
    expect(statuses).toMatchObject([{ type: 'detailed', object: { kind: 'HTTPProxy', namespace: 'ns', name: 'app' }, generation: 1 }]);
    expect(parts).toEqual([
      {
        listener: 'ingress_http',
        host: 'app.example.com',
        source: 'HTTPProxy',
        createdAt: '2026-01-01T00:00:00Z',
        origin: { kind: 'HTTPProxy', namespace: 'ns', name: 'app', path: 'spec.virtualhost' },
        routes: [
          {
            match: { path: { type: 'prefix', prefix: '/', by: 'string' }, headers: [], queryParameters: [] },
            action: {
              type: 'forward',
              clusters: [
                {
                  cluster: {
                    service: { namespace: 'ns', name: 'a', port: 80, portName: 'http' },
                    loadBalancerPolicy: 'RoundRobin',
                    circuitBreakers: {},
                    connectTimeoutMs: 2000,
                    origin: { kind: 'HTTPProxy', namespace: 'ns', name: 'app', path: 'spec.routes[0].services[0]' },
                  },
                  weight: 1,
                },
              ],
            },
            httpsRedirect: false,
            priority: 0,
            origin: { kind: 'HTTPProxy', namespace: 'ns', name: 'app', path: 'spec.routes[0]' },
          },
        ],
      },
    ]);
  });

  test('that is gone contributes nothing', () => {
    expect(world('').parts).toEqual([]);
  });

  test.each([
    {
      name: 'a blank host',
      yaml: "app: {virtualhost: {fqdn: ''}, routes: [{services: [{name: a, port: 80}]}]}",
      want: 'VirtualHostError/FQDNNotSpecified',
    },
    ...['"\\0"', '"a\\r\\nb: c"', "'*'", "'*.*'", "'a b'", 'a.*.b', `${'x'.repeat(254)}`, 'ü.example.com'].map((fqdn) => ({
      name: `the host ${fqdn}`,
      yaml: `app: {virtualhost: {fqdn: ${fqdn}}, routes: [{services: [{name: a, port: 80}]}]}`,
      want: 'VirtualHostError/FQDNNotValid',
    })),
    { name: 'nothing defined', yaml: `app: {${app}}`, want: 'SpecError/NothingDefined' },
    {
      name: 'JWT without TLS',
      yaml: 'app: {virtualhost: {fqdn: app.example.com, jwtProviders: [{name: p}]}, routes: [{services: [{name: a, port: 80}]}]}',
      want: 'JWTVerificationError/JWTVerificationNotPermitted',
    },
    {
      name: 'JWT with passthrough',
      yaml: 'app: {virtualhost: {fqdn: app.example.com, tls: {passthrough: true}, jwtProviders: [{name: p}]}, tcpproxy: {services: [{name: a, port: 80}]}}',
      want: 'JWTVerificationError/JWTVerificationNotPermitted',
    },
    {
      name: 'authorization without TLS',
      yaml: 'app: {virtualhost: {fqdn: app.example.com, authorization: {extensionRef: {name: x}}}, routes: [{services: [{name: a, port: 80}]}]}',
      want: 'AuthError/AuthNotPermitted',
    },
    {
      name: 'addresses allowed and denied',
      yaml: 'app: {virtualhost: {fqdn: app.example.com, ipAllowPolicy: [{source: Peer, cidr: 10.0.0.0/8}], ipDenyPolicy: [{source: Peer, cidr: 10.0.0.0/8}]}, routes: [{services: [{name: a, port: 80}]}]}',
      want: 'IPFilterError/IncompatibleIPAddressFilters',
    },
  ])('with $name is not served', ({ yaml, want }) => {
    const { status, parts } = world(yaml);
    expect(status('app')).toBe(want);
    expect(parts).toEqual([]);
  });

  test('may be kept to some namespaces', () => {
    const yaml = `
app: {${app}, routes: [{services: [{name: a, port: 80}]}]}
---
roots/app: {virtualhost: {fqdn: two.example.com}, routes: [{directResponsePolicy: {statusCode: 200}}]}`;
    const { status, parts } = world(yaml, { rootNamespaces: ['roots'] });
    expect(status('app')).toBe('RootNamespaceError/RootProxyNotAllowedInNamespace');
    expect(status('roots/app')).toBe('valid');
    expect(parts.map(({ host }) => host)).toEqual(['two.example.com']);
  });

  test('whose host another root has, in whatever case, is not served, and neither is the other', () => {
    const { status, messages, parts } = world(`
app: {${app}, routes: [{services: [{name: a, port: 80}]}]}
---
other/app: {virtualhost: {fqdn: APP.example.com}, routes: [{directResponsePolicy: {statusCode: 200}}]}`);
    for (const id of ['ns/app', 'other/app']) {
      expect(status(id)).toBe('VirtualHostError/DuplicateVhost');
      expect(messages(id)).toContain('ns/app, other/app');
    }
    expect(parts).toEqual([]);
  });

  test('keeps its host from rivals where the oldest wins; of the same age, the first by name that may be a root', () => {
    const yaml = `
app: {${app}, routes: [{services: [{name: a, port: 80}]}]}
---
other/app: {virtualhost: {fqdn: APP.example.com}, routes: [{directResponsePolicy: {statusCode: 200}}]}`;
    const oldest = world(yaml, { duplicateHosts: 'oldest-wins' });
    expect([oldest.status('ns/app'), oldest.status('other/app')]).toEqual(['valid', 'VirtualHostError/DuplicateVhost']);
    expect(oldest.messages('other/app')).toContain('ns/app is the oldest and keeps it');
    expect(oldest.keys).toContain('HTTPProxy/other/app');

    const allowed = world(yaml, { duplicateHosts: 'oldest-wins', rootNamespaces: ['other'] });
    expect(allowed.status('other/app')).toBe('valid');
  });

  test('waits for rivals: it reads who else has its host', () => {
    expect(world(`app: {${app}, routes: [{services: [{name: a, port: 80}]}]}`).keys).toContain('index:httpproxies-by-fqdn/app.example.com');
  });

  test('of a wildcard host matches one label, whatever the route', () => {
    const { routes } = world("app: {virtualhost: {fqdn: '*.example.com'}, routes: [{services: [{name: a, port: 80}]}]}");
    const [route] = routes('*.example.com');
    const [header] = route?.match.headers ?? [];
    expect(header).toMatchObject({ name: ':authority', type: 'regex' });
    const regex = new RegExp(`^(?:${header?.value.replace('(?i)', '')})$`);
    expect(['a.example.com', 'a-b.example.com:8080'].every((host) => regex.test(host))).toBe(true);
    expect(['a.b.example.com', 'axexample.com', '.example.com', 'a.example.comx'].some((host) => regex.test(host))).toBe(false);
  });

  test('without a listener for HTTP is an error', () => {
    const { status, parts } = world(`app: {${app}, routes: [{services: [{name: a, port: 80}]}]}`, {
      gatewayRef: { namespace: 'x', name: 'y' },
    });
    expect(status('app')).toBe('ListenerError/ErrorIdentifyingListener');
    expect(parts).toEqual([]);
  });
});

describe('a proxy that is no root', () => {
  test('is an orphan where no root reaches it', () => {
    const { status, statuses, parts } = world('child: {routes: [{services: [{name: a, port: 80}]}]}');
    expect(status('child')).toBe('orphaned');
    expect(statuses[0]).toMatchObject({ orphan: true, errors: [{ type: 'Orphaned', reason: 'Orphaned' }] });
    expect(parts).toEqual([]);
  });

  test('is none where one does', () => {
    const { status } = world(`
root: {${app}, includes: [{name: child}]}
---
child: {routes: [{services: [{name: a, port: 80}]}]}`);
    expect(status('child')).toBe('valid');
  });
});

describe('policies that cannot be enforced', () => {
  const extension = object('ExtensionService', 'ns/ext', { spec: { services: [{ name: 'a', port: 80 }] } });
  const route = 'routes: [{permitInsecure: true, services: [{name: a, port: 80}]}]';
  const host = (more: string) => `app: {virtualhost: {fqdn: app.example.com, tls: {secretName: tls}, ${more}}, ${route}}`;
  test.each([
    { more: 'authorization: {extensionRef: {name: nope}}', want: 'AuthError/ExtensionServiceNotFound' },
    { more: 'authorization: {extensionRef: {apiVersion: x/v9, name: ext}}', want: 'AuthError/AuthBadResourceVersion' },
    {
      more: 'authorization: {serviceType: http, extensionRef: {name: ext}, authPolicy: {context: {a: b}}}',
      want: 'AuthError/AuthContextForHTTP',
    },
    { more: 'jwtProviders: [{name: p}]', want: 'JWTVerificationError/JWKSSourceMissing' },
    { more: 'jwtProviders: [{name: p}, {name: p}]', want: 'JWTVerificationError/DuplicateProviderName' },
    {
      more: 'jwtProviders: [{name: p, default: true}, {name: q, default: true}]',
      want: 'JWTVerificationError/MultipleDefaultProvidersSpecified',
    },
    { more: 'rateLimitPolicy: {local: {requests: 0, unit: second}}', want: 'VirtualHostError/RateLimitPolicyNotValid' },
    {
      more: 'rateLimitPolicy: {global: {descriptors: [{entries: [{remoteAddress: {}}]}]}}',
      want: 'VirtualHostError/RateLimitPolicyNotValid',
    },
    { more: 'ipAllowPolicy: [{source: Peer, cidr: 10.0.0.0/33}]', want: 'IPFilterError/InvalidCIDR' },
    { more: 'ipDenyPolicy: [{source: Peer, cidr: x}, {source: Peer, cidr: 10.0.0.0/8}]', want: 'IPFilterError/InvalidCIDR' },
  ])('a host with $more is closed', ({ more, want }) => {
    const { status, parts } = buildProxies([...services, tlsSecretObject('ns/tls'), extension, ...proxies(host(more))]);
    expect(status('app')).toBe(want);
    expect(parts).toEqual([]);
  });

  test.each([
    'authorization: {authPolicy: {disabled: true}}',
    'rateLimitPolicy: {global: {disabled: true}}',
    'rateLimitPolicy: {}',
    'ipAllowPolicy: []',
  ])('a host with %s asks for nothing', (more) => {
    const { status, parts } = world(host(more));
    expect(status('app')).toBe('valid');
    expect(parts).toHaveLength(2);
  });

  test.each([{ more: 'jwtVerificationPolicy: {require: p}', want: 'JWTVerificationError/JWTProviderNotDefined', answer: 403 }])(
    'a route with $more is closed, and no broader one takes its requests',
    ({ more, want, answer }) => {
      const { status, routes } = world(
        `app: {${app}, routes: [{conditions: [{prefix: /x}], ${more}, services: [{name: a, port: 80}]}, {services: [{name: b, port: 80}]}]}`,
      );
      expect(status('app')).toBe(want);
      expect(routes().map(({ action }) => action)).toMatchObject([{ type: 'direct-response', status: answer }, { type: 'forward' }]);
    },
  );
});

describe('HTTPS', () => {
  const both = (world: ReturnType<typeof buildProxies>) => ({
    plain: world.routes().map(({ httpsRedirect }) => httpsRedirect),
    secure: world.routes('app.example.com', 'ingress_https').map(({ httpsRedirect }) => httpsRedirect),
  });
  const yaml = `app: {${secured}, routes: [{services: [{name: a, port: 80}]}, {conditions: [{prefix: /plain}], permitInsecure: true, services: [{name: b, port: 80}]}]}`;

  test('plaintext is sent to HTTPS, but for routes that permit it', () => {
    expect(both(world(yaml))).toEqual({ plain: [true, false], secure: [false, false] });
  });

  test('permitting it can be forbidden', () => {
    expect(both(world(yaml, { disablePermitInsecure: true }))).toEqual({ plain: [true, true], secure: [false, false] });
  });

  test('without TLS nothing is sent there', () => {
    expect(both(world(yaml.replace(secured, app)))).toEqual({ plain: [false, false], secure: [] });
  });
});
