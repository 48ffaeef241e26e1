import type { Logger } from '../../util/logger.ts';
import type { Client } from '../client/client.ts';
import { isApiError, UnreachableError } from '../client/errors.ts';
import type { KubeObject } from '../client/object.ts';
import { type Clock, systemClock } from '../clock/clock.ts';
import type { Runnable } from '../manager/manager.ts';
import { type EventObject, type EventSeries, eventKind, eventOf, type Occurrence, seriesPatch } from './event-object.ts';

export interface EventRecorderOptions {
  readonly client: Pick<Client, 'create' | 'patch'>;
  /** Who reports, such as `example.com/widget-controller`. */
  readonly controller: string;
  /** Which of its processes, such as the name of the pod. */
  readonly instance: string;
  /** Default: the system's. */
  readonly clock?: Clock;
  readonly log: Logger;
  /** How long repetitions count as one series, from the last one on. Default: 360,000. */
  readonly seriesMs?: number;
  /** How often a series that goes on is written. Default: 10,000. */
  readonly writeEveryMs?: number;
  /** How many Events may wait to be written; what comes beyond that is dropped. Default: 1,000. */
  readonly limit?: number;
}

interface Series {
  /** As the API server has it; `undefined`: not written yet. */
  stored: EventObject | undefined;
  readonly event: EventObject;
  count: number;
  lastMs: number;
  /** When it was written last, or that was tried. */
  writtenMs: number;
}

/** What is known of ended series is thrown away when there are more than this. */
const maxSeries = 4_096;

/**
 * Writes Events of `events.k8s.io/v1`. Recording never waits and never fails: what happens again to the same object
 * for the same reason is one Event with a series that is written now and then, and where Events cannot be written they
 * are dropped. Add it to a manager's group `other`.
 */
export class EventRecorder implements Runnable {
  readonly name = 'event recorder';
  readonly #options: EventRecorderOptions & { readonly clock: Clock };
  readonly #series = new Map<string, Series>();
  /** Keys of series that have something to write. */
  readonly #pending = new Set<string>();
  #wake: () => void = () => undefined;
  #dropping = false;
  #refused = '';
  #count = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = { clock: systemClock, ...options };
  }

  /** Tells of something that happened to an object, which must have been read from the API server. */
  record(object: KubeObject, occurrence: Occurrence): void {
    const { clock, seriesMs = 360_000, limit = 1_000, log } = this.#options;
    const key = keyOf(object, occurrence);
    const nowMs = clock.monotonicMs();
    const known = this.#series.get(key);
    if (known !== undefined && nowMs - known.lastMs < seriesMs) {
      known.count++;
      known.lastMs = nowMs;
    } else if (this.#pending.size >= limit) {
      if (!this.#dropping) log.warn({ waiting: this.#pending.size }, 'too many events wait to be written; new ones are dropped');
      this.#dropping = true;
      return;
    } else this.#begin(key, object, occurrence);
    this.#pending.add(key);
    this.#wake();
  }

  /** Writes until the signal aborts; what waits then is dropped. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      const early = new AbortController();
      this.#wake = () => early.abort();
      const delayMs = await this.#writeDue(signal);
      const stop = () => early.abort();
      signal.addEventListener('abort', stop, { once: true });
      if (!signal.aborted) await clock.sleep(delayMs, early.signal);
      signal.removeEventListener('abort', stop);
    }
  }

  #begin(key: string, object: KubeObject, occurrence: Occurrence): void {
    const { clock, controller, instance } = this.#options;
    const nowMs = clock.monotonicMs();
    const suffix = `${clock.date().getTime().toString(16)}${(this.#count++ & 0xfff).toString(16).padStart(3, '0')}`;
    const event = eventOf(object, occurrence, { controller, instance, date: clock.date(), suffix });
    this.#series.delete(key);
    this.#series.set(key, { stored: undefined, event, count: 1, lastMs: nowMs, writtenMs: Number.NEGATIVE_INFINITY });
    if (this.#series.size > maxSeries) this.#forgetEnded(nowMs);
  }

  #forgetEnded(nowMs: number): void {
    const { seriesMs = 360_000 } = this.#options;
    for (const [key, series] of this.#series) {
      if (!this.#pending.has(key) && nowMs - series.lastMs >= seriesMs) this.#series.delete(key);
    }
  }

  /** Writes what is due; gives the time until something is. */
  async #writeDue(signal: AbortSignal): Promise<number> {
    const { clock, writeEveryMs = 10_000 } = this.#options;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const key of [...this.#pending]) {
      const series = this.#series.get(key);
      if (signal.aborted || series === undefined) continue;
      const dueMs = series.writtenMs + writeEveryMs - clock.monotonicMs();
      if (dueMs > 0) {
        nextMs = Math.min(nextMs, dueMs);
        continue;
      }
      this.#pending.delete(key);
      if (!(await this.#write(series, signal))) this.#pending.add(key);
    }
    this.#dropping &&= this.#pending.size > 0;
    return Math.min(nextMs, writeEveryMs);
  }

  /** False: there was no answer, so it is to be tried again. */
  async #write(series: Series, signal: AbortSignal): Promise<boolean> {
    const { client, clock, log } = this.#options;
    const { count, stored, event } = series;
    series.writtenMs = clock.monotonicMs();
    const shown: EventSeries = { count, lastObservedTime: clock.date() };
    try {
      if (stored !== undefined) series.stored = await this.#patch(stored, shown, signal);
      else series.stored = await client.create(eventKind, count > 1 ? { ...event, ...seriesPatch(shown) } : event, { signal });
      this.#refused = '';
      return true;
    } catch (error) {
      if (!signal.aborted && this.#refused !== String(error)) {
        const { kind, namespace = '', name } = event.regarding;
        log.warn({ error, object: `${kind} ${namespace}/${name}` }, 'an event could not be written');
        this.#refused = String(error);
      }
      return !(error instanceof UnreachableError);
    }
  }

  /** Events are thrown away after an hour or so; then the series begins a new one. */
  async #patch(stored: EventObject, shown: EventSeries, signal: AbortSignal): Promise<EventObject> {
    const { client } = this.#options;
    const { namespace = '', name } = stored.metadata;
    const patch = seriesPatch(shown);
    try {
      return await client.patch<EventObject>(eventKind, { namespace, name }, patch, { signal });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
      const { resourceVersion: _, uid: __, ...metadata } = stored.metadata;
      return client.create<EventObject>(eventKind, { ...stored, metadata, ...patch }, { signal });
    }
  }
}

/** What is one series. The note is left out: numbers and times in it would make each Event a new one. */
function keyOf({ kind, metadata }: KubeObject, { type = 'Normal', reason, action, related }: Occurrence): string {
  return JSON.stringify([
    kind,
    metadata.namespace,
    metadata.name,
    metadata.uid,
    type,
    reason,
    action,
    related?.kind,
    related?.metadata.name,
  ]);
}
