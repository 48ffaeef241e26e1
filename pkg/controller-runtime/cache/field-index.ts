import type { KubeObject } from '../client/object.ts';

/** The values under which an object is found, such as the names of the Secrets that it refers to. */
export type IndexFunction<T extends KubeObject> = (object: T) => readonly string[];

const none: ReadonlySet<never> = new Set();

/** Finds objects by values that a function takes from them. It is told of every change. */
export class FieldIndex<T extends KubeObject> {
  readonly #valuesOf: IndexFunction<T>;
  readonly #objects = new Map<string, Set<T>>();

  constructor(valuesOf: IndexFunction<T>) {
    this.#valuesOf = valuesOf;
  }

  /** The objects that have the value, in no particular order. */
  get(value: string): ReadonlySet<T> {
    return this.#objects.get(value) ?? none;
  }

  /** What the function throws is thrown before anything has changed. */
  add(object: T): void {
    for (const value of this.#valuesOf(object)) {
      const found = this.#objects.get(value);
      if (found === undefined) this.#objects.set(value, new Set([object]));
      else found.add(object);
    }
  }

  /** Takes out an object that was added: the same one, not a copy. */
  remove(object: T): void {
    for (const [value, found] of this.#entriesOf(object)) {
      found.delete(object);
      if (found.size === 0) this.#objects.delete(value);
    }
  }

  #entriesOf(object: T): readonly (readonly [string, Set<T>])[] {
    return this.#valuesOf(object).flatMap((value) => {
      const found = this.#objects.get(value);
      return found === undefined ? [] : [[value, found] as const];
    });
  }
}
