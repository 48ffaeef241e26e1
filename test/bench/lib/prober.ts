import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Wanted } from './http-probe.ts';

export interface FollowOrder {
  readonly do: 'follow';
  readonly id: number;
  readonly host: string;
  readonly wanted: Wanted;
  /** How long to go on after the first right answer. */
  readonly holdMs: number;
  readonly limitMs: number;
}

export interface RecordOrder {
  readonly do: 'record';
  readonly id: number;
  readonly host: string;
}

export interface SweepOrder {
  readonly do: 'sweep';
  readonly id: number;
  readonly hosts: readonly HostToSweep[];
  readonly connections: number;
  readonly limitMs: number;
}

export interface HostToSweep {
  readonly host: string;
  readonly wanted: Wanted;
}

export type ProbeOrder = FollowOrder | RecordOrder | SweepOrder | { readonly do: 'stop'; readonly id: number };

/** One host, asked every millisecond. Times are those of `nowMs`. */
export interface Followed {
  readonly probes: number;
  /** When the first right answer came; NaN: none did. */
  readonly rightMs: number;
  /** Answers of 500 and above, and none at all, before it. */
  readonly errorsBefore: number;
  /** Wrong answers after it. */
  readonly errorsAfter: number;
}

export interface Change {
  readonly atMs: number;
  readonly backend: string;
}

/** One host, asked every millisecond, and each time that another backend answered. */
export interface Recorded {
  readonly probes: number;
  /** Answers other than 200. */
  readonly errors: number;
  readonly changes: readonly Change[];
}

export interface Swept {
  readonly firstMs: number;
  readonly lastMs: number;
  /** Hosts that were not answered right in time. */
  readonly missing: number;
}

type Result = Followed | Recorded | Swept;
export type ProbeReport =
  | { readonly id: number; readonly type: 'started' }
  | { readonly id: number; readonly type: 'done'; readonly result: Result };

interface Running {
  readonly started: PromiseWithResolvers<void>;
  readonly done: PromiseWithResolvers<Result>;
}

/** A set of probes that is at work. */
export interface Observation<R> {
  readonly result: Promise<R>;
  stop(): void;
}

/** Asks Envoy from a thread of its own. */
export class Prober implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #running = new Map<number, Running>();
  #ids = 0;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (report: ProbeReport) => {
      const running = this.#running.get(report.id);
      if (report.type === 'started') return running?.started.resolve();
      this.#running.delete(report.id);
      running?.done.resolve(report.result);
    });
  }

  static async start(): Promise<Prober> {
    const worker = new Worker(new URL('./probe-worker.ts', import.meta.url));
    await once(worker, 'online');
    return new Prober(worker);
  }

  /** Follows a host until it is answered right and for a while longer. Resolves when the first answer has come. */
  follow(order: Omit<FollowOrder, 'do' | 'id'>): Promise<Observation<Followed>> {
    return this.#observe<Followed>({ ...order, do: 'follow' });
  }

  /** Follows a host until it is stopped. */
  record(host: string): Promise<Observation<Recorded>> {
    return this.#observe<Recorded>({ do: 'record', host });
  }

  /** Asks for each host until it is answered right. */
  sweep(order: Omit<SweepOrder, 'do' | 'id'>): Promise<Swept> {
    return this.#send({ ...order, do: 'sweep' }).done.promise as Promise<Swept>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }

  async #observe<R extends Result>(order: Omit<FollowOrder, 'id'> | Omit<RecordOrder, 'id'>): Promise<Observation<R>> {
    const running = this.#send(order);
    const id = this.#ids;
    await running.started.promise;
    return { result: running.done.promise as Promise<R>, stop: () => this.#worker.postMessage({ do: 'stop', id } satisfies ProbeOrder) };
  }

  #send(order: Omit<FollowOrder, 'id'> | Omit<RecordOrder, 'id'> | Omit<SweepOrder, 'id'>): Running {
    const id = ++this.#ids;
    const running: Running = { started: Promise.withResolvers(), done: Promise.withResolvers() };
    this.#running.set(id, running);
    this.#worker.postMessage({ ...order, id });
    return running;
  }
}
