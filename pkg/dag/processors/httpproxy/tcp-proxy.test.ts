import { describe, expect, test } from '@jest/globals';
import { buildProxies, proxies } from '../../../../test/lib/httpproxies.ts';
import { object, service, tlsSecretObject } from '../../../../test/lib/memory-reader.ts';
import { defaultConfig } from '../../../config/to-config.ts';

const base = [service('ns/a'), service('ns/b'), service('ns/c'), service('other/d'), tlsSecretObject('ns/tls')];
const world = (yaml: string) => buildProxies([...base, ...proxies(yaml)]);
const host = 'virtualhost: {fqdn: app.example.com, tls: {secretName: tls}}';
const tcpProxyOf = (built: ReturnType<typeof world>) => built.part('app.example.com', 'ingress_https')?.tcpProxy;

describe('services', () => {
  test('get their shares; those without one are left out', () => {
    const built = world(
      `app: {${host}, tcpproxy: {services: [{name: a, port: 80, weight: 75}, {name: b, port: 80, weight: 25}, {name: c, port: 80}]}}`,
    );
    expect(built.status('app')).toBe('valid');
    expect(tcpProxyOf(built)).toMatchObject({
      clusters: [
        { weight: 75, cluster: { service: { name: 'a' }, origin: { path: 'spec.tcpproxy.services[0]' } } },
        { weight: 25, cluster: { service: { name: 'b' } } },
      ],
      origin: { path: 'spec.tcpproxy' },
    });
    expect(tcpProxyOf(built)?.clusters).toHaveLength(2);
  });

  test('without any share get equal ones', () => {
    const built = world(`app: {${host}, tcpproxy: {services: [{name: a, port: 80}, {name: b, port: 80}]}}`);
    expect(tcpProxyOf(built)?.clusters.map(({ weight }) => weight)).toEqual([1, 1]);
  });

  test('the routes stay on plaintext', () => {
    const built = world(
      `app: {${host}, tcpproxy: {services: [{name: a, port: 80}]}, routes: [{permitInsecure: true, services: [{name: b, port: 80}]}]}`,
    );
    expect(built.part('app.example.com', 'ingress_https')).toMatchObject({ routes: [], tls: { type: 'terminate' } });
    expect(built.routes()).toHaveLength(1);
  });

  test.each(['Cookie', 'RequestHash'])('strategy %s cannot be: a warning', (strategy) => {
    const built = world(`app: {${host}, tcpproxy: {loadBalancerPolicy: {strategy: ${strategy}}, services: [{name: a, port: 80}]}}`);
    expect(built.status('app')).toBe('valid');
    expect(built.warnings('app')).toEqual(['TCPProxyError/IgnoredField']);
    expect(tcpProxyOf(built)?.clusters[0]?.cluster.loadBalancerPolicy).toBe('RoundRobin');
  });

  test('other strategies count', () => {
    const built = world(`app: {${host}, tcpproxy: {loadBalancerPolicy: {strategy: Random}, services: [{name: a, port: 80}]}}`);
    expect(tcpProxyOf(built)?.clusters[0]?.cluster.loadBalancerPolicy).toBe('Random');
  });

  test('the limits of the configuration do not hold for TCP', () => {
    const yaml = `app: {${host}, tcpproxy: {services: [{name: a, port: 80}]}}`;
    const cluster = { ...defaultConfig.cluster, circuitBreakers: { maxConnections: 3 } };
    const built = buildProxies([...base, ...proxies(yaml)], { cluster });
    expect(tcpProxyOf(built)?.clusters[0]?.cluster.circuitBreakers).toEqual({});
  });

  test('the validation of an upstream is not passed over', () => {
    const built = world(
      `app: {${host}, tcpproxy: {services: [{name: a, port: 80, protocol: tls, validation: {caSecret: nope, subjectName: a.test}}]}}`,
    );
    expect(built.status('app')).toBe('ServiceError/TLSUpstreamValidation');
    expect(built.parts).toEqual([]);
  });
});

describe('includes', () => {
  test.each(['include', 'includes'])('%s leads to the proxy that has the services', (field) => {
    const built = world(`
app: {${host}, tcpproxy: {${field}: {name: child, namespace: other}}}
---
other/child: {tcpproxy: {services: [{name: d, port: 80}]}}`);
    expect([built.status('app'), built.status('other/child')]).toEqual(['valid', 'valid']);
    expect(tcpProxyOf(built)).toMatchObject({
      clusters: [{ cluster: { service: { namespace: 'other', name: 'd' }, origin: { namespace: 'other' } } }],
    });
  });

  test('a cycle is told on the proxy that closes it', () => {
    const built = world(`
app: {${host}, tcpproxy: {include: {name: one}}}
---
one: {tcpproxy: {include: {name: two}}}
---
two: {tcpproxy: {include: {name: one}}}`);
    expect(built.status('app')).toBe('valid');
    expect(built.status('one')).toBe('valid');
    expect(built.status('two')).toBe('TCPProxyIncludeError/IncludeCreatesCycle');
    expect(built.messages('two')).toContain('ns/app -> ns/one -> ns/two -> ns/one');
    expect(built.parts).toEqual([]);
  });

  test('a chain that ends in a proxy without a tcpproxy is told there', () => {
    const built = world(`
app: {${host}, tcpproxy: {include: {name: child}}, routes: [{services: [{name: a, port: 80}]}]}
---
child: {routes: [{services: [{name: a, port: 80}]}]}`);
    expect(built.status('child')).toBe('TCPProxyError/NothingDefined');
    expect(built.parts.map(({ listener }) => listener)).toEqual(['ingress_http']);
  });
});

describe('refusals', () => {
  test.each([
    {
      name: 'without TLS',
      yaml: 'app: {virtualhost: {fqdn: app.example.com}, tcpproxy: {services: [{name: a, port: 80}]}}',
      want: 'TCPProxyError/TLSMustBeConfigured',
    },
    { name: 'nothing', yaml: `app: {${host}, tcpproxy: {}}`, want: 'TCPProxyError/NothingDefined' },
    {
      name: 'services and an include',
      yaml: `app: {${host}, tcpproxy: {services: [{name: a, port: 80}], include: {name: x}}}`,
      want: 'TCPProxyError/NoServicesAndInclude',
    },
    {
      name: 'a missing service',
      yaml: `app: {${host}, tcpproxy: {services: [{name: x, port: 80}]}}`,
      want: 'TCPProxyError/ServiceUnresolvedReference',
    },
    { name: 'a missing include', yaml: `app: {${host}, tcpproxy: {include: {name: x}}}`, want: 'TCPProxyIncludeError/IncludeNotFound' },
    {
      name: 'an include of a root',
      yaml: `app: {${host}, tcpproxy: {include: {name: two}}}\n---\ntwo: {virtualhost: {fqdn: two.example.com}}`,
      want: 'TCPProxyIncludeError/RootIncludesRoot',
    },
  ])('$name: $want', ({ yaml, want }) => {
    const built = world(yaml);
    expect(built.status('app')).toBe(want);
    expect(built.parts).toEqual([]);
  });

  test('the name of an external service is its SNI', () => {
    const external = object('Service', 'ns/ext', {
      spec: { type: 'ExternalName', externalName: 'up.example.com', ports: [{ port: 443 }] },
    });
    const yaml = `app: {${host}, tcpproxy: {services: [{name: ext, port: 443, protocol: tls}]}}`;
    const built = buildProxies([...base, external, ...proxies(yaml)], { enableExternalNameService: true });
    expect(tcpProxyOf(built)?.clusters[0]?.cluster).toMatchObject({ sni: 'up.example.com', protocol: 'tls' });
  });
});
