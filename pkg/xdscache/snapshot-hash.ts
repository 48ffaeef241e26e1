import { murmur3 } from '../util/murmur3.ts';
import { type Resource, type SnapshotView, type TypeUrl, typeUrls } from './resource.ts';
import type { Snapshot } from './snapshot.ts';

/** 48 bits, which a double holds exactly, in halves of 24. */
interface Bits {
  readonly high: number;
  readonly low: number;
}

const none: Bits = { high: 0, low: 0 };

/** The hash of the resources of one type, and what changed since it was asked for. */
class TypeHash {
  readonly #type: TypeUrl;
  /** What each resource brought to the sum. */
  readonly #shares = new Map<string, Bits>();
  readonly #stale = new Set<string>();
  #sum = none;

  constructor(type: TypeUrl, names: Iterable<string>) {
    this.#type = type;
    this.touch(names);
  }

  touch(names: Iterable<string>): void {
    for (const name of names) this.#stale.add(name);
  }

  value(snapshot: SnapshotView): number {
    for (const name of this.#stale) this.#replace(name, snapshot.get(this.#type, name));
    this.#stale.clear();
    return this.#sum.high * 2 ** 24 + this.#sum.low;
  }

  #replace(name: string, resource: Resource | undefined): void {
    this.#sum = xor(this.#sum, this.#shares.get(name) ?? none);
    if (resource === undefined) {
      this.#shares.delete(name);
      return;
    }
    const share = bitsOf(`${this.#type}\n${name}\n${resource.encoded('ads').version}`);
    this.#shares.set(name, share);
    this.#sum = xor(this.#sum, share);
  }
}

/**
 * Hashes of all that is served, one a resource type: the same on every replica that serves the same bytes under the same
 * names, whatever the order in which they came; 0 where there is nothing. A change costs a note of its name; the work
 * is done for what changed when a hash is asked for.
 */
export class SnapshotHash {
  readonly #snapshot: Snapshot;
  readonly #types: ReadonlyMap<TypeUrl, TypeHash>;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.#types = new Map(Object.values(typeUrls).map((type) => [type, new TypeHash(type, snapshot.all(type).keys())]));
    snapshot.subscribe((update) => {
      for (const [type, changes] of update) this.#types.get(type)?.touch(changes.keys());
    });
  }

  /** A whole number from 0 up to 2^48 for each resource type. */
  values(): ReadonlyMap<TypeUrl, number> {
    return new Map([...this.#types].map(([type, hash]) => [type, hash.value(this.#snapshot)]));
  }
}

function bitsOf(text: string): Bits {
  const hex = murmur3(new TextEncoder().encode(text));
  return { high: Number.parseInt(hex.slice(0, 6), 16), low: Number.parseInt(hex.slice(6, 12), 16) };
}

function xor(a: Bits, b: Bits): Bits {
  return { high: a.high ^ b.high, low: a.low ^ b.low };
}
