import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import type { TestEnvironment } from '../../pkg/controller-runtime/envtest/environment.ts';
import { forwardLines, type WatchShape } from './watch-stream.ts';

/** A request that came to the proxy. */
export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  /** The `authorization` header; `''` without one. */
  readonly authorization: string;
  readonly watch: boolean;
}

/** What the proxy does instead of passing a request on. */
export type Fault =
  | { readonly type: 'answer'; readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  | { readonly type: 'delay'; readonly delayMs: number }
  /** The connection is cut, with no answer. */
  | { readonly type: 'cut' };

/** Decides about each request; `undefined` passes it on. */
export type FaultRule = (request: ProxiedRequest) => Fault | undefined;

/** Stands between a client and an API server, and fails as real networks and servers do. */
export interface FaultProxy extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`; requests are passed on as the administrator, or with the client's own token. */
  readonly url: string;
  /** Everything that came, in order. */
  readonly requests: ProxiedRequest[];
  /** In force from now on; `undefined` ends it. */
  rule: FaultRule | undefined;
  /** How the events of watches of a path arrive from now on; `undefined`: as they come. */
  shape: ((path: string) => WatchShape | undefined) | undefined;
  /** How many watches are open whose path contains the text. */
  openWatches(path: string): number;
  /** Cuts the open watches of paths that contain the text, after sending them some bytes. */
  cutWatches(path: string, lastBytes?: string): void;
}

interface OpenWatch {
  readonly path: string;
  readonly stop: () => void;
  readonly response: ServerResponse;
}

/** A `meta/v1` Status as the API server sends it. */
export function status(code: number, reason: string, message = reason): unknown {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
}

export interface FaultProxyOptions {
  /** A text in answers, and what the client reads in its place. Both have the same length. */
  readonly replace?: readonly [text: string, by: string];
}

export async function startFaultProxy(environment: TestEnvironment, options: FaultProxyOptions = {}): Promise<FaultProxy> {
  const agent = new Agent({ keepAlive: true, ca: environment.ca });
  const watches = new Set<OpenWatch>();
  const requests: ProxiedRequest[] = [];
  const server = createServer((incoming, response) => void handle(incoming, response));

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '/', 'http://proxy');
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const watch = url.searchParams.get('watch') === 'true';
    const { method = '', headers } = incoming;
    const { authorization = '' } = headers;
    const proxied = { method, path: url.pathname, query: url.searchParams, body, authorization, watch };
    requests.push(proxied);
    const fault = proxy.rule?.(proxied);
    if (fault?.type === 'cut') {
      response.destroy();
      return;
    }
    if (fault?.type === 'answer') {
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
      response.end(JSON.stringify(fault.body ?? {}));
      return;
    }
    if (fault?.type === 'delay') await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
    pass(incoming, body, watch, response);
  }

  const replaced = (text: string): string => (options.replace === undefined ? text : text.replaceAll(...options.replace));

  function pass(incoming: IncomingMessage, body: string, watch: boolean, response: ServerResponse): void {
    const headers = { ...incoming.headers, host: `127.0.0.1:${environment.port}` };
    headers.authorization ??= `Bearer ${environment.token}`;
    const path = incoming.url ?? '/';
    const outgoing = httpsRequest(
      { host: '127.0.0.1', port: environment.port, agent, path, method: incoming.method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        response.flushHeaders();
        answer.on('error', () => response.destroy());
        if (watch) track(incoming.url ?? '', answer, response);
        else if (options.replace === undefined) answer.pipe(response);
        else
          void text(answer).then(
            (whole) => response.end(replaced(whole)),
            () => undefined,
          );
      },
    );
    outgoing.on('error', () => response.destroy());
    response.once('close', () => outgoing.destroy());
    outgoing.end(body);
  }

  function track(path: string, answer: IncomingMessage, response: ServerResponse): void {
    const stop = forwardLines(answer, response, (line) => [replaced(line), proxy.shape?.(path)]);
    const open = { path, stop, response };
    watches.add(open);
    response.once('close', () => {
      stop();
      watches.delete(open);
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${port}`,
    requests,
    rule: undefined,
    shape: undefined,
    openWatches: (path) => [...watches].filter((open) => open.path.includes(path)).length,
    cutWatches: (path, lastBytes) => {
      for (const open of watches) {
        if (!open.path.includes(path)) continue;
        open.stop();
        if (lastBytes === undefined) open.response.destroy();
        // A reset would overtake what was written just before it.
        else open.response.write(lastBytes, () => setTimeout(() => open.response.destroy(), 50));
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const { response } of watches) response.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
    },
  };
  return proxy;
}
