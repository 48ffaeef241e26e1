/**
 * The servers behind Envoy. Each listens on all addresses, so that endpoints may have any local one. Requests steer what an echo server
 * does: `x-echo-status: N`, `x-echo-sleep: MS`, `x-echo-header: name: value` (repeatable), `x-echo-type`, `x-echo-pad: N` bytes,
 * `x-echo-fail: N:CODE` (the first N calls of a test get CODE; `reset` closes the connection). `/hc/TOKEN` answers 200 where TOKEN is
 * the server's name or its address.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttp2, createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createServer as createHttps } from 'node:https';
import type { Server, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SecureVersion, TLSSocket, TlsOptions } from 'node:tls';
import { type GrpcAnswer, grpcServices } from './grpc-services.ts';
import type { KeyMaterial } from './key-material.ts';

/** A request as a server saw it. */
export type Call = Readonly<Record<string, unknown>>;

/** What reached the servers, by the `x-test-id` of the request, or a name of the server's own. */
export class CallLog {
  readonly #calls = new Map<string, Call[]>();

  /** Gives how many there are by now. */
  add(id: string, call: Call): number {
    const calls = this.#calls.get(id) ?? [];
    this.#calls.set(id, calls);
    return calls.push(call);
  }

  of(id: string): readonly Call[] {
    return this.#calls.get(id) ?? [];
  }
}

/** Starts all servers. */
export async function startBackends(material: KeyMaterial): Promise<CallLog & AsyncDisposable> {
  const log = new CallLog();
  const stack = new AsyncDisposableStack();
  for (const [name, { port, protocol, tls, handler = echo }] of Object.entries(servers)) {
    const handle = (request: BackendRequest, response: BackendResponse) => void answer({ name, log, material, handler }, request, response);
    const server = createServer(
      protocol,
      tls && { ...tlsOptions(tls, material), ALPNProtocols: protocol === 'HTTP/2' ? ['h2'] : [] },
      handle,
    );
    server.on('upgrade', (request: IncomingMessage, socket: Socket) => upgrade(name, log, request, socket));
    stack.use(await listen(server, port));
  }
  return Object.assign(log, { [Symbol.asyncDispose]: () => stack.disposeAsync() });
}

type BackendRequest = IncomingMessage | Http2ServerRequest;
type BackendResponse = ServerResponse | Http2ServerResponse;

interface Tls {
  readonly certificate: string;
  /** Whether a client certificate of our authority may or must be shown. Default: none is asked for. */
  readonly client?: 'optional' | 'required';
  readonly minVersion?: SecureVersion;
  readonly maxVersion?: SecureVersion;
}

type Handler = (context: Context, request: Received) => Promise<Reply> | Reply;

interface Backend {
  readonly port: number;
  readonly protocol: 'HTTP/1.1' | 'HTTP/2';
  readonly tls?: Tls;
  /** Default: `echo`. */
  readonly handler?: Handler;
}

const servers: Readonly<Record<string, Backend>> = {
  'echo-a': { port: 18_081, protocol: 'HTTP/1.1' },
  'echo-b': { port: 18_082, protocol: 'HTTP/1.1' },
  'echo-c': { port: 18_083, protocol: 'HTTP/1.1' },
  'echo-d': { port: 18_084, protocol: 'HTTP/1.1' },
  'echo-h2c': { port: 18_091, protocol: 'HTTP/2' },
  'echo-tls': { port: 18_443, protocol: 'HTTP/1.1', tls: { certificate: 'backend', client: 'optional' } },
  'echo-h2': { port: 18_444, protocol: 'HTTP/2', tls: { certificate: 'backend', client: 'optional' } },
  'echo-mtls': { port: 18_445, protocol: 'HTTP/1.1', tls: { certificate: 'backend', client: 'required' } },
  'echo-tls12': { port: 18_446, protocol: 'HTTP/1.1', tls: { certificate: 'backend', maxVersion: 'TLSv1.2' } },
  'echo-tls13': { port: 18_447, protocol: 'HTTP/1.1', tls: { certificate: 'backend', minVersion: 'TLSv1.3' } },
  'echo-tls-other': { port: 18_448, protocol: 'HTTP/1.1', tls: { certificate: 'backend-other' } },
  authz: { port: 18_101, protocol: 'HTTP/2' },
  'authz-http': { port: 18_102, protocol: 'HTTP/1.1', handler: authorize },
  ratelimit: { port: 18_103, protocol: 'HTTP/2' },
};

function createServer(
  protocol: Backend['protocol'],
  tls: TlsOptions | undefined,
  handle: (q: BackendRequest, r: BackendResponse) => void,
): Server {
  if (protocol === 'HTTP/1.1') return tls === undefined ? createHttp(handle) : createHttps(tls, handle);
  return tls === undefined ? createHttp2(handle) : createSecureServer(tls, handle);
}

function tlsOptions({ certificate, client, minVersion = 'TLSv1.2', maxVersion = 'TLSv1.3' }: Tls, material: KeyMaterial): TlsOptions {
  return {
    cert: material.file(`${certificate}.crt`),
    key: material.file(`${certificate}.key`),
    ca: material.file('ca.crt'),
    requestCert: client !== undefined,
    rejectUnauthorized: client === 'required',
    minVersion,
    maxVersion,
  };
}

async function listen(server: Server, port: number): Promise<AsyncDisposable> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  // Some clients are meant to be refused.
  server.on('tlsClientError', () => undefined).on('sessionError', () => undefined);
  server.listen(port, '::');
  await once(server, 'listening');
  return {
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A request, read whole. */
interface Received {
  readonly method: string;
  readonly path: string;
  readonly host: string | undefined;
  /** By lower-case name; pseudo headers are left out. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
  readonly protocol: Backend['protocol'];
  readonly socket: Socket;
}

interface Reply {
  readonly status: number;
  /** Names may occur more than once. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | string;
}

interface Context {
  readonly name: string;
  readonly log: CallLog;
  readonly material: KeyMaterial;
  readonly handler: Handler;
}

/** The connection is to be closed without an answer. */
class Reset extends Error {}

async function answer(context: Context, request: BackendRequest, response: BackendResponse): Promise<void> {
  try {
    const received = await receive(request);
    if (!isTrusted(received.socket)) throw new Reset();
    const grpc = received.headers.get('content-type')?.[0]?.startsWith('application/grpc') && !received.headers.has('x-echo-plain');
    if (grpc) sendGrpc(context, received, response as Http2ServerResponse);
    else send(await context.handler(context, received), received.method, response);
  } catch (error) {
    if (!(error instanceof Reset)) console.error(`backend ${context.name}:`, error);
    if ('stream' in request) request.stream.close();
    else request.socket.destroy();
  }
}

async function receive(request: BackendRequest): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = new Map<string, string[]>();
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = (request.rawHeaders[index] ?? '').toLowerCase();
    if (!name.startsWith(':')) headers.set(name, [...(headers.get(name) ?? []), request.rawHeaders[index + 1] ?? '']);
  }
  const second = 'stream' in request;
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    host: second ? request.authority : request.headers.host,
    headers,
    body: Buffer.concat(chunks),
    protocol: second ? 'HTTP/2' : 'HTTP/1.1',
    // The session's stand-in for the socket forbids what it does not need.
    socket: second ? ((request.stream.session?.socket ?? request.socket) as Socket) : request.socket,
  };
}

/** A client certificate that may be left out must be ours if it is there. */
function isTrusted(socket: Socket): boolean {
  const secure = socket as TLSSocket;
  if (!secure.encrypted) return true;
  return secure.authorized || Object.keys(secure.getPeerCertificate() ?? {}).length === 0;
}

function send({ status, headers, body }: Reply, method: string, response: BackendResponse): void {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  for (const name of names) {
    const values = headers.flatMap(([other, value]) => (other.toLowerCase() === name ? [value] : []));
    (response as ServerResponse).setHeader(name, values.length === 1 ? (values[0] ?? '') : values);
  }
  response.statusCode = status;
  const bytes = Buffer.from(body);
  (response as ServerResponse).setHeader('content-length', bytes.length);
  (response as ServerResponse).end(method === 'HEAD' ? undefined : bytes);
}

function sendGrpc({ name, log }: Context, { path, host, headers, body, socket }: Received, response: Http2ServerResponse): void {
  const service = grpcServices.get(path);
  const test = headers.get('x-test-id')?.[0] ?? '';
  if (service === undefined) log.add(test, { service: name, method: 'POST', path, host, addr: addressOf(socket.localAddress) });
  const handle = (): GrpcAnswer => service?.(body.subarray(5)) ?? { message: Buffer.alloc(0), calls: [] };
  const { message, calls, delayMs = 0 } = handle();
  for (const { id, ...call } of calls) log.add(id, call);
  const frame = Buffer.alloc(5 + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  const reply = (): void => {
    if (response.stream.destroyed) return;
    response.writeHead(200, { 'content-type': 'application/grpc', 'x-echo-service': name });
    response.addTrailers({ 'grpc-status': '0' });
    response.end(frame);
  };
  setTimeout(reply, delayMs);
}

async function echo({ name, log, material }: Context, received: Received): Promise<Reply> {
  const { method, path, host, headers, body, protocol, socket } = received;
  const first = (header: string): string | undefined => headers.get(header)?.[0];
  const addr = addressOf(socket.localAddress);
  const plain = path.split('?')[0] ?? '';
  if (plain.startsWith('/hc/')) return healthCheck({ name, log, path, host, addr });
  if (plain === '/jwks.json') {
    log.add('jwks', { service: name, path });
    return { status: 200, headers: [['content-type', 'application/json']], body: material.file('jwks.json') };
  }
  const count = log.add(first('x-test-id') ?? '', { service: name, method, path, host, addr });
  await sleep(Number(first('x-echo-sleep') ?? 0));
  const status = failure(first('x-echo-fail'), count) ?? Number(first('x-echo-status') ?? 200);
  const extra = (headers.get('x-echo-header') ?? []).map((header) => {
    const [key = '', ...value] = header.split(':');
    return [key.trim(), value.join(':').trim()] as const;
  });
  const seen = {
    ...{ service: name, method, path, host, protocol, addr, tls: tlsOf(socket) },
    headers: Object.fromEntries(headers),
    body: body.toString('latin1'),
    peer: addressOf(socket.remoteAddress),
    pad: 'x'.repeat(Number(first('x-echo-pad') ?? 0)),
  };
  const own = [
    ['content-type', first('x-echo-type') ?? 'application/json'],
    ['x-echo-service', name],
    ['x-echo-addr', addr],
  ] as const;
  return { status, headers: [...own, ...extra], body: JSON.stringify(seen) };
}

interface HealthCheck {
  readonly name: string;
  readonly log: CallLog;
  readonly path: string;
  readonly host: string | undefined;
  readonly addr: string;
}

function healthCheck({ name, log, path, host, addr }: HealthCheck): Reply {
  log.add(`hc/${name}`, { service: name, path, host, addr });
  const good = [name, addr].includes(path.split('?')[0]?.slice('/hc/'.length) ?? '');
  return { status: good ? 200 : 503, headers: [['content-type', 'text/plain']], body: good ? 'ok' : 'no' };
}

/** The status that `x-echo-fail` asks for at this call. @throws {Reset} where it asks for that. */
function failure(text: string | undefined, call: number): number | undefined {
  const [count, code] = text?.split(':') ?? [];
  if (count === undefined || call > Number(count)) return undefined;
  if (code === 'reset') throw new Reset();
  return Number(code);
}

function tlsOf(socket: Socket): Call | null {
  const secure = socket as TLSSocket & { readonly servername?: string | false };
  if (!secure.encrypted) return null;
  return {
    sni: secure.servername || null,
    alpn: secure.alpnProtocol || null,
    version: secure.getProtocol(),
    client: secure.getPeerCertificate()?.subject?.CN ?? null,
  };
}

/** The HTTP service for external authorization. */
function authorize({ log }: Context, { method, path, host, headers }: Received): Reply {
  const first = (header: string): string | undefined => headers.get(header)?.[0];
  log.add(first('x-test-id') ?? '', { service: 'authz-http', method, path, host });
  log.add('authz-http', { path, headers: [...headers.keys()].sort() });
  if (first('authorization') !== 'allow' && first('x-auth') !== 'allow') {
    return {
      status: 403,
      headers: [
        ['x-auth-reason', 'no'],
        ['content-type', 'text/plain'],
      ],
      body: 'denied by http authz',
    };
  }
  const got = [...headers.keys()].filter((name) => name.startsWith('x-in-')).sort();
  const allowed = [
    ['x-auth-seen', 'http'],
    ['x-auth-user', 'bob'],
    ['x-auth-secret', 'hidden'],
    ['x-auth-got', got.join(' ') || 'none'],
  ] as const;
  return { status: 200, headers: allowed, body: '' };
}

/** Takes every WebSocket, and sends back whatever follows. */
function upgrade(name: string, log: CallLog, request: IncomingMessage, socket: Socket): void {
  const { headers, method, url } = request;
  const addr = addressOf(socket.localAddress);
  log.add(String(headers['x-test-id'] ?? ''), { service: name, method, path: url, host: headers.host, addr });
  const key = `${headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`; // RFC 6455 §1.3
  const accept = createHash('sha1').update(key).digest('base64');
  const lines = ['upgrade: websocket', 'connection: Upgrade', `sec-websocket-accept: ${accept}`, `x-echo-service: ${name}`];
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
  socket.pipe(socket);
}

function addressOf(address: string | undefined): string {
  return (address ?? '').replace('::ffff:', '');
}
