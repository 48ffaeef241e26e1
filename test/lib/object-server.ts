import { createServer, type ServerResponse } from 'node:http';
import type { KubeObject, ObjectMeta, ResourceKind } from '../../pkg/controller-runtime/client/object.ts';
import { apiVersionOf } from '../../pkg/controller-runtime/client/object.ts';

/** Answers streamed watches with what a test says: an API server as far as an informer sees it, with nothing to wait for. */
export interface ObjectServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Tells of a change. What is told before the first watch of the kind is in its first list. */
  tell(type: 'ADDED' | 'MODIFIED' | 'DELETED', kind: ResourceKind, metadata: ObjectMeta, body?: object): void;
}

export async function startObjectServer(): Promise<ObjectServer> {
  const present = new Map<string, string[]>();
  const watches = new Map<string, ServerResponse>();
  let version = 0;
  const server = createServer((request, response) => {
    const plural = new URL(request.url ?? '/', 'http://test').pathname.split('/').at(-1) ?? '';
    response.writeHead(200);
    response.write((present.get(plural) ?? []).join(''));
    const metadata = { name: '', resourceVersion: String(++version), annotations: { 'k8s.io/initial-events-end': 'true' } };
    response.write(`${JSON.stringify({ type: 'BOOKMARK', object: { metadata } })}\n`);
    watches.set(plural, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    tell: (type, kind, metadata, body = {}) => {
      const object: KubeObject = {
        apiVersion: apiVersionOf(kind),
        kind: kind.kind,
        ...body,
        metadata: { ...metadata, resourceVersion: String(++version) },
      };
      const line = `${JSON.stringify({ type, object })}\n`;
      const watch = watches.get(kind.plural);
      if (watch !== undefined) watch.write(line);
      else present.set(kind.plural, [...(present.get(kind.plural) ?? []), line]);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
