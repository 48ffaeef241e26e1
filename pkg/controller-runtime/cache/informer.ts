import type { KubeObject, ResourceKind } from '../client/object.ts';
import type { WatchEvent } from '../event/event.ts';
import { Reflector, type ReflectorOptions } from './reflector.ts';
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
}

/** Called for each event, synchronously and in order. What it throws is reported and does not stop the others. */
export type EventHandler<T extends KubeObject> = (event: WatchEvent<T>) => void;

type Surroundings<T extends KubeObject> = Pick<ReflectorOptions<T>, 'rest' | 'clock' | 'random' | 'onProblem'>;

/** All objects of one kind, kept current for any number of handlers. */
export class Informer<T extends KubeObject = KubeObject> {
  readonly kind: ResourceKind;
  /** Resolves when every object has been told once. */
  readonly synced: Promise<void>;
  readonly #stores = new Map<string, Store<T>>();
  readonly #reflectors: Reflector<T>[] = [];
  readonly #handlers = new Set<EventHandler<T>>();
  readonly #surroundings: Surroundings<T>;
  #unsynced = 0;
  #markSynced: () => void = () => undefined;

  constructor(kind: ResourceKind, options: InformerOptions<T>, surroundings: Surroundings<T>) {
    this.kind = kind;
    this.#surroundings = surroundings;
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

  get(namespace: string, name: string): T | undefined {
    return (this.#stores.get('') ?? this.#stores.get(namespace))?.get(namespace, name);
  }

  /** All objects, in no particular order. */
  *list(): IterableIterator<T> {
    for (const store of this.#stores.values()) yield* store.values();
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
    await Promise.all(this.#reflectors.map((reflector) => reflector.run(signal)));
  }

  #tell(event: WatchEvent<T>): void {
    for (const handler of this.#handlers) this.#call(handler, event);
  }

  #call(handler: EventHandler<T>, event: WatchEvent<T>): void {
    try {
      handler(event);
    } catch (error) {
      const { namespace, name } = event.object.metadata;
      const selection = { kind: this.kind, namespace: namespace ?? '' };
      this.#surroundings.onProblem({ type: 'object', selection, name: `${namespace ?? ''}/${name}`, error });
    }
  }
}
