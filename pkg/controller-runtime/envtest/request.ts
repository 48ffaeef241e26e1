import { type Agent, request as httpsRequest } from 'node:https';

/** How a test reaches its API server. */
export interface RequestTarget {
  readonly port: number;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
  readonly agent: Agent;
}

/** One request of a test. */
export interface TestRequest {
  readonly method: string;
  /** With the query, such as `/api/v1/namespaces?limit=1`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default: `application/json`. */
  readonly contentType?: string;
}

/** The API server refused a request of a test. */
export class TestRequestError extends Error {
  override readonly name = 'TestRequestError';
  /** The HTTP status. */
  readonly status: number;

  constructor(request: TestRequest, status: number, answer: string) {
    super(`${request.method} ${request.path}: ${status} ${answer}`);
    this.status = status;
  }
}

/** Sends a request and gives the parsed answer. @throws {TestRequestError} on a status of 300 and above */
export async function sendRequest(target: RequestTarget, request: TestRequest): Promise<unknown> {
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const outgoing = httpsRequest(
      {
        host: '127.0.0.1',
        port: target.port,
        ca: target.ca,
        agent: target.agent,
        method: request.method,
        path: request.path,
        headers: {
          authorization: `Bearer ${target.token}`,
          accept: 'application/json',
          ...(body !== undefined && {
            'content-type': request.contentType ?? 'application/json',
            'content-length': Buffer.byteLength(body),
          }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
  if (status >= 300) throw new TestRequestError(request, status, text);
  return text.startsWith('{') ? (JSON.parse(text) as unknown) : text;
}
