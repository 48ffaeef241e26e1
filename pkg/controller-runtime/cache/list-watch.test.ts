import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { plainClient } from '../../../test/lib/kubernetes.ts';
import { type WatchLine, watch } from './list-watch.ts';

const selection = { kind: { kind: 'Thing', group: 'example.com', version: 'v1', plural: 'things', namespaced: true }, namespace: '' };
const line = { type: 'ADDED', object: { metadata: { name: 'a', resourceVersion: '1' } } };

let server: Server;

/** An API server that tells of one object, and then nothing more. */
async function start(): Promise<string> {
  server = createServer((_, response) => void response.writeHead(200).write(`${JSON.stringify(line)}\n`));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

test('a watch on which nothing comes is given up, as if the server had ended it', async () => {
  const url = await start();
  const lines: WatchLine[] = [];
  const options = { resourceVersion: '0', timeoutSeconds: 300, idleTimeoutMs: 50, signal: new AbortController().signal };
  await watch(plainClient(url).rest, selection, options, (each) => lines.push(each));
  expect(lines).toEqual([line]);
});

test('a watch whose connection is cut has failed', async () => {
  const url = await start();
  const options = { resourceVersion: '0', timeoutSeconds: 300, idleTimeoutMs: 60_000, signal: new AbortController().signal };
  const cut = () => server.closeAllConnections();
  await expect(watch(plainClient(url).rest, selection, options, cut)).rejects.toThrow(url);
});
