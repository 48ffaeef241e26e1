import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A backend that tells what reached it: its name, the path and the headers as JSON, and the name in `x-backend`. The query may ask for
 * another status (`?status=503`) or a delay in milliseconds (`?wait=100`). It takes every upgrade.
 */
export class EchoBackend implements AsyncDisposable {
  readonly name: string;
  /** How many requests came. */
  requests = 0;
  readonly #server: Server;

  private constructor(name: string) {
    this.name = name;
    this.#server = createServer((request, response) => this.#answer(request, response));
    this.#server.on('upgrade', (_, socket) => {
      this.requests += 1;
      socket.end(`HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nx-backend: ${name}\r\n\r\n`);
    });
  }

  /** @param address default: `127.0.0.1`. */
  static async start(name: string, address = '127.0.0.1'): Promise<EchoBackend> {
    const backend = new EchoBackend(name);
    backend.#server.listen(0, address);
    await once(backend.#server, 'listening');
    return backend;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.requests += 1;
    const { searchParams } = new URL(request.url ?? '/', 'http://backend');
    const body = JSON.stringify({ service: this.name, path: request.url, ...request.headers });
    const headers = { 'x-backend': this.name, 'set-cookie': searchParams.getAll('cookie'), ...locationOf(searchParams) };
    const answer = () => response.writeHead(Number(searchParams.get('status') ?? 200), headers).end(body);
    setTimeout(answer, Number(searchParams.get('wait') ?? 0));
  }
}

function locationOf(parameters: URLSearchParams): { readonly location?: string } {
  const location = parameters.get('location');
  return location === null ? {} : { location };
}
