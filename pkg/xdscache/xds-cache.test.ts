import { describe, expect, test } from '@jest/globals';
import { testConfig } from '../../test/lib/config.ts';
import {
  cluster,
  endpointSlice,
  forward,
  listener,
  origin,
  route,
  secretNode,
  secureHost,
  servicePort,
  TestDag,
  virtualHost,
} from '../../test/lib/dag.ts';
import { Cluster } from '../envoy-api/envoy/config/cluster/v3/cluster.ts';
import { Listener } from '../envoy-api/envoy/config/listener/v3/listener.ts';
import { RouteConfiguration } from '../envoy-api/envoy/config/route/v3/route.ts';
import { ScopedRouteConfiguration } from '../envoy-api/envoy/config/route/v3/scoped_route.ts';
import { Secret } from '../envoy-api/envoy/extensions/transport_sockets/tls/v3/secret.ts';
import { type SnapshotUpdate, typeUrls } from './resource.ts';
import { Snapshot } from './snapshot.ts';
import { createXdsCache } from './xds-cache.ts';

const http = listener('ingress_http');
const https = listener('ingress_https');
const plain = (host: string, fields = {}) => virtualHost('ingress_http', host, fields);
const secure = (host: string, fields = {}) => secureHost('ingress_https', host, fields);

/** A cache with a DAG, and what it gave. */
class World {
  readonly dag = new TestDag();
  readonly snapshot = new Snapshot();
  readonly cache;

  constructor(config = testConfig()) {
    this.cache = createXdsCache(config);
  }

  /** Changes the DAG; gives what the snapshot changes by, as `type name`, with a `-` before what goes. */
  change(step: Parameters<TestDag['change']>[0]): readonly string[] {
    const update = this.cache.update(this.dag, this.dag.change(step));
    this.snapshot.apply(update);
    return described(update);
  }

  names(type: keyof typeof typeUrls): readonly string[] {
    return [...this.snapshot.all(typeUrls[type]).keys()].sort();
  }

  routes(name: string): RouteConfiguration {
    return RouteConfiguration.decode(this.snapshot.get(typeUrls.route, name)!.encoded('ads').bytes);
  }

  domains(name: string): readonly (readonly string[])[] {
    return this.routes(name).virtualHosts.map(({ domains }) => domains);
  }

  listener(name: string, source: 'ads' | 'grpc' = 'ads'): Listener {
    return Listener.decode(this.snapshot.get(typeUrls.listener, name)!.encoded(source).bytes);
  }
}

function described(update: SnapshotUpdate): readonly string[] {
  const labels = new Map(Object.entries(typeUrls).map(([label, type]) => [type, label]));
  return [...update]
    .flatMap(([type, changes]) => [...changes].map(([name, resource]) => `${resource === undefined ? '-' : ''}${labels.get(type)} ${name}`))
    .sort();
}

describe('what is always there', () => {
  test('comes with the first update and never again', () => {
    const world = new World();
    expect(world.change({})).toEqual(['listener envoy-admin', 'listener stats-health', 'runtime dynamic']);
    expect(world.change({})).toEqual([]);
  });

  test('stats and health have a listener each on two addresses; admin port 0 is none', () => {
    const world = new World(testConfig({ adminPort: 0, health: { address: '127.0.0.1', port: 8003 } }));
    world.change({});
    expect(world.names('listener')).toEqual(['health', 'stats']);
  });

  test('stats over TLS come with their secrets', () => {
    const world = new World(testConfig({ statsTls: { certFile: 'c', keyFile: 'k', caFile: 'ca' } }));
    world.change({});
    expect(world.names('secret')).toEqual(['metrics-ca-certificate', 'metrics-tls-certificate']);
    expect(world.names('listener')).toEqual(['envoy-admin', 'health', 'stats']);
  });

  test('the limit of connections names the listeners that there are', () => {
    const base = testConfig();
    const world = new World({ ...base, listener: { ...base.listener, maxConnectionsPerListener: 5 } });
    world.change({});
    expect(world.change({ listeners: [http] })).toEqual(['runtime dynamic']);
  });
});

describe('a plaintext listener', () => {
  test('has a scope for each exact host, one for the wildcards, and a RouteConfiguration for each shard in use', () => {
    const world = new World();
    world.change({ listeners: [http], hosts: [plain('a.com'), plain('*.b.com'), plain('*')] });
    expect(world.names('scopedRoute')).toEqual(['ingress_http|REST', 'ingress_http|a.com']);
    const scope = ScopedRouteConfiguration.decode(world.snapshot.get(typeUrls.scopedRoute, 'ingress_http|a.com')!.encoded('ads').bytes);
    expect(scope).toMatchObject({ key: { fragments: [{ type: { $case: 'stringKey', value: 'ingress_http|a.com' } }] }, onDemand: false });
    expect(scope.routeConfigurationName).toMatch(/^ingress_http\/[0-9a-f]{2}$/);
    expect(world.names('route')).toEqual(['ingress_http', 'ingress_http/REST', scope.routeConfigurationName].sort());
    expect(world.domains(scope.routeConfigurationName)).toEqual([['a.com']]);
    expect(world.domains('ingress_http/REST')).toEqual([['*'], ['*.b.com']]);
    expect(world.domains('ingress_http')).toEqual([['*'], ['*.b.com'], ['a.com']]);
  });

  test('a changed route touches its shard and the table of all, nothing else', () => {
    const world = new World();
    const hosts = Array.from({ length: 1000 }, (_, index) => plain(`h${index}.com`));
    world.change({ listeners: [http], hosts });
    const changed = world.change({ hosts: [plain('h7.com', { routes: [route('/new')] })] });
    expect(changed).toEqual(['route ingress_http', expect.stringMatching(/^route ingress_http\/[0-9a-f]{2}$/)]);
    expect(world.domains(changed[1]!.slice('route '.length)).length).toBeLessThan(20);
  });

  test('goes with its last host, and comes with the first', () => {
    const world = new World();
    expect(world.change({ listeners: [http] })).not.toContain('listener ingress_http');
    expect(world.change({ hosts: [plain('a.com')] })).toContain('listener ingress_http');
    expect(world.change({ without: [['ingress_http', 'a.com']] })).toEqual([
      '-cluster ns/web/80/da39a3ee5e',
      '-endpoint ns/web',
      '-listener ingress_http',
      '-route ingress_http',
      expect.stringMatching(/^-route ingress_http\/../),
      '-scopedRoute ingress_http|a.com',
    ]);
  });

  test('without an aggregated stream it has one table for all hosts', () => {
    const world = new World();
    world.change({ listeners: [http], hosts: [plain('a.com')] });
    const resource = world.snapshot.get(typeUrls.listener, 'ingress_http')!;
    const text = (source: 'ads' | 'grpc') => Buffer.from(resource.encoded(source).bytes).toString('latin1');
    expect(text('grpc')).not.toContain('x-isoline-scope');
    expect(text('ads')).toContain('x-isoline-scope');
    expect(resource.encoded('grpc').version).not.toBe(resource.encoded('ads').version);
  });
});

describe('a listener for TLS', () => {
  test('has a chain for each host in order, and names their RouteConfigurations as Contour', () => {
    const world = new World();
    world.change({ listeners: [https], hosts: [secure('*'), secure('b.com'), secure('*.a.com')] });
    const matches = (source: 'ads' | 'grpc') =>
      world.listener('ingress_https', source).filterChains.map(({ filterChainMatch }) => filterChainMatch);
    const wanted = [{ serverNames: ['*.a.com'] }, { serverNames: ['b.com'] }, { serverNames: [], transportProtocol: 'tls' }];
    expect(matches('grpc')).toMatchObject(wanted);
    expect(matches('ads')).toEqual(expect.arrayContaining(wanted.map((match) => expect.objectContaining(match))));
    expect(world.names('route')).toEqual([
      'https/*',
      'https/*.a.com',
      'https/b.com',
      'ingress_https/MISDIRECTED',
      'ingress_https/REST',
      'ingress_https/TLS-82',
    ]);
    expect(world.names('secret')).toEqual(['ns/tls']);
  });

  test('on a Gateway, RouteConfigurations are named by the listener', () => {
    const world = new World();
    world.change({ listeners: [listener('https-443')], hosts: [secureHost('https-443', 'a.com')] });
    expect(world.names('route')).toEqual(['https-443/MISDIRECTED', 'https-443/REST', 'https-443/TLS-87', 'https-443/a.com']);
  });

  test('each chain answers the hosts of others', () => {
    const world = new World();
    world.change({ listeners: [https], hosts: [secure('a.com'), secure('b.a.com'), secure('*.a.com'), secure('*.b.a.com')] });
    expect(world.domains('https/a.com')).toEqual([['a.com'], ['*']]);
    expect(world.domains('https/*.a.com')).toEqual([['*.a.com'], ['*.b.a.com', 'b.a.com', '*']]);
    expect(world.change({ hosts: [secure('c.a.com'), secure('*')] })).toEqual([
      'listener ingress_https',
      'route https/*',
      'route https/*.a.com',
      'route https/c.a.com',
      'route ingress_https/REST',
      'route ingress_https/TLS-60',
      'scopedRoute ingress_https|c.a.com|c.a.com',
    ]);
    expect(world.domains('https/*')).toEqual([['*'], ['*.a.com', '*.b.a.com', 'a.com', 'b.a.com', 'c.a.com']]);
  });

  test('an edit of routes leaves the listener, an edit of TLS leaves the routes', () => {
    const world = new World();
    world.change({ listeners: [https], hosts: [secure('a.com')] });
    expect(world.change({ hosts: [secure('a.com', { routes: [route('/x')], origins: [origin('other')] })] })).toEqual([
      'route https/a.com',
      'route ingress_https/TLS-87',
    ]);
    const tls = { type: 'terminate', secrets: [secretNode()], minVersion: '1.3', maxVersion: '1.3' };
    expect(world.change({ hosts: [secure('a.com', { routes: [route('/x')], origins: [origin('other')], tls })] })).toEqual([
      '-route ingress_https/MISDIRECTED',
      '-route ingress_https/REST',
      '-route ingress_https/TLS-87',
      '-scopedRoute ingress_https|MISDIRECTED',
      '-scopedRoute ingress_https|REST',
      '-scopedRoute ingress_https|a.com|a.com',
      'listener ingress_https',
    ]);
  });

  test('a host that becomes a TCP proxy loses its routes', () => {
    const world = new World();
    world.change({ listeners: [https], hosts: [secure('a.com')] });
    const tcpProxy = { clusters: [{ cluster: cluster(), weight: 1 }], origin: origin() };
    const gone = world.change({ hosts: [secure('a.com', { tcpProxy })] });
    expect(gone).toEqual(
      expect.arrayContaining(['-route https/a.com', '-scopedRoute ingress_https|a.com|a.com', 'listener ingress_https']),
    );
    expect([world.names('route'), world.names('scopedRoute')]).toEqual([[], []]);
    expect(world.change({ hosts: [secure('a.com')] })).toEqual(expect.arrayContaining(['listener ingress_https', 'route https/a.com']));
  });

  test('a host without TLS, or with neither routes nor a proxy, has no chain', () => {
    const world = new World();
    world.change({ listeners: [https], hosts: [virtualHost('ingress_https', 'a.com'), secure('b.com', { routes: [] })] });
    expect(world.names('listener')).not.toContain('ingress_https');
    expect([...world.names('route'), ...world.names('cluster'), ...world.names('secret')]).toEqual([]);
  });

  test('a renewed certificate changes the secret alone', () => {
    const world = new World();
    world.change({ listeners: [https], hosts: [secure('a.com')] });
    const renewed = secretNode('tls', { certificate: 'renewed', privateKey: 'renewed' });
    const tls = { type: 'terminate', secrets: [renewed], minVersion: '1.2', maxVersion: '1.3' };
    expect(world.change({ hosts: [secure('a.com', { tls })] })).toEqual(['secret ns/tls']);
    const other = { ...tls, secrets: [secretNode('other')] };
    expect(world.change({ hosts: [secure('a.com', { tls: other })] })).toEqual([
      '-secret ns/tls',
      'listener ingress_https',
      'secret ns/other',
    ]);
  });

  test('keeps the scope of its wildcards, which answers 421 too, when the last wildcard makes room for an exact host', () => {
    const world = new World();
    world.change({ listeners: [https], hosts: [secure('*')] });
    world.change({ hosts: [secure('a.com')], without: [['ingress_https', '*']] });
    expect(world.names('scopedRoute')).toEqual(['ingress_https|MISDIRECTED', 'ingress_https|REST', 'ingress_https|a.com|a.com']);
    expect(world.domains('ingress_https/REST')).toEqual([['*']]);
  });
});

describe('certificates on demand', () => {
  const base = testConfig();
  const config = testConfig({ listener: { ...base.listener, tls: { ...base.listener.tls, certificates: 'on-demand' } } });
  const chains = (world: World) =>
    world.listener('ingress_https').filterChains.map(({ filterChainMatch }) => filterChainMatch?.serverNames);

  test('a host brings a secret of its name, and the listener stays as it is', () => {
    const world = new World(config);
    world.change({ listeners: [https], hosts: [secure('a.com')] });
    const before = world.snapshot.get(typeUrls.listener, 'ingress_https')!.encoded('ads').version;
    world.change({ hosts: [secure('b.com')] });
    expect(world.names('secret')).toEqual(['a.com', 'b.com', 'ns/tls']);
    expect(world.snapshot.get(typeUrls.listener, 'ingress_https')!.encoded('ads').version).toBe(before);
    world.change({ without: [['ingress_https', 'b.com']] });
    expect(world.names('secret')).toEqual(['a.com', 'ns/tls']);
  });

  test('a secret is found by a server name as clients spell it, and below wildcards by the longest suffix', () => {
    const world = new World(config);
    const named = (name: string) => ({
      tls: { type: 'terminate', secrets: [secretNode(name)], minVersion: '1.2', maxVersion: '1.3' } as const,
    });
    world.change({
      listeners: [https],
      hosts: [secure('a.com', named('a')), secure('*.com', named('com')), secure('*.b.com', named('b'))],
    });
    const asked = (name: string) => {
      const resource = world.snapshot.get(typeUrls.secret, name);
      return resource && [resource.name, resource.origins[0]?.name, Secret.decode(resource.encoded('ads').bytes).name];
    };
    expect(asked('A.com')).toEqual(['A.com', 'a', 'A.com']);
    expect(asked('x.b.com')).toEqual(['x.b.com', 'b', 'x.b.com']);
    expect(asked('x.y.com')).toEqual(['x.y.com', 'com', 'x.y.com']);
    expect([asked('a.org'), asked('ns/x.com'), asked('com')]).toEqual([undefined, undefined, undefined]);
  });

  test('what has several certificates or settings of its own is preloaded, and so are the hosts below such a wildcard', () => {
    const world = new World(config);
    const two = { tls: { type: 'terminate', secrets: [secretNode('x'), secretNode('y')], minVersion: '1.2', maxVersion: '1.3' } } as const;
    world.change({ listeners: [https], hosts: [secure('a.com', two), secure('*.b.com', two), secure('x.b.com'), secure('y.com')] });
    expect(chains(world).flat().sort()).toEqual(['*.b.com', 'a.com', 'x.b.com']);
    expect(world.names('secret')).toEqual(['ns/tls', 'ns/x', 'ns/y', 'y.com']);
    world.change({ without: [['ingress_https', '*.b.com']] });
    expect(chains(world).flat().sort()).toEqual(['a.com']);
    expect(world.names('secret')).toEqual(['ns/tls', 'ns/x', 'ns/y', 'x.b.com', 'y.com']);
  });

  test('is for one listener, for proxies with an aggregated stream, and not beside a fallback certificate', () => {
    const other = listener('https-8443');
    const world = new World(config);
    world.change({ listeners: [https, other], hosts: [secure('a.com'), secureHost('https-8443', 'b.com')] });
    expect(world.names('secret')).toEqual(['a.com', 'ns/tls']);
    expect(world.listener('ingress_https').filterChainMatcher).toBeDefined();
    expect(world.listener('ingress_https', 'grpc').filterChainMatcher).toBeUndefined();
    expect(world.listener('https-8443').filterChainMatcher).toBeUndefined();
    const fallback = new World({ ...config, fallbackCertificate: { namespace: 'ns', name: 'f' } });
    fallback.change({ listeners: [https], hosts: [secure('a.com')] });
    expect(fallback.names('secret')).toEqual(['ns/tls']);
  });
});

describe('clusters', () => {
  const to = (...clusters: Parameters<typeof forward>[0][]) => clusters.map((one, index) => route(`/${index}`, { action: forward(one) }));

  test('are shared while anything uses them', () => {
    const world = new World();
    world.change({ listeners: [http], hosts: [plain('a.com'), plain('b.com')] });
    expect(world.names('cluster')).toEqual(['ns/web/80/da39a3ee5e']);
    expect(world.change({ without: [['ingress_http', 'a.com']] }).join()).not.toContain('cluster');
    expect(world.change({ without: [['ingress_http', 'b.com']] })).toContain('-cluster ns/web/80/da39a3ee5e');
  });

  test('name all objects that use them', () => {
    const world = new World();
    const used = (name: string) => to(cluster('web', { origin: origin(name) }));
    world.change({ listeners: [http], hosts: [plain('a.com', { routes: used('one') })] });
    expect(world.change({ hosts: [plain('b.com', { routes: used('two') })] }).join()).not.toContain('cluster');
    expect(world.snapshot.get(typeUrls.cluster, 'ns/web/80/da39a3ee5e')!.origins).toEqual([origin('one'), origin('two')]);
  });

  test('of one Service with other settings share its endpoints', () => {
    const world = new World();
    world.change({ listeners: [http], hosts: [plain('a.com', { routes: to(cluster('web'), cluster('web', { protocol: 'h2c' })) })] });
    expect(world.names('cluster')).toHaveLength(2);
    expect(world.names('endpoint')).toEqual(['ns/web']);
  });

  test('of external names have no EDS resource', () => {
    const world = new World();
    const external = cluster('ext', { service: servicePort('ext', { externalName: 'x.example' }) });
    world.change({ listeners: [http], hosts: [plain('a.com', { routes: to(external) })] });
    expect(world.names('endpoint')).toEqual([]);
    const [name] = world.names('cluster');
    expect(Cluster.decode(world.snapshot.get(typeUrls.cluster, name!)!.encoded('ads').bytes)).toMatchObject({
      clusterDiscoveryType: { value: 1 },
    });
  });

  test('that only redirected requests would reach are left out', () => {
    const world = new World();
    world.change({ listeners: [http], hosts: [plain('a.com', { routes: [route('/', { httpsRedirect: true })] })] });
    expect(world.names('cluster')).toEqual([]);
  });

  test('of mirrors, and the certificate that they present, are there', () => {
    const world = new World();
    const mirror = cluster('copy', { protocol: 'tls', clientCertificate: secretNode('client') });
    const action = {
      type: 'forward',
      clusters: [{ cluster: cluster(), weight: 1 }],
      forward: { mirrors: [{ cluster: mirror, percent: 10 }] },
    } as const;
    world.change({ listeners: [http], hosts: [plain('a.com', { routes: [route('/', { action })] })] });
    expect(world.names('cluster')).toEqual([expect.stringMatching(/^ns\/copy\//), 'ns/web/80/da39a3ee5e']);
    expect(world.names('secret')).toEqual(['ns/client']);
  });
});

test('a listener that changes its protocol takes its hosts along', () => {
  const world = new World();
  world.change({ listeners: [listener('x-http')], hosts: [secureHost('x-http', 'a.com')] });
  expect(world.names('scopedRoute')).toEqual(['x-http|a.com']);
  world.change({ listeners: [listener('x-http', { protocol: 'https' })] });
  expect([world.names('scopedRoute'), world.names('route')]).toEqual([
    ['x-http|MISDIRECTED', 'x-http|REST', 'x-http|a.com|a.com'],
    ['x-http/MISDIRECTED', 'x-http/REST', 'x-http/TLS-87', 'x-http/a.com'],
  ]);
});

test('slices are part of the next update, or of their own', () => {
  const world = new World();
  world.change({ listeners: [http], hosts: [plain('a.com')] });
  world.cache.applyEndpointSlice(undefined, endpointSlice('web', ['10.0.0.1']));
  expect(described(world.cache.takeEndpoints())).toEqual(['endpoint ns/web']);
  expect(described(world.cache.takeEndpoints())).toEqual([]);
  world.cache.applyEndpointSlice(endpointSlice('web', ['10.0.0.1']), endpointSlice('web', ['10.0.0.2']));
  expect(world.change({})).toEqual(['endpoint ns/web']);
});
