import { get, request } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Dag } from '../dag/model/dag.ts';
import { createRegistry } from '../telemetry/metrics.ts';
import { silentLogger } from '../util/logger.ts';
import { dagToDot } from './dag-dot.ts';
import { debugRoutes } from './debug-routes.ts';
import { type HttpServersOptions, httpServers } from './http.ts';
import type { HttpServer } from './http-server.ts';

const loopback = { address: '127.0.0.1', port: 0 };
const dag: Dag = { listeners: new Map(), virtualHosts: new Map() };
let servers: readonly HttpServer[] = [];
let all: HttpServer[] = [];

afterEach(async () => {
  for (const server of all) await server[Symbol.asyncDispose]();
  all = [];
});

async function start(options: Partial<HttpServersOptions> = {}): Promise<readonly number[]> {
  const registry = createRegistry({ branch: 'main', revision: 'abc', version: '1' });
  servers = httpServers({
    metrics: loopback,
    health: loopback,
    debug: loopback,
    registry,
    healthy: () => {},
    ready: () => {},
    debugRoutes: debugRoutes({ dag: () => dag }),
    log: silentLogger,
    ...options,
  });
  all.push(...servers);
  for (const server of servers) await server.start();
  return servers.map((server) => server.port);
}

function fetchText(
  port: number | undefined,
  path: string,
  method = 'GET',
): Promise<{ readonly status: number | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sent = (method === 'GET' ? get : request)({ host: '127.0.0.1', port, path, method }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('servers', () => {
  test('metrics, health and debug answer', async () => {
    const [metrics, health, debug] = await start();
    expect((await fetchText(metrics, '/metrics')).text).toContain('contour_build_info{branch="main",revision="abc",version="1"} 1');
    for (const path of ['/health', '/healthz', '/readyz']) expect(await fetchText(health, path)).toEqual({ status: 200, text: 'OK' });
    expect((await fetchText(debug, '/debug/dag')).text).toMatch(/^digraph/);
    expect((await fetchText(debug, '/debug/dag?format=json')).text).toBe('{"listeners":{},"virtualHosts":{}}');
    expect((await fetchText(debug, '/debug/dag?format=xml')).status).toBe(400);
  });

  test('a failed check is 503 with the reason', async () => {
    const [, health] = await start({ healthy: () => Promise.reject(new Error('the API server does not answer')) });
    expect(await fetchText(health, '/healthz')).toEqual({ status: 503, text: 'the API server does not answer\n' });
    expect((await fetchText(health, '/readyz')).status).toBe(200);
  });

  test('other paths and methods are refused', async () => {
    const [metrics, health] = await start();
    expect((await fetchText(metrics, '/healthz')).status).toBe(404);
    expect((await fetchText(health, '/constructor')).status).toBe(404);
    expect((await fetchText(health, '/healthz', 'POST')).status).toBe(405);
    expect(await fetchText(health, '/healthz', 'HEAD')).toEqual({ status: 200, text: '' });
  });

  test('a handler that throws is 500 and harms nobody', async () => {
    const [, , debug] = await start({
      debugRoutes: {
        '/x': () => {
          throw new Error('bug');
        },
        '/y': () => ({ body: 'y' }),
      },
    });
    expect((await fetchText(debug, '/x')).status).toBe(500);
    expect((await fetchText(debug, '/y')).text).toBe('y');
  });

  test('metrics and health share a server on one address and port', async () => {
    const [free] = await start();
    await servers[0]![Symbol.asyncDispose]();
    const address = { address: '127.0.0.1', port: free! };
    await start({ metrics: address, health: address });
    expect(servers).toHaveLength(2);
    expect((await fetchText(free, '/metrics')).status).toBe(200);
    expect((await fetchText(free, '/healthz')).status).toBe(200);
  });

  test('a port that is taken is named', async () => {
    const [taken] = await start();
    await expect(start({ debug: { address: '127.0.0.1', port: taken! } })).rejects.toThrow(
      `the debug server cannot listen on 127.0.0.1 port ${taken}`,
    );
  });
});

test('text of users cannot break out of a DOT string', () => {
  const origin = { kind: 'HTTPProxy', namespace: 'n', name: 'a', path: '' };
  const listener = { name: 'l"];\n', protocol: 'http', address: '0.0.0.0', port: 80, origin } as const;
  const dot = dagToDot({ listeners: new Map([['l"];\n', listener]]), virtualHosts: new Map() });
  expect(dot).toContain('"listener l\\"];\\n" [shape=box, label="l\\"];\\n\\n0.0.0.0:80"];');
});
