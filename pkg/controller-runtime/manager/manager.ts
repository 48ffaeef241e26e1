import { setMaxListeners } from 'node:events';
import type { Logger } from '../../util/logger.ts';
import { type Clock, systemClock } from '../clock/clock.ts';
import type { LeaderElector } from '../leaderelection/leader-elector.ts';

/**
 * When a runnable starts: HTTP servers first, so that probes are answered; then caches; then what reads them; then,
 * on the leader only, what writes. They are stopped in the reverse order.
 */
export type RunnableGroup = 'http' | 'cache' | 'other' | 'leader';

/** Something that runs as long as the process does. */
export interface Runnable {
  /** For logs. */
  readonly name: string;
  /** Resolves when the runnables of the next group may start. Default: at once. */
  readonly ready?: Promise<void>;
  /** Runs until the signal aborts. A rejection stops the manager. In group `leader` it is called for each term. */
  run(signal: AbortSignal): Promise<void>;
}

export interface ManagerOptions {
  readonly log: Logger;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Absent: this process always leads. */
  readonly elector?: LeaderElector;
  /** How long runnables may take to stop. Default: 30,000. */
  readonly stopTimeoutMs?: number;
}

interface RunningGroup {
  readonly name: RunnableGroup;
  readonly abort: AbortController;
  readonly runs: Promise<unknown>;
}

/** What runs of a group now. In group `leader` there is another one each term. */
interface Term {
  readonly signal: AbortSignal;
  readonly runs: Promise<void>[];
}

const groupOrder = ['http', 'cache', 'other', 'leader'] as const;

/** Runs everything that a process consists of, in order, and stops it in order. */
export class Manager {
  readonly #options: ManagerOptions & { readonly clock: Clock };
  readonly #runnables: Readonly<Record<RunnableGroup, Runnable[]>> = { http: [], cache: [], other: [], leader: [] };
  readonly #terms = new Map<RunnableGroup, Term>();
  readonly #stop = new AbortController();
  #failure: unknown;

  constructor(options: ManagerOptions) {
    this.#options = { clock: systemClock, ...options };
    setMaxListeners(0, this.#stop.signal);
  }

  /**
   * Adds a runnable. It starts with its group, or at once where that runs already; then nothing waits for its `ready`. Where the
   * manager stops it does not start any more.
   */
  add(group: RunnableGroup, runnable: Runnable): void {
    this.#runnables[group].push(runnable);
    const term = this.#terms.get(group);
    if (term !== undefined && !term.signal.aborted) term.runs.push(this.#runOne(runnable, term.signal));
  }

  /** Whether this process leads. */
  get leading(): boolean {
    return this.#options.elector?.leading ?? true;
  }

  /**
   * Runs until the signal aborts or a runnable fails, then stops everything.
   * @throws the error of the runnable that failed; an Error naming what did not stop in time
   */
  async run(signal: AbortSignal): Promise<void> {
    const stop = () => this.#stop.abort();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const stopped = new Promise<void>((resolve) => this.#stop.signal.addEventListener('abort', () => resolve(), { once: true }));
    const running: RunningGroup[] = [];
    for (const name of groupOrder) {
      if (this.#stop.signal.aborted) break;
      running.push(this.#start(name));
      await Promise.race([Promise.all(this.#runnables[name].map(({ ready }) => ready)), stopped]);
    }
    if (!this.#stop.signal.aborted) await stopped;
    signal.removeEventListener('abort', stop);
    await this.#stopAll(running.reverse());
    if (this.#failure !== undefined) throw this.#failure;
  }

  #start(name: RunnableGroup): RunningGroup {
    const abort = new AbortController();
    setMaxListeners(0, abort.signal);
    const { elector } = this.#options;
    const runAll = (signal: AbortSignal) => this.#runAll(name, signal);
    const runs = name === 'leader' && elector !== undefined ? elector.run(abort.signal, runAll) : runAll(abort.signal);
    return { name, abort, runs };
  }

  async #runAll(name: RunnableGroup, signal: AbortSignal): Promise<void> {
    setMaxListeners(0, signal);
    const term: Term = { signal, runs: this.#runnables[name].map((runnable) => this.#runOne(runnable, signal)) };
    this.#terms.set(name, term);
    // More may be added until then.
    if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.all(term.runs);
  }

  async #runOne(runnable: Runnable, signal: AbortSignal): Promise<void> {
    try {
      await runnable.run(signal);
    } catch (error) {
      this.#options.log.error({ runnable: runnable.name, error }, 'failed; stopping');
      this.#failure ??= error;
      this.#stop.abort();
    }
  }

  async #stopAll(groups: readonly RunningGroup[]): Promise<void> {
    const { clock, stopTimeoutMs = 30_000 } = this.#options;
    const enough = new AbortController();
    const late = clock.sleep(stopTimeoutMs, enough.signal).then(() => 'late' as const);
    for (const { name, abort, runs } of groups) {
      abort.abort();
      if ((await Promise.race([runs, late])) === 'late') {
        this.#failure ??= new Error(`runnables of group ${name} did not stop within ${stopTimeoutMs} ms`);
      }
    }
    enough.abort();
  }
}
