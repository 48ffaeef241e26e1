import type { Resource, SnapshotUpdate, TypeUrl } from './resource.ts';

/** Gathers what one update changes; what is said last of a name holds. */
export class UpdateBuilder {
  readonly #types = new Map<TypeUrl, Map<string, Resource | undefined>>();

  set(type: TypeUrl, resource: Resource): void {
    this.#of(type).set(resource.name, resource);
  }

  delete(type: TypeUrl, name: string): void {
    this.#of(type).set(name, undefined);
  }

  get update(): SnapshotUpdate {
    return this.#types;
  }

  #of(type: TypeUrl): Map<string, Resource | undefined> {
    return this.#types.getOrInsertComputed(type, () => new Map<string, Resource | undefined>());
  }
}
