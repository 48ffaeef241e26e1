/** How many bases of a kind are remembered: some proxies differ from most, such as those of an older version. */
const maxBases = 4;

/** The maps of a kind that others may be built on, the last made one first. A base is never changed. */
export class SharedBases<V> {
  #bases: readonly ReadonlyMap<string, V>[] = [];

  /** Adds a base, which from now on must not be changed, and forgets the oldest if there are too many. */
  add(base: ReadonlyMap<string, V>): void {
    this.#bases = [base, ...this.#bases].slice(0, maxBases);
  }

  [Symbol.iterator](): IterableIterator<ReadonlyMap<string, V>> {
    return this.#bases[Symbol.iterator]();
  }
}

/**
 * A map that keeps what differs from a base which it shares with others. A thousand proxies that have the same cost one map and their
 * few differences. When these become too many, it looks for a better base, and makes one where there is none.
 */
export class SharedMap<V> implements ReadonlyMap<string, V> {
  readonly #bases: SharedBases<V>;
  #base: ReadonlyMap<string, V> = new Map();
  /** What is another than in the base, or not in it. */
  #own = new Map<string, V>();
  /** What is in the base and not here. Never a name of `#own`. */
  #without = new Set<string>();
  #size = 0;

  /** @param bases those of maps that are alike. Default: it shares with none. */
  constructor(bases: SharedBases<V> = new SharedBases()) {
    this.#bases = bases;
  }

  get size(): number {
    return this.#size;
  }

  /** How many entries it keeps for itself. */
  get differences(): number {
    return this.#own.size + this.#without.size;
  }

  get(name: string): V | undefined {
    const own = this.#own.get(name);
    if (own !== undefined || this.#without.has(name)) return own;
    return this.#base.get(name);
  }

  has(name: string): boolean {
    return this.#own.has(name) || (this.#base.has(name) && !this.#without.has(name));
  }

  /**
   * Changes many entries at once; `undefined` deletes one. Where two maps get the same, the second finds the base of the first: one by one
   * each would make bases of its own of all that it has on the way.
   */
  change(changes: Iterable<readonly [name: string, value: V | undefined]>): void {
    for (const [name, value] of changes) {
      if (value === undefined) this.#delete(name);
      else this.#set(name, value);
    }
    if (this.differences > mostDifferences(this.#size)) this.#rebase();
  }

  /** Gives whether the name was there. */
  delete(name: string): boolean {
    const had = this.has(name);
    this.change([[name, undefined]]);
    return had;
  }

  #set(name: string, value: V): void {
    if (!this.has(name)) this.#size += 1;
    this.#without.delete(name);
    if (this.#base.get(name) === value) this.#own.delete(name);
    else this.#own.set(name, value);
  }

  #delete(name: string): void {
    if (!this.has(name)) return;
    this.#size -= 1;
    this.#own.delete(name);
    if (this.#base.has(name)) this.#without.add(name);
  }

  *entries(): MapIterator<[string, V]> {
    for (const entry of this.#base) if (!this.#own.has(entry[0]) && !this.#without.has(entry[0])) yield entry;
    yield* this.#own;
  }

  *keys(): MapIterator<string> {
    for (const [name] of this.entries()) yield name;
  }

  *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[string, V]> {
    return this.entries();
  }

  forEach(call: (value: V, name: string, map: ReadonlyMap<string, V>) => void): void {
    for (const [name, value] of this.entries()) call(value, name, this);
  }

  /** Takes the base that is nearest enough, so that it is long until the next time; else one of its own, which it offers to others. */
  #rebase(): void {
    const few = mostDifferences(this.#size) / 2;
    for (const base of this.#bases) {
      const differing = this.#differencesFrom(base, few);
      if (differing === undefined) continue;
      this.#base = base;
      this.#own = differing.own;
      this.#without = differing.without;
      return;
    }
    this.#base = new Map(this.entries());
    this.#own = new Map();
    this.#without = new Set();
    this.#bases.add(this.#base);
  }

  /** What it would keep on another base; `undefined` if that is more than `most`. */
  #differencesFrom(
    base: ReadonlyMap<string, V>,
    most: number,
  ): { readonly own: Map<string, V>; readonly without: Set<string> } | undefined {
    if (Math.abs(base.size - this.#size) > most) return undefined;
    const own = new Map<string, V>();
    const without = new Set<string>();
    for (const [name, value] of this.entries()) {
      if (base.get(name) !== value) own.set(name, value);
      if (own.size > most) return undefined;
    }
    for (const name of base.keys()) {
      if (!this.has(name)) without.add(name);
      if (own.size + without.size > most) return undefined;
    }
    return { own, without };
  }
}

/** Small maps need no base; of large ones a sixteenth may differ. */
function mostDifferences(size: number): number {
  return 32 + size / 16;
}
