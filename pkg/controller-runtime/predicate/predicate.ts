import { deepEqual } from '../../util/deep-equal.ts';
import type { KubeObject } from '../client/object.ts';
import type { WatchEvent } from '../event/event.ts';

/** Says whether an event may wake a controller. It sees events only: what the cache keeps is set elsewhere. */
export type Predicate<T extends KubeObject> = (event: WatchEvent<T>) => boolean;

/** Passes what all of them pass. */
export const and =
  <T extends KubeObject>(...all: readonly Predicate<T>[]): Predicate<T> =>
  (event) =>
    all.every((predicate) => predicate(event));

/** Passes what one of them passes. */
export const or =
  <T extends KubeObject>(...any: readonly Predicate<T>[]): Predicate<T> =>
  (event) =>
    any.some((predicate) => predicate(event));

/** Passes what the other does not. */
export const not =
  <T extends KubeObject>(predicate: Predicate<T>): Predicate<T> =>
  (event) =>
    !predicate(event);

/**
 * Passes updates that touch the spec or the annotations, and every other event.
 * Status-only writes do not raise `metadata.generation`, so a controller's own status writes do not wake it.
 */
export const specOrAnnotationsChanged: Predicate<KubeObject> = (event) =>
  event.type !== 'update' ||
  event.old.metadata.generation !== event.object.metadata.generation ||
  !deepEqual(event.old.metadata.annotations, event.object.metadata.annotations);
