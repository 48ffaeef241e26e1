import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ResourceKind } from '../client/object.ts';
import { HealthServer, type HealthServerOptions } from './health-server.ts';
import { cacheSynced } from './healthz.ts';

let stop: AbortController;
let run: Promise<void>;
let server: HealthServer;

beforeEach(() => {
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  await run;
});

async function start(options: Omit<HealthServerOptions, 'port'>): Promise<void> {
  server = new HealthServer({ port: 0, host: '127.0.0.1', ...options });
  run = server.run(stop.signal);
  await server.ready;
}

async function get(path: string, method = 'GET'): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
  return `${response.status} ${await response.text()}`;
}

const well = async () => undefined;
const ill = (reason: string) => async () => {
  throw new Error(reason);
};

describe('a health server', () => {
  test('is well if nothing fails', async () => {
    await start({ ready: { cache: well } });
    expect([await get('/healthz'), await get('/readyz'), await get('/readyz?verbose')]).toEqual(['200 ok\n', '200 ok\n', '200 ok\n']);
  });

  test('names what fails, and answers for one check alone', async () => {
    await start({ live: { loop: well }, ready: { cache: ill('waiting for Secret'), server: well, lease: ill('lost') } });
    expect(await get('/healthz')).toBe('200 ok\n');
    expect(await get('/readyz')).toBe('503 cache: waiting for Secret\nlease: lost\n');
    expect([await get('/readyz/server'), await get('/readyz/lease')]).toEqual(['200 ok\n', '503 lease: lost\n']);
  });

  test('gives a check that hangs up', async () => {
    await start({ ready: { stuck: () => new Promise(() => undefined) }, timeoutMs: 20 });
    expect(await get('/readyz')).toBe('503 stuck: no answer within 20 ms\n');
  });

  test('shows metrics where there are some', async () => {
    let failing = false;
    const metrics = async () => (failing ? Promise.reject(new Error('broken')) : 'up 1\n');
    await start({ metrics: { contentType: 'text/plain', metrics } });
    expect(await get('/metrics')).toBe('200 up 1\n');
    failing = true;
    expect(await get('/metrics')).toBe('500 Error: broken\n');
  });

  test('knows no other path and no other method', async () => {
    await start({});
    const answers = ['/', '/metrics', '/readyz/none', '/readyz/toString'].map((path) => get(path));
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 4 }, () => '404 not found\n'));
    expect(await get('/healthz', 'POST')).toBe('405 only GET\n');
  });

  test('that cannot have its port fails', async () => {
    await start({});
    await expect(new HealthServer({ port: server.port, host: '127.0.0.1' }).run(stop.signal)).rejects.toThrow('EADDRINUSE');
  });
});

test('a cache is ready when no kind is on its way', async () => {
  let waiting: readonly string[] = ['Secret', 'Service'];
  const check = cacheSynced({ unsynced: () => waiting.map((kind) => ({ kind }) as ResourceKind) });
  await expect(check()).rejects.toThrow('waiting for Secret, Service');
  waiting = [];
  await check();
});
