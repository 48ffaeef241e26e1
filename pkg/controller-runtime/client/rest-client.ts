import type { IncomingMessage } from 'node:http';
import { type Clock, systemClock } from '../clock/clock.ts';
import type { RestClientMetrics } from '../metrics/rest-client-metrics.ts';
import type { Credentials } from './credentials.ts';
import { ApiError, type ApiStatus, type RequestInfo, UnreachableError } from './errors.ts';
import { type RateLimit, TokenBucket } from './token-bucket.ts';
import { type Exchange, readBody, Transport } from './transport.ts';

export interface RestRequest extends RequestInfo {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Without the query. */
  readonly path: string;
  /** Entries that are undefined are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default: `application/json`. */
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** Whether the API server answers; told when it changes. */
export type ServerState = { readonly reachable: true } | { readonly reachable: false; readonly error: UnreachableError };

export interface RestClientOptions {
  readonly credentials: Credentials;
  /** Default: no limit; the server's own fairness applies. */
  readonly limit?: RateLimit;
  /** Default: `controller-runtime`. */
  readonly userAgent?: string;
  readonly clock?: Clock;
  /** Told at the first failure after an answer, and at the first answer after a failure. */
  readonly onServerState?: (state: ServerState) => void;
  readonly metrics?: RestClientMetrics;
}

/** How long an answer may take to begin, or stand still. API servers end requests themselves after 60 s. */
const answerTimeoutMs = 65_000;
/** How often a request is sent again that the server asked us to hold back. */
const maxHoldBacks = 10;
/** A server that asks for more gets no more patience than this. */
const maxHoldBackMs = 60_000;

/** Raw JSON requests to one API server: kept connections, rate limit, errors as types. */
export class RestClient {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #bucket: TokenBucket | undefined;
  readonly #onServerState: ((state: ServerState) => void) | undefined;
  readonly #metrics: RestClientMetrics | undefined;
  #reachable: boolean | undefined;

  constructor(options: RestClientOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#transport = new Transport(options.credentials, options.userAgent ?? 'controller-runtime');
    this.#bucket = options.limit === undefined ? undefined : new TokenBucket(options.limit, this.#clock);
    this.#onServerState = options.onServerState;
    this.#metrics = options.metrics;
  }

  /** URL of the API server. */
  get server(): string {
    return this.#transport.credentials.server;
  }

  /**
   * Sends a request and gives the parsed answer.
   * @throws {ApiError} if the server refuses
   * @throws {UnreachableError} if no whole answer came
   */
  async json(request: RestRequest): Promise<unknown> {
    const response = await this.open(request);
    return this.#decode(request, await this.#text(response));
  }

  /** Sends a request and gives the answer whose body has not been read. Throws as `json` does. */
  async open(request: RestRequest): Promise<IncomingMessage> {
    const exchange = exchangeOf(request);
    let refused = false;
    for (let heldBack = 0; ; ) {
      await this.#bucket?.take(request.signal);
      request.signal?.throwIfAborted();
      const response = await this.#measured(request, exchange, refused);
      const status = response.statusCode ?? 0;
      if (status < 300) return response;
      const error = new ApiError(request, status, statusOf(await this.#text(response)), retryAfterMs(response));
      if (status === 401 && !refused) refused = true;
      else if (error.retryAfterMs !== undefined && mayWait(error) && heldBack < maxHoldBacks) {
        heldBack++;
        await this.#clock.sleep(Math.min(error.retryAfterMs, maxHoldBackMs), request.signal);
      } else throw error;
    }
  }

  /** Closes connections that nobody uses. */
  close(): void {
    this.#transport.close();
  }

  async #measured(request: RestRequest, exchange: Exchange, refused: boolean): Promise<IncomingMessage> {
    const startedMs = this.#clock.monotonicMs();
    const tell = (code: string) =>
      this.#metrics?.({
        method: request.method,
        code,
        host: this.#transport.host,
        verb: request.verb,
        tookMs: this.#clock.monotonicMs() - startedMs,
      });
    try {
      const response = await this.#send(exchange, refused);
      tell(String(response.statusCode));
      return response;
    } catch (error) {
      tell('<error>');
      throw error;
    }
  }

  async #send(exchange: Exchange, refused: boolean): Promise<IncomingMessage> {
    try {
      const response = await this.#transport.send(exchange, refused);
      if (this.#reachable !== true) this.#onServerState?.({ reachable: true });
      this.#reachable = true;
      return response;
    } catch (error) {
      if (error instanceof UnreachableError) {
        if (this.#reachable !== false) this.#onServerState?.({ reachable: false, error });
        this.#reachable = false;
      }
      throw error;
    }
  }

  async #text(response: IncomingMessage): Promise<string> {
    try {
      return await readBody(response, answerTimeoutMs);
    } catch (cause) {
      throw new UnreachableError(this.server, cause);
    }
  }

  #decode(request: RestRequest, text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new Error(`${request.verb} ${request.path}: the answer is not JSON: ${text.slice(0, 100)}`, { cause });
    }
  }
}

function exchangeOf(request: RestRequest): Exchange {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query ?? {})) if (value !== undefined) query.set(name, value);
  return {
    method: request.method,
    path: query.size === 0 ? request.path : `${request.path}?${query.toString()}`,
    headTimeoutMs: answerTimeoutMs,
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    ...(request.contentType !== undefined && { contentType: request.contentType }),
    ...(request.signal !== undefined && { signal: request.signal }),
  };
}

/** Only answers of a server that did not act may be waited out. */
function mayWait(error: ApiError): boolean {
  return error.reason === 'TooManyRequests' || error.status === 503;
}

function retryAfterMs(response: IncomingMessage): number | undefined {
  const seconds = Number(response.headers['retry-after']);
  return response.headers['retry-after'] === undefined || Number.isNaN(seconds) ? undefined : seconds * 1000;
}

function statusOf(text: string): ApiStatus {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) return parsed as ApiStatus;
  } catch {
    // A proxy in front of the server answers in its own way.
  }
  return text === '' ? {} : { message: text.slice(0, 500) };
}
