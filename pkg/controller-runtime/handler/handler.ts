import { type KubeObject, nameOf, type ObjectName } from '../client/object.ts';
import type { WatchEvent } from '../event/event.ts';

/** The objects to reconcile because of an event. */
export type Handler<T extends KubeObject> = (event: WatchEvent<T>) => readonly ObjectName[];

/** The object itself. */
export const enqueueObject: Handler<KubeObject> = (event) => [nameOf(event.object)];

/** What `map` names for the object; an update asks for both versions, so that what the old one named wakes too. */
export function enqueueMapped<T extends KubeObject>(map: (object: T) => readonly ObjectName[]): Handler<T> {
  return (event) => (event.type === 'update' ? [...map(event.old), ...map(event.object)] : map(event.object));
}
