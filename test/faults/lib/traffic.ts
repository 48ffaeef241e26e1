import { Agent, get as httpGet, type IncomingMessage } from 'node:http';
import { get as httpsGet, Agent as TlsAgent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long one of the senders rests between two requests. */
const pauseMs = 10;

/** Requests without end to one host, on connections that are kept, each of which should be answered with 200. */
export class Traffic implements AsyncDisposable {
  /** What went wrong: when, in milliseconds since the start, and what. */
  readonly failures: string[] = [];
  sent = 0;
  readonly #startMs = performance.now();
  readonly #senders: readonly Promise<void>[];
  readonly #agents = [new Agent({ keepAlive: true, maxSockets: 2 }), new TlsAgent({ keepAlive: true, maxSockets: 2 })] as const;
  #stopped = false;

  /** @param tls whether the port is an HTTPS listener; certificates are not checked. */
  constructor({ port, host, tls = false }: { readonly port: number; readonly host: string; readonly tls?: boolean }) {
    const common = { host: '127.0.0.1', port, path: '/', headers: { host } };
    const [agent, tlsAgent] = this.#agents;
    const ask = (): Promise<number> =>
      new Promise((resolve, reject) => {
        const answered = (response: IncomingMessage): void => {
          response.resume().once('end', () => resolve(response.statusCode ?? 0));
          response.once('error', reject);
        };
        const call = tls
          ? httpsGet({ ...common, agent: tlsAgent, servername: host, rejectUnauthorized: false }, answered)
          : httpGet({ ...common, agent }, answered);
        call.setTimeout(5_000, () => call.destroy(new Error('no answer in 5 s')));
        call.once('error', reject);
      });
    this.#senders = [0, 1].map(() => this.#run(host, ask));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#senders);
    for (const agent of this.#agents) agent.destroy();
  }

  async #run(host: string, ask: () => Promise<number>): Promise<void> {
    while (!this.#stopped) {
      const problem = await ask().then(
        (status) => (status === 200 ? undefined : `status ${status}`),
        (error: unknown) => String(error),
      );
      this.sent++;
      if (problem !== undefined) this.failures.push(`${host} after ${Math.round(performance.now() - this.#startMs)} ms: ${problem}`);
      await sleep(pauseMs);
    }
  }
}
