/** The part of a process that is listened to. */
export interface SignalSource {
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  exit(code: number): unknown;
}

/**
 * Aborts when the process is asked to end (SIGTERM, or SIGINT from a terminal); a second request ends it at once, with
 * code 1. Call it once, with `process`.
 */
export function stopSignal(source: SignalSource): AbortSignal {
  const stop = new AbortController();
  const ask = () => {
    if (stop.signal.aborted) source.exit(1);
    stop.abort();
  };
  source.on('SIGINT', ask);
  source.on('SIGTERM', ask);
  return stop.signal;
}
