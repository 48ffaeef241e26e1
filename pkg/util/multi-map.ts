/** A map from a key to a set of values; an entry whose last value goes is gone too. */
export class MultiMap<K, V> {
  readonly #sets = new Map<K, Set<V>>();

  add(key: K, value: V): void {
    const values = this.#sets.get(key);
    if (values === undefined) this.#sets.set(key, new Set([value]));
    else values.add(value);
  }

  delete(key: K, value: V): void {
    const values = this.#sets.get(key);
    values?.delete(value);
    if (values?.size === 0) this.#sets.delete(key);
  }

  /** The values of a key, in order of insertion; empty where there are none. */
  get(key: K): ReadonlySet<V> {
    return this.#sets.get(key) ?? emptySet;
  }
}

const emptySet: ReadonlySet<never> = new Set();
