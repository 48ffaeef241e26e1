import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestEnvironment } from '../../../pkg/controller-runtime/envtest/environment.ts';
import { nowMs } from './clock.ts';
import type { RouteKind } from './driver.ts';
import type { Workload } from './workload.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly observedGeneration?: number;
}

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'ERROR';
  readonly object: {
    readonly metadata: { readonly name: string; readonly generation?: number };
    readonly status?: {
      readonly conditions?: readonly Condition[];
      readonly loadBalancer?: { readonly ingress?: readonly object[] };
      readonly parents?: readonly { readonly conditions?: readonly Condition[] }[];
    };
  };
}

/** Whether an object has the status that a user waits for, of the generation that it is of. */
function isComplete(kind: RouteKind, { metadata, status }: WatchEvent['object']): boolean {
  if (kind === 'ingress') return (status?.loadBalancer?.ingress?.length ?? 0) > 0;
  const [type, conditions] =
    kind === 'httpproxy' ? ['Valid', status?.conditions] : ['Accepted', status?.parents?.flatMap((parent) => parent.conditions ?? [])];
  return (conditions ?? []).some(
    (condition) => condition.type === type && condition.status === 'True' && condition.observedGeneration === metadata.generation,
  );
}

/** Follows the statuses of all routes. Nobody but the controller changes routes while it counts, but who says so. */
export class StatusWatch implements AsyncDisposable {
  /** When an object's status was first complete, by name. */
  readonly completeMs = new Map<string, number>();
  /** Changes of objects that were there, by name. */
  readonly writes = new Map<string, number>();
  #lastMs = nowMs();
  readonly #response: IncomingMessage;
  readonly #agent: Agent;

  private constructor(kind: RouteKind, response: IncomingMessage, agent: Agent) {
    [this.#response, this.#agent] = [response, agent];
    let rest = '';
    response.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#take(kind, JSON.parse(line) as WatchEvent);
    });
    response.on('error', () => undefined); // ended by us
  }

  static async start(environment: TestEnvironment, workload: Workload): Promise<StatusWatch> {
    const { port, ca, token } = environment;
    const list = (await environment.request({ method: 'GET', path: `${workload.collection}?limit=1` })) as {
      readonly metadata: { readonly resourceVersion: string };
    };
    const agent = new Agent({ keepAlive: true });
    const path = `${workload.collection}?watch=1&timeoutSeconds=7200&resourceVersion=${list.metadata.resourceVersion}`;
    const call = request({ host: '127.0.0.1', port, ca, agent, path, headers: { authorization: `Bearer ${token}` } });
    call.end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    return new StatusWatch(workload.kind, response, agent);
  }

  /** Waits until nothing is written for a while, from now on; gives up after a limit. */
  async quiet(restMs: number, limitMs: number): Promise<void> {
    const endMs = nowMs() + limitMs;
    this.#lastMs = nowMs();
    while (nowMs() - this.#lastMs < restMs && nowMs() < endMs) await sleep(50);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#response.destroy();
    this.#agent.destroy();
  }

  #take(kind: RouteKind, { type, object }: WatchEvent): void {
    const { name } = object.metadata;
    if (type === 'DELETED') this.completeMs.delete(name);
    else if (!this.completeMs.has(name) && isComplete(kind, object)) this.completeMs.set(name, nowMs());
    if (type !== 'MODIFIED') return;
    this.writes.set(name, (this.writes.get(name) ?? 0) + 1);
    this.#lastMs = nowMs();
  }
}
