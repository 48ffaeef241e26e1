import type { ObjectKey } from '../apis/meta.ts';
import type { Clock } from '../controller-runtime/clock/clock.ts';
import type { Runnable } from '../controller-runtime/manager/manager.ts';
import type { Hold } from '../dag/reference-grace.ts';
import type { KubernetesCache } from '../kubernetes-cache/kubernetes-cache.ts';
import type { BuildResult } from '../pipeline/pipeline.ts';

export interface ReferenceGraceDeps {
  readonly cache: Pick<KubernetesCache, 'graceOver'>;
  /** Roots that wait as of the last build. */
  readonly holds: () => ReadonlyMap<ObjectKey, Hold>;
  /** How long a root waits, above 0. */
  readonly graceMs: number;
  readonly clock: Clock;
}

/** Ends the waits of roots for what they refer to when they took long enough. A date that jumps makes no difference. */
export class ReferenceGrace implements Runnable {
  readonly name = 'reference grace';
  readonly #deps: ReferenceGraceDeps;
  /** In the order in which they are due. */
  #waiting: { readonly hold: Hold; readonly dueMs: number }[] = [];
  #wake: () => void = () => undefined;

  constructor(deps: ReferenceGraceDeps) {
    this.#deps = deps;
  }

  /** Takes what came out of a build. */
  observe({ held }: Pick<BuildResult, 'held'>): void {
    if (held.length === 0) return;
    const dueMs = this.#deps.clock.monotonicMs() + this.#deps.graceMs;
    this.#waiting.push(...held.map((hold) => ({ hold, dueMs })));
    this.#wake();
  }

  /** Until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    while (!signal.aborted) {
      const [next] = this.#waiting;
      if (next === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
      else await clock.sleep(Math.max(next.dueMs - clock.monotonicMs(), 0), signal);
      if (!signal.aborted) this.#end();
    }
  }

  #end(): void {
    const { cache, holds, clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    const due = this.#waiting.filter(({ dueMs }) => dueMs <= nowMs);
    this.#waiting = this.#waiting.slice(due.length);
    // What a root waited for may have come, and the root may wait for something else by now.
    const overdue = due.flatMap(({ hold }) => (holds().get(hold.root)?.reads === hold.reads ? [hold.root] : []));
    if (overdue.length > 0) cache.graceOver(overdue);
  }
}
