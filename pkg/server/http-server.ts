import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Logger } from '../util/logger.ts';
import { CertificateFiles, type CertificatePaths } from './certificate-files.ts';

/** What a path answers. */
export interface Reply {
  readonly status?: number;
  /** Default `text/plain; charset=utf-8`. */
  readonly contentType?: string;
  readonly body: string | Uint8Array;
}

/** Answers a GET of one path. What it throws is answered with 500 and logged. */
export type Handler = (query: URLSearchParams, signal: AbortSignal) => Reply | Promise<Reply>;

/** Handlers by exact path. */
export type Routes = Readonly<Record<string, Handler>>;

export interface HttpServerOptions {
  /** What it is for, such as `metrics`: named in the log. */
  readonly name: string;
  readonly address: string;
  /** 0: any free port. */
  readonly port: number;
  /** Absent: in the clear. With a `caFile` clients must present a certificate. */
  readonly tls?: CertificatePaths;
  readonly routes: Routes;
  readonly log: Logger;
}

const requestTimeoutMs = 10_000;
const answerTimeoutMs = 300_000;
const stopGraceMs = 5_000;
const maxHeaderSize = 8 * 1024;

/** A small HTTP server: GET and HEAD of exact paths. */
export class HttpServer implements AsyncDisposable {
  readonly #options: HttpServerOptions;
  readonly #stopped = new AbortController();
  #server: Server | undefined;

  constructor(options: HttpServerOptions) {
    this.#options = options;
  }

  /** Opens the port. @throws {Error} if it cannot, or a certificate file cannot be used. */
  async start(): Promise<void> {
    const { name, address, port, tls, log } = this.#options;
    const server =
      tls === undefined ? createServer({ maxHeaderSize }, this.#listener) : tlsServer(new CertificateFiles(tls, log), this.#listener);
    server.headersTimeout = requestTimeoutMs;
    server.requestTimeout = requestTimeoutMs;
    server.timeout = answerTimeoutMs;
    await new Promise<void>((resolve, reject) => {
      const refuse = (cause: Error): void =>
        reject(new Error(`the ${name} server cannot listen on ${address} port ${port}: ${cause.message}`, { cause }));
      server.once('error', refuse);
      server.listen({ host: address, port }, () => {
        server.off('error', refuse);
        resolve();
      });
    });
    server.on('error', (error) => log.error({ error, server: name }, 'an HTTP server failed'));
    this.#server = server;
    log.info({ server: name, address, port: this.port, tls: tls !== undefined }, 'an HTTP server listens');
  }

  /** The port in use. @throws {Error} before the start. */
  get port(): number {
    const address = this.#server?.address() as AddressInfo | null | undefined;
    if (address === null || address === undefined) throw new Error(`the ${this.#options.name} server does not listen`);
    return address.port;
  }

  /** Closes the port and gives requests some seconds to end. */
  async [Symbol.asyncDispose](): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    this.#stopped.abort();
    const timer = setTimeout(() => server.closeAllConnections(), stopGraceMs);
    server.closeIdleConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    clearTimeout(timer);
  }

  readonly #listener: RequestListener = (request, response) => {
    void this.#answer(request, response).catch((error: unknown) =>
      this.#options.log.error({ error, server: this.#options.name }, 'an answer could not be written'),
    );
  };

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status = 200, contentType = 'text/plain; charset=utf-8', body } = await this.#reply(request, response);
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    response.writeHead(status, { 'content-type': contentType, 'content-length': bytes.byteLength, 'x-content-type-options': 'nosniff' });
    response.end(request.method === 'HEAD' ? undefined : bytes);
  }

  async #reply(request: IncomingMessage, response: ServerResponse): Promise<Reply> {
    const { routes, log, name } = this.#options;
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    const handler = Object.hasOwn(routes, path) ? routes[path] : undefined;
    if (handler === undefined) return { status: 404, body: 'not found\n' };
    if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, body: 'only GET\n' };
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      return await handler(new URLSearchParams(query), AbortSignal.any([gone.signal, this.#stopped.signal]));
    } catch (error) {
      log.error({ error, server: name, path }, 'a request could not be answered');
      return { status: 500, body: 'internal error\n' };
    }
  }
}

function tlsServer(certificates: CertificateFiles, listener: RequestListener): Server {
  // The options of the context are given again at a rotation: what is left out then falls back to its default.
  const context = () => ({ ...certificates.material, minVersion: 'TLSv1.3' as const });
  const requestCert = certificates.material.ca !== undefined;
  const server = createTlsServer({ ...context(), maxHeaderSize, requestCert, rejectUnauthorized: requestCert }, listener);
  server.prependListener('connection', () => {
    if (certificates.refresh()) server.setSecureContext(context());
  });
  return server;
}
