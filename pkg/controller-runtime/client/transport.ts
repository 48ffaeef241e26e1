import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Authorization, Credentials, TlsOptions } from './credentials.ts';
import { UnreachableError } from './errors.ts';

/** One HTTP exchange. */
export interface Exchange {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  /** How long the answer's head may take. */
  readonly headTimeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Probes of a dead peer on an idle connection, such as a watch in a quiet cluster. */
const tcpKeepAliveMs = 30_000;

/** Connections to one API server, kept and used again. */
export class Transport {
  readonly credentials: Credentials;
  readonly #userAgent: string;
  readonly #base: URL;
  #agent: HttpAgent | undefined;
  #agentTls: TlsOptions | undefined;

  constructor(credentials: Credentials, userAgent: string) {
    this.credentials = credentials;
    this.#userAgent = userAgent;
    this.#base = new URL(credentials.server);
  }

  /** The server's name and port. */
  get host(): string {
    return this.#base.host;
  }

  /**
   * Sends a request; the answer's body has not been read.
   * @param refused true after a 401: credentials are read again
   * @throws {UnreachableError} if no answer came; the signal's reason if it aborted
   */
  async send(exchange: Exchange, refused: boolean): Promise<IncomingMessage> {
    const authorization = await this.credentials.authorize(refused);
    const idempotent = exchange.method !== 'POST';
    for (let attempt = 0; ; attempt++) {
      const request = this.#start(exchange, authorization);
      try {
        return await answerOf(request, exchange);
      } catch (error) {
        exchange.signal?.throwIfAborted();
        // The server closed a kept connection just when we used it again: nothing is wrong.
        if (request.reusedSocket && idempotent && attempt === 0) continue;
        throw new UnreachableError(this.credentials.server, error);
      }
    }
  }

  #start(exchange: Exchange, authorization: Authorization): ClientRequest {
    const secure = this.#base.protocol === 'https:';
    const prefix = this.#base.pathname === '/' ? '' : this.#base.pathname;
    const options: RequestOptions = {
      protocol: this.#base.protocol,
      hostname: this.#base.hostname.replace(/^\[|\]$/g, ''),
      port: this.#base.port === '' ? (secure ? 443 : 80) : this.#base.port,
      method: exchange.method,
      path: prefix + exchange.path,
      agent: authorization.agent ?? this.#agentFor(authorization.tls, secure),
      headers: {
        accept: 'application/json',
        'user-agent': this.#userAgent,
        ...authorization.headers,
        ...(exchange.body !== undefined && {
          'content-type': exchange.contentType ?? 'application/json',
          'content-length': Buffer.byteLength(exchange.body),
        }),
      },
      ...(exchange.signal !== undefined && { signal: exchange.signal }),
    };
    const request = secure ? httpsRequest(options) : httpRequest(options);
    // Agents of ours do it by themselves, once for a connection.
    if (authorization.agent !== undefined) request.on('socket', (socket) => socket.setKeepAlive(true, tcpKeepAliveMs));
    return request;
  }

  #agentFor(tls: TlsOptions, secure: boolean): HttpAgent {
    if (this.#agent !== undefined && this.#agentTls === tls) return this.#agent;
    // Requests on connections of the old agent run to their end.
    const keep = { keepAlive: true, keepAliveMsecs: tcpKeepAliveMs };
    this.#agent = secure ? new HttpsAgent({ ...keep, ...tls }) : new HttpAgent(keep);
    this.#agentTls = tls;
    return this.#agent;
  }

  /** Closes connections that nobody uses. */
  close(): void {
    this.#agent?.destroy();
    this.#agent = undefined;
  }
}

function answerOf(request: ClientRequest, { body, headTimeoutMs }: Exchange): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => request.destroy(new Error(`no answer within ${headTimeoutMs} ms`)), headTimeoutMs);
    request.on('response', (response) => {
      clearTimeout(timer);
      resolve(response);
    });
    request.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    request.end(body);
  });
}

/** The whole body as text. @throws if the connection is cut before its end, or nothing comes for `idleTimeoutMs` */
export function readBody(response: IncomingMessage, idleTimeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.setTimeout(idleTimeoutMs, () => response.destroy(new Error(`the answer stopped for ${idleTimeoutMs} ms`)));
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', reject);
    response.on('close', () => reject(new Error('the connection was closed')));
    response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}
