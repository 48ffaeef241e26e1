/** Sends one request with everything about it adjustable, and tells all that came of it. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SecureVersion, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { addresses, type CaseRequest } from './case.ts';
import type { KeyMaterial } from './key-material.ts';

export type Headers = readonly (readonly [string, string])[];

/** How a connection failed: not taken, no handshake, cut, or no answer in time. */
export type Failure = 'refused' | 'handshake' | 'reset' | 'timeout';

export interface Result {
  /** The `x-test-id` of the request. */
  readonly test: string;
  readonly failure?: Failure;
  readonly error?: string;
  readonly status?: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, where it is a JSON object. */
  readonly json?: Readonly<Record<string, unknown>>;
  /** The backend that answered, and its address. */
  readonly service?: string;
  readonly addr?: string;
  readonly cert?: string;
  readonly alpn?: string | null;
  readonly tls_version?: string;
  readonly grpc_status?: number;
  readonly second?: number | string;
  readonly seconds: number;
}

export interface Target {
  readonly ports: { readonly http: number; readonly https: number };
  readonly material: KeyMaterial;
}

const [gateway] = addresses;
const defaultTimeoutSeconds = 10;
const ping = 'ping-over-websocket';
const webSocket: Headers = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
];

/** Never throws: what goes wrong with the connection is in the result. */
export async function ask(request: CaseRequest, target: Target): Promise<Result> {
  const started = performance.now();
  const test = randomUUID().replaceAll('-', '');
  const context: Exchange = { request, target, test, tls: {}, stage: 'refused' };
  const limit = (request.timeout ?? defaultTimeoutSeconds) * 1000;
  const timer = setTimeout(() => context.socket?.destroy(new TimeoutError()), limit);
  try {
    const answer = await exchange(context);
    return { test, ...context.tls, ...interpret(answer), seconds: secondsSince(started) };
  } catch (error) {
    const failure = classify(error, context.stage);
    return { test, failure, error: String(error), headers: [], text: '', seconds: secondsSince(started) };
  } finally {
    clearTimeout(timer);
    context.socket?.destroy();
  }
}

/** What is known of an exchange while it goes on. */
interface Exchange {
  readonly request: CaseRequest;
  readonly target: Target;
  readonly test: string;
  tls: Pick<Result, 'cert' | 'alpn' | 'tls_version'>;
  /** What a failure now would be. */
  stage: Exclude<Failure, 'timeout'>;
  socket?: Socket;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  readonly trailers?: Headers;
  readonly second?: number | string;
}

class TimeoutError extends Error {}

function secondsSince(started: number): number {
  return (performance.now() - started) / 1000;
}

/** An alert after the handshake of TLS 1.3 is about the handshake all the same. */
function classify(error: unknown, stage: Exchange['stage']): Failure {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (error instanceof TimeoutError || code === 'ETIMEDOUT' || code === 'EHOSTUNREACH') return 'timeout';
  return code.startsWith('ERR_SSL') ? 'handshake' : stage;
}

async function exchange(context: Exchange): Promise<Answer> {
  const { request } = context;
  const socket = await openSocket(context);
  context.stage = 'reset';
  if (request.http2 === true || request.grpc !== undefined) return askHttp2(context, socket);
  if (request.websocket === true) return askWebSocket(context, socket);
  return request.http === undefined ? askHttp1(context, socket) : askRaw(context, socket);
}

async function openSocket(context: Exchange): Promise<Socket> {
  const { request, target } = context;
  const port = request.port ?? target.ports[request.scheme];
  const host = request.to ?? gateway;
  const plain = connect({ host, port, noDelay: true, ...(request.from !== undefined && { localAddress: request.from }) });
  plain.on('error', () => undefined);
  context.socket = plain;
  await once(plain, 'connect');
  if (request.proxy_protocol !== undefined) plain.write(`PROXY TCP4 ${request.proxy_protocol} ${gateway} 4000 80\r\n`);
  if (request.scheme === 'http') return plain;
  context.stage = 'handshake';
  return handshake(context, plain);
}

async function handshake(context: Exchange, plain: Socket): Promise<Socket> {
  const { request, target } = context;
  const sni = request.sni ?? request.host.replace(/:\d+$/, '');
  const alpn = request.alpn_offer ?? (request.http2 === true || request.grpc !== undefined ? ['h2'] : ['http/1.1']);
  const secure = tlsConnect({
    socket: plain,
    rejectUnauthorized: false,
    ...(sni !== 'none' && { servername: sni }),
    ...(alpn.length > 0 && { ALPNProtocols: [...alpn] }),
    ...(request.tls_min !== undefined && { minVersion: tlsVersion(request.tls_min) }),
    ...(request.tls_max !== undefined && { maxVersion: tlsVersion(request.tls_max) }),
    ...(request.ciphers !== undefined && { ciphers: request.ciphers }),
    ...(request.cert !== undefined && {
      cert: target.material.file(`${request.cert}.crt`),
      key: target.material.file(`${request.cert}.key`),
    }),
  });
  secure.on('error', () => undefined);
  context.socket = secure;
  await once(secure, 'secureConnect');
  context.tls = tlsFacts(secure, target.material);
  return secure;
}

function tlsVersion(version: string | number): SecureVersion {
  return `TLSv${version}` as SecureVersion;
}

function tlsFacts(socket: TLSSocket, material: KeyMaterial): Exchange['tls'] {
  return {
    cert: material.nameOf(socket.getPeerCertificate().raw),
    alpn: socket.alpnProtocol || null,
    tls_version: (socket.getProtocol() ?? '').replace('TLSv', ''),
  };
}

/** Fails as the socket does; `once` alone would wait for ever on one that closes in silence. */
function ended(socket: Socket): Promise<never> {
  const gone = new Promise<never>((_, reject) => {
    if (socket.destroyed) reject(socket.errored ?? new Error('closed before the answer'));
    socket.once('error', reject).once('close', () => reject(socket.errored ?? new Error('closed before the answer')));
  });
  // Nobody may be waiting by then.
  gone.catch(() => undefined);
  return gone;
}

function givenHeaders({ request, test }: Exchange): Headers {
  const given = Object.entries(request.headers ?? {}).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, String(value)] as const),
  );
  return [['x-test-id', test], ...given];
}

function headers1(context: Exchange, more: Headers = []): string[] {
  const { request } = context;
  const body = Buffer.byteLength(request.body ?? '');
  const length: Headers = body > 0 ? [['Content-Length', String(body)]] : [];
  const host: Headers = request.no_host === true ? [] : [['Host', request.host]];
  return [...host, ...givenHeaders(context), ...more, ...length].flat();
}

function call1(context: Exchange, agent: Agent, more: Headers = []) {
  const { method, path, body } = context.request;
  const call = httpRequest({ method, path, headers: headers1(context, more), setHost: false, agent });
  call.on('error', () => undefined).end(body);
  return call;
}

/** Has one connection and opens no other. */
class OneConnection extends Agent {
  #socket: Socket | undefined;

  constructor(socket: Socket) {
    super({ keepAlive: true });
    this.#socket = socket;
  }

  override createConnection(): Socket {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) throw new Error('the connection was closed');
    return socket;
  }
}

async function askHttp1(context: Exchange, socket: Socket): Promise<Answer> {
  const agent = new OneConnection(socket);
  const response = await responseTo(call1(context, agent), socket);
  const body = await Promise.race([readAll(response), ended(socket)]).catch((error: unknown) => {
    if (response.complete) return Buffer.alloc(0);
    throw error;
  });
  const answer = { status: response.statusCode ?? 0, headers: pairs(response.rawHeaders), body };
  const { after } = context.request;
  return after === undefined ? answer : { ...answer, second: await askAgain(context, agent, after) };
}

async function responseTo(call: ClientRequest, socket: Socket): Promise<IncomingMessage> {
  const responded = once(call, 'response');
  responded.catch(() => undefined);
  const [response] = (await Promise.race([responded, ended(socket)])) as [IncomingMessage];
  return response;
}

/** Whether the connection lives on. */
async function askAgain(context: Exchange, agent: Agent, afterSeconds: number): Promise<number | string> {
  await sleep(afterSeconds * 1000);
  try {
    const [response] = (await once(call1(context, agent), 'response')) as [IncomingMessage];
    return response.statusCode ?? 0;
  } catch {
    return 'closed';
  }
}

function statusOf(text: string): number {
  return Number(text.split(' ')[1]);
}

async function readAll(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function askWebSocket(context: Exchange, socket: Socket): Promise<Answer> {
  const call = call1(context, new OneConnection(socket), webSocket);
  const gone = ended(socket);
  const refused = once(call, 'response').then(async (event) => {
    const [response] = event as [IncomingMessage];
    return { response, body: await readAll(response) };
  });
  const taken = once(call, 'upgrade').then(async (event) => {
    const [response, , head] = event as [IncomingMessage, Socket, Buffer];
    socket.write(ping);
    let body = head;
    while (body.length < ping.length) {
      const [chunk] = (await Promise.race([once(socket, 'data'), gone])) as [Buffer];
      body = Buffer.concat([body, chunk]);
    }
    return { response, body };
  });
  refused.catch(() => undefined);
  taken.catch(() => undefined);
  const { response, body } = await Promise.race([refused, taken, gone]);
  return { status: response.statusCode ?? 0, headers: pairs(response.rawHeaders), body };
}

/** For versions that no client sends any more: the answer ends with the connection. */
async function askRaw(context: Exchange, socket: Socket): Promise<Answer> {
  const { method, path, http = '1.0', body = '' } = context.request;
  const lines = pairs(headers1(context)).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${path} HTTP/${http}\r\n${lines.join('')}\r\n${body}`);
  const text = (await readAll(socket)).toString('latin1');
  const [head = '', ...rest] = text.split('\r\n\r\n');
  if (rest.length === 0) throw new Error('closed before the answer');
  const headers = head
    .split('\r\n')
    .slice(1)
    .map((line) => /^([^:]*): *(.*)$/.exec(line));
  const read = headers.map((match) => [match?.[1] ?? '', match?.[2] ?? ''] as const);
  return { status: statusOf(head), headers: read, body: Buffer.from(rest.join('\r\n\r\n'), 'latin1') };
}

async function askHttp2(context: Exchange, socket: Socket): Promise<Answer> {
  const { request } = context;
  const session = connectHttp2(`${request.scheme}://${request.host}`, { createConnection: () => socket });
  session.on('error', () => undefined);
  const gone = ended(socket);
  try {
    const stream = session.request(headers2(context), { endStream: false });
    let trailers: Headers = [];
    stream.on('trailers', (_, __, raw: string[]) => (trailers = pairs(raw)));
    const failed = once(stream, 'error').then(([error]) => Promise.reject(error as Error));
    failed.catch(() => undefined);
    const responded = once(stream, 'response');
    responded.catch(() => undefined);
    stream.end(request.grpc === undefined ? request.body : Buffer.from([0, 0, 0, 0, 2, 0x0a, 0]));
    const [headers, , raw] = (await Promise.race([responded, failed, gone])) as [Record<string, number>, number, string[]];
    const body = await Promise.race([readAll(stream), failed, gone]);
    if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) throw new Error(`the stream was reset with ${stream.rstCode}`);
    const named = pairs(raw).filter(([name]) => !name.startsWith(':'));
    return { status: headers[':status'] ?? 0, headers: named, body, trailers };
  } finally {
    session.destroy();
  }
}

function headers2(context: Exchange): Record<string, string | string[]> {
  const { request } = context;
  const grpc = request.grpc !== undefined;
  const pseudo = {
    ':method': grpc ? 'POST' : request.method,
    ':path': grpc ? `/${request.grpc}` : request.path,
    ':scheme': request.scheme,
    ':authority': request.host,
  };
  const values: Record<string, string[]> = {};
  for (const [name, value] of givenHeaders(context)) {
    const key = name.toLowerCase();
    values[key] = [...(values[key] ?? []), value];
  }
  return { ...pseudo, ...values, ...(grpc && { 'content-type': 'application/grpc', te: 'trailers' }) };
}

function pairs(raw: readonly string[]): Headers {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index] ?? '', raw[2 * index + 1] ?? ''] as const);
}

/** The values of a header. */
export function header(headers: Headers, name: string): readonly string[] {
  return headers.flatMap(([other, value]) => (other.toLowerCase() === name.toLowerCase() ? [value] : []));
}

function interpret({ status, headers, body, trailers = [], second }: Answer): Omit<Result, 'test' | 'seconds'> {
  const text = unpacked(headers, body).toString('latin1');
  const json = jsonObject(text);
  const [grpcStatus] = [...header(trailers, 'grpc-status'), ...header(headers, 'grpc-status')];
  const service = header(headers, 'x-echo-service')[0] ?? textOf(json?.['service']);
  const addr = header(headers, 'x-echo-addr')[0] ?? textOf(json?.['addr']);
  return {
    ...{ status, headers, text },
    ...(json !== undefined && { json }),
    ...(service !== undefined && { service }),
    ...(addr !== undefined && { addr }),
    ...(grpcStatus !== undefined && { grpc_status: Number(grpcStatus) }),
    ...(second !== undefined && { second }),
  };
}

function unpacked(headers: Headers, body: Buffer): Buffer {
  if (!header(headers, 'content-encoding').join().includes('gzip')) return body;
  try {
    return gunzipSync(body);
  } catch {
    return body;
  }
}

function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
