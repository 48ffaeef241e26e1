import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { runtimeName } from '../../pkg/envoy/runtime/runtime.ts';
import { XdsServer } from '../../pkg/server/xds-server.ts';
import { type LogFields, silentLogger } from '../../pkg/util/logger.ts';
import { type Resource, typeUrls } from '../../pkg/xdscache/resource.ts';
import { Snapshot } from '../../pkg/xdscache/snapshot.ts';
import { EnvoyProcess, freePort } from '../lib/envoy-process.ts';
import { eventually } from '../lib/eventually.ts';
import { get } from '../lib/http-client.ts';
import { cluster, endpoints, resource, routes, update } from '../lib/xds-fixtures.ts';

jest.setTimeout(30_000);

let port: number;
let snapshot: Snapshot;
let server: XdsServer;
let refusals: LogFields[];

beforeEach(async () => {
  port = await freePort();
  refusals = [];
  snapshot = new Snapshot();
  // Over the state of the world it cannot be said that there is no runtime layer: Envoy would wait for it.
  snapshot.apply(update({ runtime: [runtimeLayer] }));
  const logger = { ...silentLogger, error: (fields: LogFields) => void refusals.push(fields) };
  server = new XdsServer({ host: '127.0.0.1', port: 0, tls: 'insecure', snapshot, logger });
  await server.start();
});

afterEach(() => server.stop());

const runtimeLayer = resource(typeUrls.runtime, runtimeName, { name: runtimeName, layer: {} });

/** A listener whose routes come by RDS over the aggregated stream. */
function httpListener(name: string, routeName: string, statPrefix = 'test'): Resource {
  const manager = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    stat_prefix: statPrefix,
    rds: { route_config_name: routeName, config_source: { ads: {}, resource_api_version: 'V3' } },
    http_filters: [
      {
        name: 'envoy.filters.http.router',
        typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
      },
    ],
  };
  return resource(typeUrls.listener, name, {
    name,
    address: { socket_address: { address: '127.0.0.1', port_value: port } },
    filter_chains: [{ filters: [{ name: 'envoy.filters.network.http_connection_manager', typed_config: manager }] }],
  });
}

/** Routes that send everything to a cluster. */
function routesTo(name: string, clusterName: string): Resource {
  const route = { match: { prefix: '/' }, route: { cluster: clusterName } };
  return resource(typeUrls.route, name, { name, virtual_hosts: [{ name: 'all', domains: ['*'], routes: [route] }] });
}

async function startEnvoy(protocol: 'delta' | 'sotw'): Promise<EnvoyProcess> {
  const envoy = await EnvoyProcess.start({ xdsPort: server.address.port }, (bootstrap) => {
    const resources = bootstrap['dynamic_resources'] as { ads_config: { api_type: string } };
    resources.ads_config.api_type = protocol === 'delta' ? 'DELTA_GRPC' : 'GRPC';
  });
  await envoy.ready();
  return envoy;
}

const ask = () => get({ port, host: 'example.com' });

/** How many updates an Envoy has refused. */
async function rejected(envoy: EnvoyProcess): Promise<number> {
  const counts = await envoy.stats('update_rejected$');
  expect(counts.size).toBeGreaterThan(1);
  return counts.values().reduce((sum, count) => sum + count, 0);
}

async function backend(body: string): Promise<Server> {
  const http = createServer((_, response) => response.end(body));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return http;
}

describe.each(['delta', 'sotw'] as const)('a real Envoy over %s ADS', (protocol) => {
  test('serves what the snapshot says, follows a change, and a removal', async () => {
    snapshot.apply(update({ listener: [httpListener('http', 'r')], route: [routes('r', 'one')] }));
    await using envoy = await startEnvoy(protocol);
    expect(await ask()).toMatchObject({ status: 200, body: 'one' });

    snapshot.apply(update({ route: [routes('r', 'two')] }));
    await eventually('the changed route', async () => (await ask()).body === 'two');

    const before = (await envoy.stats('listener_manager.total_listeners_active')).get('listener_manager.total_listeners_active') ?? 0;
    snapshot.apply(update({ listener: [{ remove: 'http' }], route: [{ remove: 'r' }] }));
    await eventually('the port to be shut', async () => {
      const name = 'listener_manager.total_listeners_active';
      return (await envoy.stats(name)).get(name) === before - 1;
    });
    expect(await rejected(envoy)).toBe(0);
    expect(refusals).toEqual([]);
  });

  test('an EDS cluster that changes keeps serving, and what follows is not held up', async () => {
    await using stack = new AsyncDisposableStack();
    const [one, two] = [await backend('one'), await backend('two')];
    stack.defer(() => void [one, two].map((http) => http.close()));
    const portOf = (http: Server): number => (http.address() as AddressInfo).port;
    snapshot.apply(
      update({
        cluster: [cluster('a')],
        endpoint: [endpoints('a', portOf(one))],
        listener: [httpListener('http', 'r')],
        route: [routesTo('r', 'a')],
      }),
    );
    const envoy = stack.use(await startEnvoy(protocol));
    expect(await ask()).toMatchObject({ status: 200, body: 'one' });

    // Without its endpoints the changed cluster would warm for 15 s, and the next one would wait behind it.
    snapshot.apply(update({ cluster: [cluster('a', '3s')] }));
    snapshot.apply(update({ cluster: [cluster('b')], endpoint: [endpoints('b', portOf(two))], route: [routesTo('r', 'b')] }));
    const seen = new Set<string>();
    await eventually('the second backend', async () => {
      const { status, body } = await ask();
      seen.add(`${status} ${body}`);
      return body === 'two';
    });
    expect([...seen].filter((answer) => answer !== '200 one' && answer !== '200 two')).toEqual([]);
    expect(await rejected(envoy)).toBe(0);
  });

  test('a resource that Envoy refuses is named, and the rest goes on', async () => {
    snapshot.apply(update({ listener: [httpListener('http', 'r')], route: [routes('r', 'one')] }));
    await using envoy = await startEnvoy(protocol);
    expect((await ask()).body).toBe('one');
    const bad = resource(typeUrls.listener, 'bad', { name: 'bad' });
    snapshot.apply(update({ listener: [bad], route: [routes('r', 'two')] }));
    await eventually('the refusal', () => refusals.length > 0);
    expect(refusals[0]).toMatchObject({
      node: 'test',
      type: typeUrls.listener,
      names: ['bad'],
      origins: [{ kind: 'HTTPProxy', namespace: 'default', name: 'bad' }],
      detail: expect.stringContaining('bad'),
    });
    await eventually('the changed route', async () => (await ask()).body === 'two');
    expect(refusals).toHaveLength(1);
    expect(await rejected(envoy)).toBe(1);
  });

  test('a proxy that comes back to another server goes on', async () => {
    const resources = {
      runtime: [runtimeLayer],
      cluster: [cluster('a')],
      endpoint: [endpoints('a')],
      listener: [httpListener('http', 'r')],
      route: [routes('r', 'one')],
    };
    snapshot.apply(update(resources));
    await using envoy = await startEnvoy(protocol);
    const xdsPort = server.address.port;
    await server.stop();
    const other = new Snapshot();
    other.apply(update({ ...resources, cluster: [cluster('a', '7s')], route: [routes('r', 'two')] }));
    await using replica = new XdsServer({ host: '127.0.0.1', port: xdsPort, tls: 'insecure', snapshot: other, logger: silentLogger });
    await replica.start();
    await eventually('the state of the other', async () => (await ask()).body === 'two', 10_000);
    expect((await envoy.stats('cluster_manager.warming_clusters')).get('cluster_manager.warming_clusters')).toBe(0);
    expect(await rejected(envoy)).toBe(0);
  });
});
