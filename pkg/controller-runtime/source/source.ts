import type { Informer } from '../cache/informer.ts';
import type { KubeObject, ObjectName } from '../client/object.ts';
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
