import { keyOfRef, type ObjectKey, type ObjectRef, type WantedCondition } from '../apis/meta.ts';
import type { Clock } from '../controller-runtime/clock/clock.ts';
import type { Runnable } from '../controller-runtime/manager/manager.ts';
import type { WantedStatus } from '../status/wanted.ts';

export interface ProgrammedGateDeps {
  /** Whether all connected proxies have the listeners of a Gateway; true where none is connected. */
  readonly isLive: (gateway: ObjectRef) => boolean;
  /** Takes statuses that may be written. */
  readonly pass: (statuses: readonly WantedStatus[]) => void;
  readonly clock: Clock;
  /** How long a status waits before it says that proxies are late. Default: 2,000. */
  readonly patienceMs?: number;
}

interface Waiting {
  readonly status: WantedStatus;
  readonly dueMs: number;
  told: boolean;
}

/**
 * Keeps the status of a Gateway back until the proxies have accepted its listeners, so that `Programmed` says what is so and the object
 * is written once. A proxy that takes longer makes it `Programmed` False `Pending`, until it has them. Where no proxy is connected to
 * this process there is nothing to wait for: they may be connected to another replica.
 */
export class ProgrammedGate implements Runnable {
  readonly name = 'Programmed of Gateways';
  readonly #deps: ProgrammedGateDeps;
  readonly #waiting = new Map<ObjectKey, Waiting>();
  #wake: () => void = () => undefined;

  constructor(deps: ProgrammedGateDeps) {
    this.#deps = deps;
  }

  /** Gives those statuses of a build that need not wait. */
  take(statuses: readonly WantedStatus[]): readonly WantedStatus[] {
    return statuses.filter((status) => {
      const key = keyOfRef(status.object);
      this.#waiting.delete(key);
      if (!saysProgrammed(status) || this.#deps.isLive(status.object)) return true;
      const { clock, patienceMs = 2_000 } = this.#deps;
      this.#waiting.set(key, { status, dueMs: clock.monotonicMs() + patienceMs, told: false });
      this.#wake();
      return false;
    });
  }

  /** Gateways whose status is gone need none. */
  forget(objects: readonly ObjectRef[]): void {
    for (const object of objects) this.#waiting.delete(keyOfRef(object));
  }

  /** A proxy answered, or left. */
  look(): void {
    if (this.#waiting.size === 0) return;
    for (const [key, { status }] of [...this.#waiting]) {
      if (!this.#deps.isLive(status.object)) continue;
      this.#waiting.delete(key);
      this.#deps.pass([status]);
    }
  }

  /** Tells of those that wait too long, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, pass } = this.#deps;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    while (!signal.aborted) {
      const silent = [...this.#waiting.values()].filter(({ told }) => !told);
      if (silent.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
      else await clock.sleep(Math.max(0, Math.min(...silent.map(({ dueMs }) => dueMs)) - clock.monotonicMs()), signal);
      if (signal.aborted) return;
      for (const waiting of this.#waiting.values()) {
        if (waiting.told || waiting.dueMs > clock.monotonicMs()) continue;
        waiting.told = true;
        pass([pending(waiting.status)]);
      }
    }
  }
}

function conditionsOf(status: object): readonly WantedCondition[] {
  return (status as { readonly conditions?: readonly WantedCondition[] }).conditions ?? [];
}

function listenersOf({ status }: WantedStatus): readonly object[] {
  return (status as { readonly listeners?: readonly object[] }).listeners ?? [];
}

function saysProgrammed(wanted: WantedStatus): boolean {
  if (wanted.object.kind !== 'Gateway') return false;
  const all = [wanted.status, ...listenersOf(wanted)].flatMap(conditionsOf);
  return all.some(({ type, status }) => type === 'Programmed' && status === 'True');
}

/** The status while proxies have not accepted the listeners. @see Gateway API, GatewayReasonPending, ListenerReasonPending */
function pending(wanted: WantedStatus): WantedStatus {
  const late = (status: object): object => ({
    ...status,
    conditions: conditionsOf(status).map((condition) =>
      condition.type === 'Programmed' && condition.status === 'True'
        ? { ...condition, status: 'False', reason: 'Pending', message: 'Not all connected proxies have accepted the listener yet' }
        : condition,
    ),
  });
  return { ...wanted, status: { ...late(wanted.status), listeners: listenersOf(wanted).map(late) } };
}
