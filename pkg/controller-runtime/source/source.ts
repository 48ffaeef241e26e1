import type { Informer } from '../cache/informer.ts';
import type { KubeObject, ObjectName } from '../client/object.ts';
import type { GenericEvent } from '../event/event.ts';
import type { Handler } from '../handler/handler.ts';
import type { Predicate } from '../predicate/predicate.ts';

/** Where a controller's work comes from. */
export interface Source {
  /** Begins to name objects, those that are there first; gives the function that ends it. */
  start(enqueue: (name: ObjectName) => void): () => void;
  /** Resolves when all objects have been named once. */
  readonly synced: Promise<void>;
}

/** The events of an informer. */
export function informerSource<T extends KubeObject>(
  informer: Informer<T>,
  handler: Handler<T>,
  predicate: Predicate<T> = () => true,
): Source {
  return {
    synced: informer.synced,
    start: (enqueue) =>
      informer.addHandler((event) => {
        if (predicate(event)) for (const name of handler(event)) enqueue(name);
      }),
  };
}

/**
 * Events that no watch tells. What is sent while no controller listens is lost: a reconciler that starts looks at
 * everything anyway.
 */
export class EventChannel<T extends KubeObject = KubeObject> {
  readonly #listeners = new Set<(event: GenericEvent<T>) => void>();

  /** Tells every listener at once. Throws what a predicate or handler throws. */
  send(object: T): void {
    for (const listener of this.#listeners) listener({ type: 'generic', object });
  }

  /** Gives the function that ends it. */
  listen(listener: (event: GenericEvent<T>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The events of a channel. */
export function channelSource<T extends KubeObject>(
  channel: EventChannel<T>,
  handler: Handler<T>,
  predicate: Predicate<T> = () => true,
): Source {
  return {
    synced: Promise.resolve(),
    start: (enqueue) =>
      channel.listen((event) => {
        if (predicate(event)) for (const name of handler(event)) enqueue(name);
      }),
  };
}
