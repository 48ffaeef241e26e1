import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { FakeClock, settle } from '../clock/fake-clock.ts';
import { Client } from './client.ts';
import type { Credentials } from './credentials.ts';
import { ApiError, UnreachableError } from './errors.ts';
import type { ResourceKind } from './object.ts';
import { RestClient, type ServerState } from './rest-client.ts';
import { TokenBucket } from './token-bucket.ts';

const kind: ResourceKind = { kind: 'Thing', group: 'example.com', version: 'v1', plural: 'things', namespaced: true };
const thing = { namespace: 'ns', name: 'a' };

interface Seen {
  readonly line: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly body: string;
}

let server: Server;
let url: string;
let seen: Seen[];
let answers: ((response: ServerResponse) => void)[];
let states: ServerState[];
let tokens: string[];
let outcomes: string[];

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(status, headers);
    response.end(JSON.stringify(body));
  };

beforeEach(async () => {
  [seen, answers, states, tokens, outcomes] = [[], [], [], ['first', 'second'], []];
  server = createServer((request: IncomingMessage, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const { authorization, 'content-type': contentType } = request.headers;
      seen.push({ line: `${request.method} ${request.url}`, authorization, contentType, body });
      (answers.shift() ?? json(200, { kind: 'Thing' }))(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function setUp(clock = new FakeClock()): Client {
  const tls = {};
  const credentials: Credentials = {
    server: url,
    authorize: async (refused) => {
      if (refused) tokens.shift();
      return { headers: { authorization: `Bearer ${tokens[0]}` }, tls };
    },
  };
  return new Client(
    new RestClient({
      credentials,
      clock,
      onServerState: (state) => states.push(state),
      metrics: ({ method, verb, code, host }) => outcomes.push(`${method} ${verb} ${code} ${url.endsWith(host)}`),
    }),
  );
}

describe('requests', () => {
  const object = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: thing };
  const cases: readonly { name: string; call: (client: Client) => Promise<unknown>; want: Partial<Seen> }[] = [
    { name: 'get', call: (client) => client.get(kind, thing), want: { line: 'GET /apis/example.com/v1/namespaces/ns/things/a' } },
    {
      name: 'list of a namespace',
      call: (client) => client.list(kind, { namespace: 'ns', labelSelector: 'a=b,c' }),
      want: { line: 'GET /apis/example.com/v1/namespaces/ns/things?limit=500&labelSelector=a%3Db%2Cc' },
    },
    {
      name: 'create',
      call: (client) => client.create(kind, object),
      want: { line: 'POST /apis/example.com/v1/namespaces/ns/things', body: JSON.stringify(object) },
    },
    { name: 'update', call: (client) => client.update(kind, object), want: { line: 'PUT /apis/example.com/v1/namespaces/ns/things/a' } },
    {
      name: 'merge patch of status',
      call: (client) => client.patchStatus(kind, thing, { ok: true }),
      want: {
        line: 'PATCH /apis/example.com/v1/namespaces/ns/things/a/status',
        contentType: 'application/merge-patch+json',
        body: '{"status":{"ok":true}}',
      },
    },
    {
      name: 'apply',
      call: (client) => client.patch(kind, thing, object, { type: 'apply', fieldManager: 'me', force: true }),
      want: {
        line: 'PATCH /apis/example.com/v1/namespaces/ns/things/a?fieldManager=me&force=true',
        contentType: 'application/apply-patch+yaml',
      },
    },
    {
      name: 'JSON patch',
      call: (client) => client.patch(kind, thing, [], { type: 'json' }),
      want: { contentType: 'application/json-patch+json', body: '[]' },
    },
    { name: 'delete', call: (client) => client.delete(kind, thing), want: { line: 'DELETE /apis/example.com/v1/namespaces/ns/things/a' } },
    {
      name: 'a name that is no path segment',
      call: (client) => client.get(kind, { namespace: 'ns', name: '../b?c' }),
      want: { line: 'GET /apis/example.com/v1/namespaces/ns/things/..%2Fb%3Fc' },
    },
  ];
  test.each(cases)('$name', async ({ call, want }) => {
    await call(setUp());
    expect(seen[0]).toMatchObject(want);
  });
});

describe('refusals', () => {
  const cases: readonly { status: number; reason: string; want: string }[] = [
    { status: 404, reason: 'NotFound', want: 'NotFound' },
    { status: 409, reason: 'Conflict', want: 'Conflict' },
    { status: 409, reason: 'AlreadyExists', want: 'AlreadyExists' },
    { status: 410, reason: 'Gone', want: 'Gone' },
    { status: 410, reason: 'Expired', want: 'Expired' },
    { status: 422, reason: 'Invalid', want: 'Invalid' },
    { status: 403, reason: 'Forbidden', want: 'Forbidden' },
    { status: 500, reason: 'InternalError', want: 'ServerError' },
    { status: 418, reason: '', want: 'Unknown' },
  ];
  test.each(cases)('$status $reason is $want', async ({ status, reason, want }) => {
    answers.push(json(status, { kind: 'Status', reason, message: 'said' }));
    const failed = setUp().patch(kind, thing, {});
    await expect(failed).rejects.toThrow(ApiError);
    await expect(failed).rejects.toMatchObject({ reason: want, status, message: expect.stringContaining('said') });
  });

  test('a missing right names verb, resource, group, and the line of a Role that gives it', async () => {
    answers.push(json(403, { reason: 'Forbidden', message: 'no' }));
    await expect(setUp().patchStatus(kind, thing, {})).rejects.toThrow(
      'no permission for verb "patch" on resource "things/status" of API group "example.com": no; this line under the rules of a Role ' +
        'gives it: - {apiGroups: ["example.com"], resources: ["things/status"], verbs: ["patch"]}',
    );
  });

  test('an invalid object names its fields', async () => {
    const causes = [{ field: 'spec.x', message: 'must be positive' }];
    answers.push(json(422, { reason: 'Invalid', details: { causes } }));
    await expect(setUp().patch(kind, thing, {})).rejects.toMatchObject({ causes });
  });

  test('an error does not hold what was sent', async () => {
    answers.push(json(500, {}));
    const error = await setUp()
      .patch(kind, thing, { data: 'confidential' })
      .catch((thrown: unknown) => thrown);
    expect(JSON.stringify(error)).not.toContain('confidential');
  });

  test('get gives nothing for what is not there', async () => {
    answers.push(json(404, { reason: 'NotFound' }));
    expect(await setUp().get(kind, thing)).toBeUndefined();
  });

  test('credentials are read again once when they are refused', async () => {
    answers.push(json(401, { reason: 'Unauthorized' }));
    await setUp().get(kind, thing);
    expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer first', 'Bearer second']);
    answers.push(json(401, { reason: 'Unauthorized' }), json(401, { reason: 'Unauthorized' }));
    await expect(setUp().get(kind, thing)).rejects.toMatchObject({ reason: 'Unauthorized' });
  });

  test('a busy server is asked again when it said', async () => {
    const clock = new FakeClock();
    answers.push(json(429, {}, { 'retry-after': '3' }));
    const result = setUp(clock).get(kind, thing);
    while (clock.sleeping().length === 0) await settle();
    expect(clock.sleeping()).toEqual([3_000]);
    await clock.advance(3_000);
    expect(await result).toEqual({ kind: 'Thing' });
  });

  test('an answer that is no JSON is told with its beginning', async () => {
    answers.push((response) => response.end('<html>'));
    await expect(setUp().get(kind, thing)).rejects.toThrow('the answer is not JSON: <html>');
  });
});

describe('no answer', () => {
  test('a refused connection names the server, and its loss and return are told once', async () => {
    const client = setUp();
    await client.get(kind, thing);
    const { port } = new URL(url);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const failed = client.get(kind, thing);
    await expect(failed).rejects.toThrow(UnreachableError);
    await expect(failed).rejects.toThrow(`no answer from the API server at ${url}`);
    await expect(client.get(kind, thing)).rejects.toThrow('ECONNREFUSED');
    await new Promise<void>((resolve) => server.listen(Number(port), '127.0.0.1', resolve));
    await client.get(kind, thing);
    expect(states.map(({ reachable }) => reachable)).toEqual([true, false, true]);
  });

  test('an answer that is cut is no answer', async () => {
    answers.push((response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"kind"', () => response.destroy());
    });
    await expect(setUp().get(kind, thing)).rejects.toThrow(UnreachableError);
  });

  test('a kept connection that the server closed is not our fault', async () => {
    const client = setUp();
    await client.get(kind, thing);
    await settle();
    answers.push((response) => response.destroy());
    expect(await client.get(kind, thing)).toEqual({ kind: 'Thing' });
  });

  test('each request counts, with its answer or the lack of it', async () => {
    const client = setUp();
    answers.push(json(200, {}), json(401, {}), json(200, {}), json(404, {}), (response) => response.destroy());
    await client.get(kind, thing);
    await client.list(kind);
    await client.get(kind, thing);
    await client.create(kind, { apiVersion: 'example.com/v1', kind: 'Thing', metadata: thing }).catch(() => undefined);
    expect(outcomes).toEqual([
      'GET get 200 true',
      'GET list 401 true',
      'GET list 200 true',
      'GET get 404 true',
      'POST create <error> true',
    ]);
  });

  test('items of a list say what they are, as objects that are read one by one do', async () => {
    answers.push(json(200, { items: [{ metadata: thing }, { apiVersion: 'example.com/v1beta1', kind: 'Thing', metadata: thing }] }));
    expect(await setUp().list(kind)).toEqual([
      { apiVersion: 'example.com/v1', kind: 'Thing', metadata: thing },
      { apiVersion: 'example.com/v1beta1', kind: 'Thing', metadata: thing },
    ]);
  });

  test('an aborted request throws the reason of its signal', async () => {
    answers.push(() => undefined);
    const stop = new AbortController();
    const pending = setUp().get(kind, thing, { signal: stop.signal });
    while (seen.length === 0) await settle();
    stop.abort(new Error('enough'));
    await expect(pending).rejects.toThrow('enough');
  });
});

describe('TokenBucket', () => {
  test('lets a burst through and then so many a second', async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket({ qps: 2, burst: 3 }, clock);
    let through = 0;
    for (let i = 0; i < 6; i++) void bucket.take().then(() => through++);
    await clock.advance(0);
    expect(through).toBe(3);
    await clock.advance(500);
    expect(through).toBe(4);
    await clock.advance(1_000);
    expect(through).toBe(6);
  });
});
