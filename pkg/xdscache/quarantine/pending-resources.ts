import type { Resource, SnapshotUpdate, SnapshotView, TypeUrl } from '../resource.ts';

/**
 * The resources that no proxy has accepted yet in their newest version, each with the last one of its name that a proxy did. As large as
 * what is on its way, and at the start, or with no proxy, as the snapshot has names.
 */
export class PendingResources {
  readonly #types = new Map<TypeUrl, Map<string, Resource | undefined>>();

  hasAny(type: TypeUrl): boolean {
    return this.#types.has(type);
  }

  has(type: TypeUrl, name: string): boolean {
    return this.#types.get(type)?.has(name) ?? false;
  }

  /** What a proxy accepted before; `undefined` if none ever did, or the name is not pending. */
  good(type: TypeUrl, name: string): Resource | undefined {
    return this.#types.get(type)?.get(name);
  }

  /** Notes what an update brings; `before` is the snapshot without it. */
  note(update: SnapshotUpdate, before: SnapshotView): void {
    for (const [type, changes] of update) {
      const pending = this.#types.getOrInsertComputed(type, () => new Map<string, Resource | undefined>());
      for (const [name, resource] of changes) {
        if (resource === undefined) pending.delete(name);
        else if (!pending.has(name)) pending.set(name, before.get(type, name));
      }
      if (pending.size === 0) this.#types.delete(type);
    }
  }

  /** The newest version of a name was accepted. Gives whether that is news. */
  accept(type: TypeUrl, name: string): boolean {
    const pending = this.#types.get(type);
    if (pending === undefined || !pending.delete(name)) return false;
    if (pending.size === 0) this.#types.delete(type);
    return true;
  }
}
