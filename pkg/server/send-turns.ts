/** How many bytes of large responses may be on their way at once, over all streams, before further ones wait. */
const defaultMaxBytes = 8 * 1024 * 1024;
/** How long a stream that does not take its response counts. One that does not read must not make others wait. */
const defaultTurnMs = 500;

export interface SendTurnsOptions {
  /** Default 8 MiB. */
  readonly maxBytes?: number;
  /** In milliseconds. Default 500. */
  readonly turnMs?: number;
}

/**
 * Whose turn it is to be sent a large response. When many proxies come at once, each would have a copy of all that there is in a buffer;
 * so they are served one after the other, in the order in which they asked, as fast as they take it.
 */
export class SendTurns {
  readonly #maxBytes: number;
  readonly #turnMs: number;
  readonly #queue = new Map<object, { readonly bytes: number; readonly begin: (done: () => void) => void }>();
  #bytes = 0;
  #beginning = false;

  constructor({ maxBytes = defaultMaxBytes, turnMs = defaultTurnMs }: SendTurnsOptions = {}) {
    this.#maxBytes = maxBytes;
    this.#turnMs = turnMs;
  }

  /**
   * Calls `begin` when it is this one's turn, at once if nobody is in the way. Each waits for one turn at a time.
   *
   * @param begin is given what to call, once, when the bytes are out.
   */
  take(who: object, bytes: number, begin: (done: () => void) => void): void {
    this.#queue.set(who, { bytes, begin });
    this.#next();
  }

  /** This one waits no longer. */
  leave(who: object): void {
    this.#queue.delete(who);
  }

  #next(): void {
    // Who begins may be done at once, or take the next turn; the loop sees to what comes of that.
    if (this.#beginning) return;
    this.#beginning = true;
    for (const [who, { bytes, begin }] of this.#queue) {
      if (this.#bytes > 0 && this.#bytes + bytes > this.#maxBytes) break;
      this.#queue.delete(who);
      begin(this.#turn(bytes));
    }
    this.#beginning = false;
  }

  /** Counts bytes until what it gives is called, or they have taken too long. */
  #turn(bytes: number): () => void {
    let over = false;
    const end = (): void => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      this.#bytes -= bytes;
      this.#next();
    };
    const timer = setTimeout(end, this.#turnMs);
    this.#bytes += bytes;
    return end;
  }
}
