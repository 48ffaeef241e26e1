import { connect, type Socket } from 'node:net';
import { ports } from './ports.ts';
import { revisionHeader } from './workload.ts';

/** An answer of Envoy. */
export interface ProbeAnswer {
  /** 0: none, the connection broke. */
  readonly status: number;
  /** The address that the request reached. */
  readonly backend: string | undefined;
  readonly revision: string | undefined;
}

/** What an answer must be. */
export interface Wanted {
  readonly status: number;
  /** Any of these addresses. Default: any address. */
  readonly backends?: readonly string[];
  readonly revision?: string;
}

export function isWanted(answer: ProbeAnswer, { status, backends, revision }: Wanted): boolean {
  return (
    answer.status === status &&
    (backends === undefined || backends.includes(answer.backend ?? '')) &&
    (revision === undefined || answer.revision === revision)
  );
}

const broken: ProbeAnswer = { status: 0, backend: undefined, revision: undefined };

/** Asks Envoy over one kept connection, one request at a time, with as little work of its own as it can. */
export class HttpProbe {
  #socket: Socket | undefined;
  #received = '';
  #answer: ((answer: ProbeAnswer) => void) | undefined;

  ask(host: string): Promise<ProbeAnswer> {
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#connected().write(`GET / HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #connected(): Socket {
    if (this.#socket !== undefined) return this.#socket;
    const socket = connect({ port: ports.http, host: '127.0.0.1', noDelay: true });
    this.#socket = socket;
    this.#received = '';
    socket.setEncoding('latin1').on('data', (text: string) => this.#take(text));
    socket.on('error', () => undefined); // `close` follows
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#give(broken);
    });
    return socket;
  }

  #take(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.#received.slice(0, end + 2).toLowerCase();
    const header = (name: string): string | undefined => new RegExp(`\r\n${name}: ([^\r]*)`).exec(head)?.[1];
    if (this.#received.length < end + 4 + Number(header('content-length') ?? 0)) return;
    this.#received = '';
    this.#give({ status: Number(head.slice(9, 12)), backend: header('x-backend'), revision: header(revisionHeader) });
  }

  #give(answer: ProbeAnswer): void {
    const give = this.#answer;
    this.#answer = undefined;
    give?.(answer);
  }
}
