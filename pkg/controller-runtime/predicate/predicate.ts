import { deepEqual } from '../../util/deep-equal.ts';
import { parseLabelSelector } from '../client/label-selector.ts';
import type { KubeObject } from '../client/object.ts';
import type { Event } from '../event/event.ts';

/** Says whether an event may wake a controller. It sees events only: what the cache keeps is set elsewhere. */
export type Predicate<T extends KubeObject> = (event: Event<T>) => boolean;

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

/** Passes updates between versions of which the function says true, and every other event. */
function updates(changed: (old: KubeObject, now: KubeObject) => boolean): Predicate<KubeObject> {
  return (event) => event.type !== 'update' || changed(event.old, event.object);
}

/**
 * Passes updates that raise `metadata.generation`: changes of the spec, and a deletion that waits for finalizers. Not
 * for kinds that have no generation, such as ConfigMap and Secret: no update of theirs passes. It drops resyncs, too.
 */
export const generationChanged: Predicate<KubeObject> = updates(
  (old, now) => old.metadata.generation !== now.metadata.generation || old.metadata.deletionTimestamp !== now.metadata.deletionTimestamp,
);

/** Passes updates that touch annotations. */
export const annotationsChanged: Predicate<KubeObject> = updates(
  (old, now) => !deepEqual(old.metadata.annotations, now.metadata.annotations),
);

/** Passes updates that touch labels. */
export const labelsChanged: Predicate<KubeObject> = updates((old, now) => !deepEqual(old.metadata.labels, now.metadata.labels));

/** Passes every update but resyncs. */
export const resourceVersionChanged: Predicate<KubeObject> = updates(
  (old, now) => old.metadata.resourceVersion !== now.metadata.resourceVersion,
);

/**
 * Passes updates that touch the spec or the annotations, and every other event.
 * Status-only writes do not raise `metadata.generation`, so a controller's own status writes do not wake it.
 */
export const specOrAnnotationsChanged: Predicate<KubeObject> = or(generationChanged, annotationsChanged);

/**
 * Passes objects whose labels match a selector, and updates of which one version does: so the controller learns of an
 * object that no longer matches.
 * @throws {RangeError} naming the term of the selector that is none
 */
export function labelsMatch(selector: string): Predicate<KubeObject> {
  const matches = parseLabelSelector(selector);
  return (event) => matches(event.object.metadata.labels) || (event.type === 'update' && matches(event.old.metadata.labels));
}
