import type { ObjectName } from '../client/object.ts';

/** How a reconciliation went. */
export interface Result {
  /** Asks to be called again after so many milliseconds. */
  readonly requeueAfterMs?: number;
}

/** Nothing is left to do. */
export const done: Result = {};

/**
 * Brings the world nearer to what an object asks for. Level-based: it gets a name, reads the present state (the object
 * may be gone) and never learns which event woke it. A thrown error is logged and tried again with back-off; a
 * `TerminalError` is logged and not tried again. The same name is never worked on twice at a time.
 */
export type Reconciler = (name: ObjectName, signal: AbortSignal) => Promise<Result>;

/** An error that no retry can mend. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}
