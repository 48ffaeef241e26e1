import type { KubeObject } from '../client/object.ts';

/** What happened to an object. A deletion that was missed while the watch was cut is told with the last version known. */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'add'; readonly object: T }
  | { readonly type: 'update'; readonly object: T; readonly old: T }
  | { readonly type: 'delete'; readonly object: T };

/** Something that no watch tells, such as a call from outside of the cluster that is about an object. */
export interface GenericEvent<T extends KubeObject = KubeObject> {
  readonly type: 'generic';
  readonly object: T;
}

/** Everything that may wake a controller. */
export type Event<T extends KubeObject = KubeObject> = WatchEvent<T> | GenericEvent<T>;
