import type { KubeObject } from '../client/object.ts';
import type { WatchEvent } from '../event/event.ts';

/** The objects that one list and watch gives, and what happens to them. */
export class Store<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #emit: (event: WatchEvent<T>) => void;

  constructor(emit: (event: WatchEvent<T>) => void) {
    this.#emit = emit;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(namespace: string, name: string): T | undefined {
    return this.#objects.get(`${namespace}/${name}`);
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  /** Adds or replaces an object. A version that is here already is no event. */
  apply(object: T): void {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    if (old !== undefined && old.metadata.resourceVersion === object.metadata.resourceVersion) return;
    this.#objects.set(key, object);
    this.#emit(old === undefined ? { type: 'add', object } : { type: 'update', object, old });
  }

  /** Removes an object; nothing happens where it is not here. */
  delete(object: KubeObject): void {
    this.#deleteKey(keyOf(object));
  }

  /** Begins to take over a complete list: what is not in it when it is finished is removed. */
  replace(): Replacement<T> {
    const seen = new Set<string>();
    return {
      apply: (object) => {
        seen.add(keyOf(object));
        this.apply(object);
      },
      delete: (object) => {
        seen.delete(keyOf(object));
        this.delete(object);
      },
      finish: () => {
        for (const key of [...this.#objects.keys()]) if (!seen.has(key)) this.#deleteKey(key);
      },
    };
  }

  #deleteKey(key: string): void {
    const object = this.#objects.get(key);
    if (object === undefined) return;
    this.#objects.delete(key);
    this.#emit({ type: 'delete', object });
  }
}

/** A complete list on its way into a store. */
export interface Replacement<T extends KubeObject> {
  apply(object: T): void;
  delete(object: KubeObject): void;
  /** The list is complete. */
  finish(): void;
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
