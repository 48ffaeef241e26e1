import { type SharedBases, SharedMap } from './shared-map.ts';

/** The name that stands for every resource of a type. */
export const wildcardName = '*';

/** A set of names that is read only. */
export interface Names extends Iterable<string> {
  readonly size: number;
  has(name: string): boolean;
}

/** What a request did to a subscription. */
export interface SubscriptionChange {
  /** Names that must be answered now, even if the client is known to have them. */
  readonly answer: readonly string[];
  /** The client asks for everything now, and did not just before. */
  readonly answerAll: boolean;
  /** Names that the client gave up, and whose state it drops. */
  readonly forget: readonly string[];
  /** The client gave up the wildcard: what it does not name, it drops. */
  readonly forgetUnnamed: boolean;
}

/**
 * What a client wants of one resource type on one stream.
 * @see https://www.envoyproxy.io/docs/envoy/latest/api-docs/xds_protocol#how-the-client-specifies-what-resources-to-return
 */
export class Subscription {
  readonly #names: SharedMap<true>;
  #started = false;
  /** Asked for by an empty first request; in the state-of-the-world protocol it ends when names are given. */
  #legacyWildcard = false;
  #explicitWildcard = false;

  /** @param bases what is asked for on other streams of the type, to be shared. */
  constructor(bases?: SharedBases<true>) {
    this.#names = new SharedMap(bases);
  }

  /** Names asked for one by one; the wildcard is not among them. */
  get names(): Names {
    const names = this.#names;
    return { size: names.size, has: (name) => names.has(name), [Symbol.iterator]: () => names.keys() };
  }

  get wildcard(): boolean {
    return this.#legacyWildcard || this.#explicitWildcard;
  }

  wants(name: string): boolean {
    return this.wildcard || this.#names.has(name);
  }

  /**
   * Applies one request of the delta protocol. A name in both lists counts as subscribed: answering once too often is
   * harmless, never answering is not.
   */
  applyDelta(subscribe: readonly string[], unsubscribe: readonly string[]): SubscriptionChange {
    const before = this.wildcard;
    if (!this.#started && subscribe.length === 0) this.#legacyWildcard = true;
    this.#started = true;

    const given = new Set<string>();
    for (const name of unsubscribe) {
      if (name === wildcardName) this.#legacyWildcard = this.#explicitWildcard = false;
      else if (this.#names.has(name)) given.add(name);
    }
    this.#names.change(Array.from(given, (name) => [name, undefined]));
    const answer = subscribe.filter((name) => name !== wildcardName);
    const again = answer.length < subscribe.length;
    if (again) this.#explicitWildcard = true;
    this.#names.change(answer.map((name) => [name, true]));
    // The client may have dropped what it gave up by name, so a wildcard that covers it must bring it back.
    const covered = [...given].filter((name) => this.wildcard && !this.#names.has(name));
    return {
      answer: [...answer, ...covered],
      answerAll: again || (this.wildcard && !before),
      forget: [...given].filter((name) => !this.wants(name)),
      forgetUnnamed: before && !this.wildcard,
    };
  }

  /** Applies the whole list of names that a request of the state-of-the-world protocol carries. */
  applySotw(names: readonly string[]): SubscriptionChange {
    const before = this.wildcard;
    if (!this.#started && names.length === 0) this.#legacyWildcard = true;
    if (names.length > 0) this.#legacyWildcard = false;
    this.#started = true;

    const wanted = new Set(names);
    this.#explicitWildcard = wanted.delete(wildcardName);
    const answer = [...wanted].filter((name) => !this.#names.has(name));
    const gone = [...this.#names.keys()].filter((name) => !wanted.has(name));
    this.#names.change([...gone.map((name) => [name, undefined] as const), ...answer.map((name) => [name, true] as const)]);
    return {
      answer,
      answerAll: this.wildcard && !before,
      forget: gone.filter((name) => !this.wants(name)),
      forgetUnnamed: before && !this.wildcard,
    };
  }
}
