import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * What a Service is for Envoy: one address, behind which a connection goes to one of the replicas that take connections. Ports are
 * taken in turn; with none that answers the connection is closed.
 */
export class Balancer implements AsyncDisposable {
  /** Where connections may go now. */
  readonly ports = new Set<number>();
  /** How many connections each port closed that Envoy had not closed. */
  readonly lost = new Map<number, number>();
  readonly #server: Server;
  readonly #clients = new Set<Socket>();
  #turn = 0;

  private constructor() {
    this.#server = createServer((client) => {
      this.#clients.add(client);
      client.on('error', () => undefined);
      client.on('close', () => this.#clients.delete(client));
      const ports = [...this.ports];
      const first = ports.length === 0 ? 0 : this.#turn++ % ports.length;
      this.#connect(client, [...ports.slice(first), ...ports.slice(0, first)]);
    });
  }

  static async start(): Promise<Balancer> {
    const balancer = new Balancer();
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts every connection, as a node that goes does. Clients connect again. */
  cutAll(): void {
    for (const client of this.#clients) client.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.cutAll();
    await once(this.#server, 'close');
  }

  #connect(client: Socket, [port, ...others]: readonly number[]): void {
    if (port === undefined) {
      client.destroy();
      return;
    }
    const upstream = connect(port, '127.0.0.1');
    let connected = false;
    upstream.once('connect', () => {
      connected = true;
      client.pipe(upstream).pipe(client);
    });
    upstream.on('error', () => undefined);
    upstream.once('close', () => {
      if (!connected) this.#connect(client, others);
      else if (!client.destroyed) {
        this.lost.set(port, (this.lost.get(port) ?? 0) + 1);
        client.destroy();
      }
    });
    client.once('close', () => upstream.destroy());
  }
}
