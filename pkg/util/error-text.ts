/**
 * The message of an error and of what caused it, unless that is in it already. A bug (TypeError and the like) keeps its stack:
 * nobody expects it, so its message alone says too little.
 */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isBug = error instanceof TypeError || error instanceof ReferenceError;
  const own = isBug ? (error.stack ?? error.message) : error.message;
  if (error.cause === undefined) return own;
  const cause = errorText(error.cause);
  return own.includes(cause) ? own : `${own}: ${cause}`;
}

/** The message of what was thrown, alone: for texts that users read. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
