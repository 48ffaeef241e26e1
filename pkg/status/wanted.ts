import type { ObjectRef } from '../apis/meta.ts';

/**
 * The status that an object should have. Conditions lack `lastTransitionTime`: the writer, who knows the time and
 * what is there now, adds it. Fields that are absent here belong to somebody else and are left alone.
 */
export interface WantedStatus {
  readonly object: ObjectRef;
  /** The generation that the status speaks of. */
  readonly generation: number;
  /** What goes to the `status` subresource. */
  readonly status: Readonly<Record<string, unknown>>;
}
