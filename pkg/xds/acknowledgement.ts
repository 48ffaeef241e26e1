import { type SharedBases, SharedMap } from './shared-map.ts';

/** A version of a resource that a client refused. */
export interface Refusal {
  readonly version: string;
  /** The client's words. */
  readonly detail: string;
}

/** A response that the client has not answered yet. */
export interface Pending {
  readonly nonce: string;
  /** The version that names this response, for logs. */
  readonly version: string;
  /** Name to the version sent; `undefined` where the response said that the resource is gone. */
  readonly sent: ReadonlyMap<string, string | undefined>;
}

/** Who is at fault when a response is refused. */
export interface Blame {
  /** Empty: not known yet. */
  readonly blamed: ReadonlySet<string>;
  /** What became of the others, removals among them: the client took them, or they will be sent again. */
  readonly rest: 'accepted' | 'resent';
}

/**
 * What a client has of one resource type on one stream, as far as it told us: per name the version that it accepted, the one on
 * its way and the one that it refused. Mostly one response is on its way; more where a client holds its answers back.
 */
export class Acknowledgements {
  readonly #accepted: SharedMap<string>;
  readonly #refused = new Map<string, Refusal>();
  /** By nonce, in the order in which they were sent. */
  readonly #pending = new Map<string, Pending>();
  #lastNonce = 0;

  /** @param bases what other streams of the type have, to be shared. */
  constructor(bases?: SharedBases<string>) {
    this.#accepted = new SharedMap(bases);
  }

  /** The versions that the client accepted, by name. */
  get accepted(): ReadonlyMap<string, string> {
    return this.#accepted;
  }

  /** The refusals that no newer version has replaced, by name. */
  get refused(): ReadonlyMap<string, Refusal> {
    return this.#refused;
  }

  /** The oldest response without an answer. */
  get pending(): Pending | undefined {
    return this.#pending.values().next().value;
  }

  /** How many responses have no answer yet. */
  get pendingCount(): number {
    return this.#pending.size;
  }

  /** The response of a nonce, as long as it has no answer. */
  pendingOf(nonce: string): Pending | undefined {
    return this.#pending.get(nonce);
  }

  /** Whether a response about this name has no answer yet. */
  isPending(name: string): boolean {
    return this.#pending.values().some(({ sent }) => sent.has(name));
  }

  /**
   * The version that the client was told last, accepted or not; `undefined` if it was told none, or that there is none.
   * A refused version counts, so that it is not sent again and again.
   */
  told(name: string): string | undefined {
    const about = [...this.#pending.values()].findLast(({ sent }) => sent.has(name));
    if (about !== undefined) return about.sent.get(name);
    return this.#refused.get(name)?.version ?? this.#accepted.get(name);
  }

  /** Every name that the client may have: accepted, refused or on its way. */
  knownNames(): Set<string> {
    const pending = this.#pending.values().flatMap(({ sent }) => sent.keys());
    return new Set([...this.#accepted.keys(), ...this.#refused.keys(), ...pending]);
  }

  /** Notes versions that the client brought along from an earlier stream. */
  restore(versions: ReadonlyMap<string, string>): void {
    this.#accepted.change(versions);
  }

  /** Notes a response and gives its nonce, which is unique on this stream and type. */
  send(version: string, sent: ReadonlyMap<string, string | undefined>): string {
    this.#lastNonce += 1;
    const nonce = String(this.#lastNonce);
    this.#pending.set(nonce, { nonce, version, sent });
    return nonce;
  }

  /** The nonce of the last response; `''` before the first. */
  get lastNonce(): string {
    return this.#lastNonce === 0 ? '' : String(this.#lastNonce);
  }

  /** Whether a nonce was ever given out here. */
  issued(nonce: string): boolean {
    const number = Number(nonce);
    return String(number) === nonce && Number.isInteger(number) && number >= 1 && number <= this.#lastNonce;
  }

  /** The client accepted a pending response. */
  accept(nonce: string): void {
    this.#accept(this.#take(nonce));
  }

  /** The client refused a pending response. Where its resources will be sent again, what the client had of them before stands. */
  refuse(nonce: string, { blamed, rest }: Blame, detail: string): void {
    const others: [name: string, version: string | undefined][] = [];
    for (const [name, version] of this.#take(nonce)) {
      if (version !== undefined && blamed.has(name)) this.#refused.set(name, { version, detail });
      else others.push([name, version]);
    }
    if (rest === 'accepted') this.#accept(others);
  }

  /** The client dropped these resources. One that is on its way still arrives, and counts if the client wants it again by then. */
  forget(names: readonly string[]): void {
    this.#accepted.change(names.map((name) => [name, undefined]));
    for (const name of names) this.#refused.delete(name);
  }

  #accept(answered: Iterable<readonly [name: string, version: string | undefined]>): void {
    this.#accepted.change(answered);
    if (this.#refused.size > 0) for (const [name] of answered) this.#refused.delete(name);
  }

  #take(nonce: string): ReadonlyMap<string, string | undefined> {
    const sent = this.#pending.get(nonce)?.sent ?? new Map<string, string | undefined>();
    this.#pending.delete(nonce);
    return sent;
  }
}
