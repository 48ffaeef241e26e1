/** Time, as a dependency: tests bring their own. */
export interface Clock {
  /** Milliseconds that only ever grow, whatever happens to the machine's date. */
  monotonicMs(): number;
  /** The date, for what other machines read. */
  date(): Date;
  /** Resolves after `delayMs`, or as soon as the signal aborts: it never rejects. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's clock. A sleep does not keep the process alive by itself. */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  date: () => new Date(),
  sleep: (delayMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) {
        resolve();
        return;
      }
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, delayMs);
      signal?.addEventListener('abort', done, { once: true });
    }),
};
