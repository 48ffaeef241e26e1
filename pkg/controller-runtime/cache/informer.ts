import type { KubeObject, ResourceKind } from '../client/object.ts';
import type { WatchEvent } from '../event/event.ts';
import { FieldIndex, type IndexFunction } from './field-index.ts';
import { Reflector, type ReflectorOptions, type ReflectorProblem } from './reflector.ts';
import { Store } from './store.ts';

/** What an informer keeps of a kind. */
export interface InformerOptions<T extends KubeObject> {
  /** Empty or absent: all namespaces. Ignored for cluster-scoped kinds. */
  readonly namespaces?: readonly string[];
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** @see ReflectorOptions */
  readonly transform?: (object: T) => T;
  /** @see ReflectorOptions */
  readonly optional?: boolean;
  /** How often handlers are told of all objects again, as updates to the same version. Default: never. */
  readonly resyncMs?: number;
}

/** Called for each event, synchronously and in order. What it throws is reported and does not stop the others. */
export type EventHandler<T extends KubeObject> = (event: WatchEvent<T>) => void;

type Surroundings<T extends KubeObject> = Pick<ReflectorOptions<T>, 'rest' | 'clock' | 'random' | 'arrivals' | 'onProblem'>;

/** All objects of one kind, kept current for any number of handlers. */
export class Informer<T extends KubeObject = KubeObject> {
  readonly kind: ResourceKind;
  /** Resolves when every object has been told once. */
  readonly synced: Promise<void>;
  readonly #stores = new Map<string, Store<T>>();
  readonly #reflectors: Reflector<T>[] = [];
  readonly #handlers = new Set<EventHandler<T>>();
  readonly #indexes = new Map<string, { readonly valuesOf: IndexFunction<T>; readonly index: FieldIndex<T> }>();
  readonly #resyncMs: number | undefined;
  readonly #surroundings: Surroundings<T>;
  #unsynced = 0;
  #failure: unknown;
  #markSynced: () => void = () => undefined;

  constructor(kind: ResourceKind, options: InformerOptions<T>, surroundings: Surroundings<T>) {
    this.kind = kind;
    this.#surroundings = { ...surroundings, onProblem: (problem) => this.#note(problem, surroundings.onProblem) };
    this.#resyncMs = options.resyncMs;
    this.synced = new Promise((resolve) => {
      this.#markSynced = resolve;
    });
    const named = kind.namespaced ? new Set(options.namespaces ?? []) : new Set<string>();
    for (const namespace of named.size === 0 ? [''] : named) this.#addScope(namespace, options);
  }

  #addScope(namespace: string, options: InformerOptions<T>): void {
    const store = new Store<T>((event) => this.#tell(event));
    this.#stores.set(namespace, store);
    this.#unsynced++;
    this.#reflectors.push(
      new Reflector({
        ...this.#surroundings,
        store,
        selection: {
          kind: this.kind,
          namespace,
          ...(options.labelSelector !== undefined && { labelSelector: options.labelSelector }),
          ...(options.fieldSelector !== undefined && { fieldSelector: options.fieldSelector }),
        },
        ...(options.transform !== undefined && { transform: options.transform }),
        ...(options.optional !== undefined && { optional: options.optional }),
        onSynced: () => {
          this.#unsynced--;
          if (this.#unsynced === 0) this.#markSynced();
        },
      }),
    );
  }

  /** Whether every object has been told once. */
  hasSynced(): boolean {
    return this.#unsynced === 0;
  }

  /** Why objects are still on their way; `undefined` if nothing went wrong, or everything is here by now. */
  get failure(): unknown {
    return this.hasSynced() ? undefined : this.#failure;
  }

  /** Whether the objects of a namespace are watched; `''`: those of all namespaces. */
  covers(namespace: string): boolean {
    return this.#stores.has('') || this.#stores.has(namespace);
  }

  get(namespace: string, name: string): T | undefined {
    return (this.#stores.get('') ?? this.#stores.get(namespace))?.get(namespace, name);
  }

  /** All objects, in no particular order. */
  *list(): IterableIterator<T> {
    for (const store of this.#stores.values()) yield* store.values();
  }

  /**
   * Finds objects by what a function takes from them. May be called at any time; the same function twice is no fault.
   * @throws {RangeError} if the name is that of another function
   */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    const known = this.#indexes.get(name);
    if (known?.valuesOf === valuesOf) return;
    if (known !== undefined) throw new RangeError(`${this.kind.kind} has another index "${name}" already`);
    const index = new FieldIndex(valuesOf);
    this.#indexes.set(name, { valuesOf, index });
    for (const object of this.list()) this.#guard(object, () => index.add(object));
  }

  /**
   * The objects that have a value in an index, in no particular order.
   * @throws {RangeError} if there is no such index
   */
  byIndex(name: string, value: string): readonly T[] {
    const known = this.#indexes.get(name);
    if (known === undefined) throw new RangeError(`${this.kind.kind} has no index "${name}"; add it with addIndex`);
    return [...known.index.get(value)];
  }

  get size(): number {
    return [...this.#stores.values()].reduce((sum, store) => sum + store.size, 0);
  }

  /** Adds a handler, which is told at once of the objects that are here. Gives the function that removes it. */
  addHandler(handler: EventHandler<T>): () => void {
    this.#handlers.add(handler);
    for (const object of this.list()) this.#call(handler, { type: 'add', object });
    return () => this.#handlers.delete(handler);
  }

  /** Lists and watches until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const resync = this.#resyncMs === undefined ? [] : [this.#resync(this.#resyncMs, signal)];
    await Promise.all([...this.#reflectors.map((reflector) => reflector.run(signal)), ...resync]);
  }

  async #resync(everyMs: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#surroundings.clock.sleep(everyMs, signal);
      if (signal.aborted) return;
      for (const object of [...this.list()]) {
        for (const handler of this.#handlers) this.#call(handler, { type: 'update', object, old: object });
      }
    }
  }

  #note(problem: ReflectorProblem, tell: (problem: ReflectorProblem) => void): void {
    if (problem.type === 'retry') this.#failure = problem.error;
    tell(problem);
  }

  #tell(event: WatchEvent<T>): void {
    for (const { index } of this.#indexes.values()) this.#reindex(index, event);
    for (const handler of this.#handlers) this.#call(handler, event);
  }

  #reindex(index: FieldIndex<T>, event: WatchEvent<T>): void {
    const gone = event.type === 'update' ? event.old : event.type === 'delete' ? event.object : undefined;
    // Apart, so that a version that the function cannot read does not keep the one before in the index.
    if (gone !== undefined) this.#guard(gone, () => index.remove(gone));
    if (event.type !== 'delete') this.#guard(event.object, () => index.add(event.object));
  }

  #call(handler: EventHandler<T>, event: WatchEvent<T>): void {
    this.#guard(event.object, () => handler(event));
  }

  /** What is thrown because of an object is reported, and stops nothing else. */
  #guard(object: T, work: () => void): void {
    try {
      work();
    } catch (error) {
      const { namespace, name } = object.metadata;
      const selection = { kind: this.kind, namespace: namespace ?? '' };
      this.#surroundings.onProblem({ type: 'object', selection, name: `${namespace ?? ''}/${name}`, error });
    }
  }
}
