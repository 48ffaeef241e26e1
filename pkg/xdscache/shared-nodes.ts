import type { Origin } from '../dag/model/origin.ts';
import { distinctOrigins } from './lazy-resource.ts';
import type { Resource, TypeUrl } from './resource.ts';
import type { UpdateBuilder } from './update-builder.ts';

/** How nodes of the DAG that many hosts use become one resource of their name. */
export interface SharedNodeKind<T> {
  readonly type: TypeUrl;
  name(node: T): string;
  /** What tells nodes of one name apart; nodes with equal content give the same bytes. */
  content(node: T): string;
  origin(node: T): Origin;
  resource(node: T, origins: () => readonly Origin[]): Resource;
}

/** Nodes of one name and one content, each with the number of its users. */
interface Variant<T> {
  readonly node: T;
  readonly users: Map<T, number>;
}

interface Entry<T> {
  readonly variants: Map<string, Variant<T>>;
  published: string | undefined;
}

/**
 * Counts the users of shared nodes and keeps a resource for each name that has any. Two contents of one name can stand side by side only
 * while a change is on its way; which one is published then depends on the contents alone, not on the order in which they came.
 */
export class SharedNodes<T extends object> {
  readonly #kind: SharedNodeKind<T>;
  readonly #entries = new Map<string, Entry<T>>();
  readonly #stale = new Set<string>();

  constructor(kind: SharedNodeKind<T>) {
    this.#kind = kind;
  }

  acquire(node: T): void {
    const name = this.#kind.name(node);
    const entry = this.#entries.getOrInsertComputed(name, () => ({ variants: new Map<string, Variant<T>>(), published: undefined }));
    const variant = entry.variants.getOrInsertComputed(this.#kind.content(node), () => ({ node, users: new Map<T, number>() }));
    variant.users.set(node, (variant.users.get(node) ?? 0) + 1);
    this.#stale.add(name);
  }

  /** Takes back one `acquire`. */
  release(node: T): void {
    const name = this.#kind.name(node);
    const variants = this.#entries.get(name)?.variants;
    const content = this.#kind.content(node);
    const users = variants?.get(content)?.users;
    if (variants === undefined || users === undefined) throw new Error(`${this.#kind.type} ${name} is released more often than acquired`);

    const count = (users.get(node) ?? 0) - 1;
    if (count > 0) users.set(node, count);
    else users.delete(node);
    if (users.size === 0) variants.delete(content);
    this.#stale.add(name);
  }

  /** Adds what changed since the last call. */
  take(update: UpdateBuilder): void {
    for (const name of this.#stale) this.#publish(name, update);
    this.#stale.clear();
  }

  #publish(name: string, update: UpdateBuilder): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    const [content] = [...entry.variants.keys()].sort();
    if (content === undefined) {
      this.#entries.delete(name);
      if (entry.published !== undefined) update.delete(this.#kind.type, name);
      return;
    }
    if (content === entry.published) return;
    const { node, users } = entry.variants.get(content)!;
    const origins = () => distinctOrigins([...users.keys()].map((user) => this.#kind.origin(user)));
    update.set(this.#kind.type, this.#kind.resource(node, origins));
    entry.published = content;
  }
}
