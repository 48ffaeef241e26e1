import { type KubeObject, nameOf, type ObjectName, type ResourceKind } from '../client/object.ts';
import type { Event } from '../event/event.ts';
import { ownersOf } from './owners.ts';

/** The objects to reconcile because of an event. */
export type Handler<T extends KubeObject> = (event: Event<T>) => readonly ObjectName[];

/** The object itself. */
export const enqueueObject: Handler<KubeObject> = (event) => [nameOf(event.object)];

/** What `map` names for the object; an update asks for both versions, so that what the old one named wakes too. */
export function enqueueMapped<T extends KubeObject>(map: (object: T) => readonly ObjectName[]): Handler<T> {
  return (event) => (event.type === 'update' ? [...map(event.old), ...map(event.object)] : map(event.object));
}

export interface OwnerOptions {
  /** True: owners that do not manage the object count as well. Default: only the one that has `controller: true`. */
  readonly everyOwner?: boolean;
}

/** The owners of the object that are of a kind, in whatever version; an update asks for both versions. */
export function enqueueOwner(owner: ResourceKind, { everyOwner = false }: OwnerOptions = {}): Handler<KubeObject> {
  return enqueueMapped((object) =>
    ownersOf(object, owner)
      .filter(({ controller }) => everyOwner || controller === true)
      .map(({ name }) => ({ namespace: owner.namespaced ? (object.metadata.namespace ?? '') : '', name })),
  );
}
