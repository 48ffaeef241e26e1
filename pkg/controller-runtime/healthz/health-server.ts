import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Runnable } from '../manager/manager.ts';
import type { Check } from './healthz.ts';

/** Checks by name. */
export type Checks = Readonly<Record<string, Check>>;

export interface HealthServerOptions {
  readonly port: number;
  /** Default: all addresses. */
  readonly host?: string;
  /** `/healthz`: if one of them fails, the process had better be restarted. Default: none, so it is well if it answers. */
  readonly live?: Checks;
  /** `/readyz`: if one of them fails, no work should be sent to the process. */
  readonly ready?: Checks;
  /** `/metrics`, with its content type. */
  readonly metrics?: { readonly contentType: string; metrics(): Promise<string> };
  /** How long a check may take. Default: 5,000. */
  readonly timeoutMs?: number;
}

/**
 * Answers the probes of the kubelet: 200 `ok`, or 503 with a line for each check that fails; `/readyz/NAME` asks one of
 * them. Add it to a manager's group `http`.
 */
export class HealthServer implements Runnable {
  readonly name = 'health server';
  readonly #options: HealthServerOptions;
  readonly #server: Server;
  readonly #listening = Promise.withResolvers<void>();

  constructor(options: HealthServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** Resolves when probes are answered. */
  get ready(): Promise<void> {
    return this.#listening.promise;
  }

  /** Where it listens; differs from the option if that is 0. */
  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : this.#options.port;
  }

  /** Answers until the signal aborts. Rejects if the port cannot be had. */
  async run(signal: AbortSignal): Promise<void> {
    const { port, host } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, resolve);
    });
    this.#listening.resolve();
    if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { live = {}, ready = {}, metrics } = this.#options;
    const [path = ''] = (request.url ?? '').split('?');
    const [, endpoint = '', name] = path.split('/');
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, 'only GET\n');
    if (endpoint === 'metrics' && metrics !== undefined) return sendMetrics(response, metrics);
    const checks = endpoint === 'healthz' ? live : endpoint === 'readyz' ? ready : undefined;
    if (checks === undefined || (name !== undefined && !Object.hasOwn(checks, name))) return send(response, 404, 'not found\n');
    const asked = Object.entries(checks).filter(([each]) => name === undefined || each === name);
    const failed = (await Promise.all(asked.map(([each, check]) => this.#failure(each, check)))).filter((line) => line !== undefined);
    send(response, failed.length === 0 ? 200 : 503, failed.length === 0 ? 'ok\n' : failed.join(''));
  }

  /** A line that says why a check failed. */
  async #failure(name: string, check: Check): Promise<string | undefined> {
    const { timeoutMs = 5_000 } = this.#options;
    const timeout = AbortSignal.timeout(timeoutMs);
    const late = new Promise<never>((_, reject) =>
      timeout.addEventListener('abort', () => reject(new Error(`no answer within ${timeoutMs} ms`)), { once: true }),
    );
    try {
      await Promise.race([check(timeout), late]);
      return undefined;
    } catch (error) {
      return `${name}: ${error instanceof Error ? error.message : String(error)}\n`;
    }
  }
}

async function sendMetrics(response: ServerResponse, source: NonNullable<HealthServerOptions['metrics']>): Promise<void> {
  try {
    const text = await source.metrics();
    response.writeHead(200, { 'content-type': source.contentType });
    response.end(text);
  } catch (error) {
    send(response, 500, `${String(error)}\n`);
  }
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
  response.end(text);
}
