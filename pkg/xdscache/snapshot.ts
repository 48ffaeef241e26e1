import { askedSecret } from './asked-secret.ts';
import { type Resource, type SnapshotUpdate, type SnapshotView, type TypeUrl, typeUrls } from './resource.ts';

/** Called after an update was applied, in the same turn. It must not throw and must not apply another update. */
export type SnapshotListener = (update: SnapshotUpdate) => void;

const none: ReadonlyMap<string, Resource> = new Map();

/** The resources of all proxies, and the only place where they change. Empty at first. */
export class Snapshot implements SnapshotView {
  readonly #resources = new Map<TypeUrl, Map<string, Resource>>();
  readonly #listeners = new Set<SnapshotListener>();
  readonly #guard: (update: SnapshotUpdate) => SnapshotUpdate;
  #sequence = 0;

  /** @param guard asked, before an update is applied, what of it may be. Default: all. */
  constructor(guard: (update: SnapshotUpdate) => SnapshotUpdate = (update) => update) {
    this.#guard = guard;
  }

  get sequence(): number {
    return this.#sequence;
  }

  get(type: TypeUrl, name: string): Resource | undefined {
    const resources = this.#resources.get(type);
    if (resources === undefined) return undefined;
    return type === typeUrls.secret ? askedSecret(name, resources) : resources.get(name);
  }

  all(type: TypeUrl): ReadonlyMap<string, Resource> {
    return this.#resources.get(type) ?? none;
  }

  /** Applies all of an update, then tells every listener. An update that names nothing is still counted. */
  apply(wanted: SnapshotUpdate): void {
    const update = this.#guard(wanted);
    for (const [type, changes] of update) {
      const resources = this.#resources.getOrInsertComputed(type, () => new Map<string, Resource>());
      for (const [name, resource] of changes) {
        if (resource === undefined) resources.delete(name);
        else resources.set(name, resource);
      }
    }
    this.#sequence += 1;
    for (const listener of this.#listeners) listener(update);
  }

  /** Adds a listener. Gives the function that takes it away again. */
  subscribe(listener: SnapshotListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
