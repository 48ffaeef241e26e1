/** Requests as no polite client would send them: any Host, any SNI, any version. */
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The body as JSON. */
  json(): Readonly<Record<string, string>>;
}

export interface Ask {
  readonly port: number;
  readonly host: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Set: over TLS, with this server name; `''` sends none. Certificates are not checked. */
  readonly sni?: string;
}

/** Sends a GET. @throws {Error} if there is no answer. */
export async function get({ port, host, path = '/', headers = {}, sni }: Ask): Promise<Answer> {
  const options = { host: '127.0.0.1', port, path, agent: false, headers: { ...headers, host } };
  const call = sni === undefined ? httpRequest(options) : httpsRequest({ ...options, servername: sni, rejectUnauthorized: false });
  call.end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body,
    json: () => JSON.parse(body) as Readonly<Record<string, string>>,
  };
}

/** Sends bytes over TCP, and gives what comes back until the other end closes or `enough` has come. */
export async function exchange(port: number, bytes: string, enough: (text: string) => boolean = () => false): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    if (enough(text)) break;
  }
  socket.destroy();
  return text;
}
