import { createServer, type Server, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Credentials } from '../client/credentials.ts';
import type { ResourceKind } from '../client/object.ts';
import { RestClient } from '../client/rest-client.ts';
import { systemClock } from '../clock/clock.ts';
import { settle } from '../clock/fake-clock.ts';
import { Cache } from './cache.ts';

const kind: ResourceKind = { kind: 'Thing', group: 'example.com', version: 'v1', plural: 'things', namespaced: true };

let server: Server;
let url: string;
let requests: URLSearchParams[];
let watch: ServerResponse | undefined;
let stop: AbortController;
let run: Promise<void>;
let events: string[];

beforeEach(async () => {
  [requests, watch, stop, events] = [[], undefined, new AbortController(), []];
  server = createServer((request, response) => {
    requests.push(new URL(request.url ?? '/', 'http://test').searchParams);
    response.writeHead(200);
    response.flushHeaders();
    watch = response;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
});

afterEach(async () => {
  stop.abort();
  await run;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** A watch line as an API server writes it. */
function line(type: string, name: string, resourceVersion: string, annotations?: object): string {
  const metadata = { name, namespace: 'ns', resourceVersion, ...(annotations !== undefined && { annotations }) };
  return `${JSON.stringify({ type, object: { apiVersion: 'example.com/v1', kind: 'Thing', metadata } })}\n`;
}

const endOfList = (resourceVersion: string) => line('BOOKMARK', '', resourceVersion, { 'k8s.io/initial-events-end': 'true' });

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await settle();
}

/** Sends bytes and waits until the informer has told so many events in all. */
async function send(text: string, count: number): Promise<void> {
  watch?.write(text);
  await until(() => events.length >= count);
}

function start() {
  const authorization = { headers: {}, tls: {} };
  const credentials: Credentials = { server: url, authorize: async () => authorization };
  const cache = new Cache({
    rest: new RestClient({ credentials }),
    clock: { ...systemClock, sleep: () => settle() },
    random: () => 0,
    onProblem: () => undefined,
  });
  const informer = cache.informer(kind);
  informer.addHandler(({ type, object }) => events.push(`${type} ${object.metadata.name}`));
  run = cache.run(stop.signal);
  return informer;
}

test('a list that the server streams is taken over as it comes, and is complete at the marked bookmark', async () => {
  const informer = start();
  await until(() => watch !== undefined);
  expect(Object.fromEntries(requests[0] ?? [])).toMatchObject({
    watch: 'true',
    sendInitialEvents: 'true',
    resourceVersionMatch: 'NotOlderThan',
    allowWatchBookmarks: 'true',
  });
  await send(line('ADDED', 'a', '1') + line('ADDED', 'b', '2'), 2);
  expect(informer.hasSynced()).toBe(false);
  const text = line('ADDED', 'ü', '3');
  const cut = Buffer.byteLength(text) - 20;
  watch?.write(Buffer.from(text).subarray(0, cut));
  await settle();
  watch?.write(Buffer.from(text).subarray(cut));
  await send(endOfList('9'), 3);
  await informer.synced;
  await send(line('MODIFIED', 'a', '10'), 4);
  expect(events).toEqual(['add a', 'add b', 'add ü', 'update a']);
});

test('a stream that is cut before its end begins anew; the next whole one tells what went meanwhile', async () => {
  const informer = start();
  await until(() => watch !== undefined);
  await send(line('ADDED', 'a', '1') + line('ADDED', 'b', '2'), 2);
  const first = watch;
  first?.destroy();
  await until(() => watch !== first);
  await send(line('ADDED', 'b', '2') + line('ADDED', 'c', '3') + endOfList('9'), 4);
  await informer.synced;
  expect(events).toEqual(['add a', 'add b', 'add c', 'delete a']);
  const second = watch;
  second?.end();
  await until(() => watch !== second);
  expect(Object.fromEntries(requests.at(-1) ?? [])).toMatchObject({ resourceVersion: '9' });
  expect(requests.at(-1)?.has('sendInitialEvents')).toBe(false);
});
