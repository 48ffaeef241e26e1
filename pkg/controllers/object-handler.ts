import type { EventHandler } from '../controller-runtime/cache/informer.ts';
import type { KubeObject } from '../controller-runtime/client/object.ts';
import type { KubernetesCache } from '../kubernetes-cache/kubernetes-cache.ts';

/** Writes what happens to objects into the KubernetesCache, which shares them with the informer. Kinds of which every object counts need no more. */
export function objectHandler(cache: Pick<KubernetesCache, 'apply' | 'remove'>): EventHandler<KubeObject> {
  return ({ type, object }) => {
    if (type === 'delete') cache.remove(object.kind, object.metadata.namespace ?? '', object.metadata.name);
    else cache.apply(object);
  };
}
