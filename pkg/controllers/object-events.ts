import { type KubeObject, keyOfRef, type ObjectKey, type ObjectRef } from '../apis/meta.ts';
import type { EventRecorder } from '../controller-runtime/events/event-recorder.ts';
import type { Notice } from '../dag/contribution.ts';
import type { BuildResult } from '../pipeline/pipeline.ts';
import type { WantedStatus } from '../status/wanted.ts';
import type { Problem } from '../util/outcome.ts';

export interface ObjectEventsDeps {
  readonly recorder: Pick<EventRecorder, 'record'>;
  /** The newest version of an object that we know. */
  readonly live: (object: ObjectRef) => KubeObject | undefined;
  /** Whether it is on us to tell: one replica does. */
  readonly leading: () => boolean;
}

/** What was done when an Event tells of what a build found. */
const action = 'Configure';

/**
 * Records Events about objects, on the leader: what is wrong with an object and has no place in a status (such as an annotation
 * of an Ingress that is not used), what a proxy refused of it, and that an HTTPProxy or ExtensionService has become invalid.
 * What the first build finds was so before this process came: it stands in the log and in the statuses, and is no Event.
 */
export class ObjectEvents {
  readonly #deps: ObjectEventsDeps;
  /** What is said of objects that are invalid. */
  readonly #invalid = new Map<ObjectKey, string>();
  #isFirst = true;

  constructor(deps: ObjectEventsDeps) {
    this.#deps = deps;
  }

  /** Takes what came out of a build. */
  observe({ notices, statuses, withdrawn }: Pick<BuildResult, 'notices' | 'statuses' | 'withdrawn'>): void {
    const tells = this.#deps.leading() && !this.#isFirst;
    this.#isFirst = false;
    for (const { object } of withdrawn) this.#invalid.delete(keyOfRef(object));
    for (const status of statuses) this.#take(status, tells);
    if (!tells) return;
    for (const { object, reason, messages } of grouped(notices)) this.#warn(object, reason, messages.join('; '));
  }

  #take({ object, status }: WantedStatus, tells: boolean): void {
    const key = keyOfRef(object);
    const [first, ...others] = errorsOf(status);
    const text = [first, ...others].map((error) => error?.message).join('; ');
    if (this.#invalid.get(key) === text) return;
    if (first === undefined) {
      this.#invalid.delete(key);
      return;
    }
    this.#invalid.set(key, text);
    if (tells) this.#warn(object, first.reason, text);
  }

  #warn(ref: ObjectRef, reason: string, note: string): void {
    const object = this.#deps.live(ref);
    if (object !== undefined) this.#deps.recorder.record(object, { type: 'Warning', reason, action, note });
  }
}

/** The errors in a status of an HTTPProxy or ExtensionService. That nothing includes a proxy is none: what does may come next. */
function errorsOf(status: WantedStatus['status']): readonly Problem[] {
  const conditions = (status['conditions'] ?? []) as readonly { readonly errors?: readonly Problem[] }[];
  return conditions.flatMap(({ errors = [] }) => errors.filter(({ type }) => type !== 'Orphaned'));
}

/** One Event an object and reason: Events that differ in their note alone count as repetitions of the first. */
function grouped(
  notices: readonly Notice[],
): Iterable<{ readonly object: ObjectRef; readonly reason: string; readonly messages: string[] }> {
  const groups = new Map<string, { readonly object: ObjectRef; readonly reason: string; readonly messages: string[] }>();
  for (const { object, problem } of notices) {
    const key = `${problem.reason} ${keyOfRef(object)}`;
    groups.getOrInsertComputed(key, () => ({ object, reason: problem.reason, messages: [] })).messages.push(problem.message);
  }
  return groups.values();
}
