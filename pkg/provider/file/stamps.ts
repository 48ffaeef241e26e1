import type { KubeObject, ObjectKey } from '../../apis/meta.ts';
import { deepEqual } from '../../util/deep-equal.ts';
import type { ServedChange } from './object-store.ts';

/** What an API server would have put on an object. */
interface Stamp {
  readonly generation: number;
  readonly creationTimestamp: string;
  readonly content: KubeObject;
}

/**
 * Puts on objects from files what an API server would: a generation that grows when more than the metadata changes, a
 * resource version that grows with every change, and the time at which the object was seen first.
 */
export class Stamps {
  readonly #byKey = new Map<ObjectKey, Stamp>();
  #resourceVersion = 0;

  /** The object of a change with its stamps; `nowMs` is in milliseconds since 1970. `undefined`: it is gone. */
  apply({ key, object }: ServedChange, nowMs: number): KubeObject | undefined {
    if (object === undefined) {
      this.#byKey.delete(key);
      return undefined;
    }
    this.#resourceVersion += 1;
    const before = this.#byKey.get(key);
    const stamp: Stamp = {
      generation: before === undefined ? 1 : before.generation + (sameBody(before.content, object) ? 0 : 1),
      creationTimestamp: object.metadata.creationTimestamp ?? before?.creationTimestamp ?? toSeconds(nowMs),
      content: object,
    };
    this.#byKey.set(key, stamp);
    const { generation, creationTimestamp } = stamp;
    return { ...object, metadata: { ...object.metadata, generation, creationTimestamp, resourceVersion: String(this.#resourceVersion) } };
  }
}

function sameBody({ metadata: _, ...a }: KubeObject, { metadata: __, ...b }: KubeObject): boolean {
  return deepEqual(a, b);
}

/** RFC 3339 with whole seconds, as the API has it. */
function toSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
