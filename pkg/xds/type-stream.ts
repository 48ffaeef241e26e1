import {
  type ConfigSourceKind,
  type EncodedResource,
  type Resource,
  type SnapshotView,
  type TypeUrl,
  typeUrls,
} from '../xdscache/resource.ts';
import { Acknowledgements, type Blame, type Pending } from './acknowledgement.ts';
import { SharedBases } from './shared-map.ts';
import { Subscription, type SubscriptionChange } from './subscription.ts';

/** What a client says about the last response: absent in a plain request and in an acknowledgement. */
export interface ErrorDetail {
  /** A gRPC status code. */
  readonly code: number;
  readonly message: string;
}

/** A resource in a response. */
export interface SentResource {
  readonly name: string;
  readonly encoded: EncodedResource;
}

/** A response of either protocol, before it is serialised. */
export interface Response {
  readonly type: TypeUrl;
  readonly nonce: string;
  readonly version: string;
  readonly resources: readonly SentResource[];
  /** Those of `resources` that the client does not have already. */
  readonly news: readonly SentResource[];
  /** Names that are gone or never were. The state-of-the-world protocol cannot say them. */
  readonly removed: readonly string[];
}

/** What a request turned out to be. */
export type Answer =
  /** It only says what the client wants. */
  | { readonly kind: 'request' }
  /** It answers a response that is not the latest one. What it subscribes to counts in the delta protocol only. */
  | { readonly kind: 'stale' }
  | Accepted
  | Refused
  /** It breaks the protocol: the stream cannot go on. */
  | { readonly kind: 'invalid'; readonly message: string };

export interface Accepted {
  readonly kind: 'accepted';
  readonly nonce: string;
  readonly version: string;
  readonly names: readonly string[];
  /** What the response said: name to version, `undefined` where the resource is gone. */
  readonly sent: ReadonlyMap<string, string | undefined>;
}

export interface Refused {
  readonly kind: 'refused';
  readonly nonce: string;
  readonly version: string;
  readonly error: ErrorDetail;
  /** What the refused response carried and may be at fault. */
  readonly names: readonly string[];
  /** What the response said: name to version, `undefined` where the resource is gone. */
  readonly sent: ReadonlyMap<string, string | undefined>;
  /** The resources will be sent again in smaller responses, to find the one at fault. */
  readonly searching: boolean;
}

/**
 * What a response may carry: everything that is due; everything but removals, which come last; or what was set aside by
 * `stage`, as it was then.
 */
export type Part = 'all' | 'additions' | 'staged';

/** What a stream of one type is about. */
export interface TypeStreamOptions {
  readonly type: TypeUrl;
  readonly source: ConfigSourceKind;
  readonly view: SnapshotView;
}

/**
 * One resource type on one stream, for both protocols: what the client wants, what it has and which names have to be looked at.
 * Names only are kept while a client is slow, so it gets the newest state and never a queue of old ones.
 */
export abstract class TypeStream {
  readonly type: TypeUrl;
  readonly subscription: Subscription;
  readonly acknowledgements: Acknowledgements;
  /** Names whose resource may differ from what the client was told. */
  protected readonly dirty = new Set<string>();
  /** Those of `dirty` and `staged` that are answered even if they do not differ. */
  protected readonly forced = new Set<string>();
  protected readonly staged = new Map<string, Resource | undefined>();
  /** Resources that have gone from the view, but that what is staged needs. */
  #kept: ReadonlyMap<string, Resource> = new Map();
  /** Responses may be sent although earlier ones have no answer. The state-of-the-world protocol has no use for it. */
  overtake = false;
  /** A response is due even if nothing goes into it. */
  protected owesResponse = false;
  protected started = false;
  /** Whether a name was asked for that is not in lower case. */
  #mixedCase = false;
  protected readonly source: ConfigSourceKind;
  protected readonly view: SnapshotView;

  constructor(options: TypeStreamOptions) {
    const { type, source, view } = options;
    this.type = type;
    this.source = source;
    this.view = view;
    const { versions, names } = basesOf(options);
    this.acknowledgements = new Acknowledgements(versions);
    this.subscription = new Subscription(names);
  }

  /** Gives the next response that is due, and notes it as sent; none while one is not answered yet, if it may not `overtake`. */
  abstract next(part: Part): Response | undefined;

  /** Says which resources of a refused response are at fault. */
  protected abstract blame(suspects: readonly string[], error: ErrorDetail): Blame;

  /** Whether the client has taken the newest of a name. */
  hasTaken(name: string): boolean {
    return this.acknowledgements.accepted.has(name) && !this.dirty.has(name) && !this.acknowledgements.isPending(name);
  }

  get hasStaged(): boolean {
    return this.staged.size > 0;
  }

  /** Whether something may have to be sent, now or when the pending response is answered. */
  get hasWork(): boolean {
    return this.dirty.size > 0 || this.staged.size > 0 || this.owesResponse;
  }

  /** The resources of these names may have changed. */
  mark(names: Iterable<string>): void {
    if (this.type === typeUrls.secret) this.#markAsked([...names]);
    else for (const name of names) if (this.subscription.wants(name)) this.dirty.add(name);
  }

  /** These names are to be answered, changed or not, as far as the client wants them. */
  force(names: Iterable<string>): void {
    for (const name of names) {
      if (!this.subscription.wants(name)) continue;
      this.dirty.add(name);
      this.forced.add(name);
      if (name !== name.toLowerCase()) this.#mixedCase = true;
    }
  }

  /** Secrets are also asked for by server names: as clients spell them, and below wildcards. */
  #markAsked(changed: readonly string[]): void {
    for (const name of changed) if (this.subscription.wants(name)) this.dirty.add(name);
    const suffixes = changed.filter((name) => name.startsWith('*')).map((name) => name.slice(1));
    if (suffixes.length === 0 && !this.#mixedCase) return;
    const exact = new Set(changed);
    for (const name of this.subscription.names) {
      const host = name.toLowerCase();
      if (exact.has(host) || suffixes.some((suffix) => host.endsWith(suffix))) this.dirty.add(name);
    }
  }

  /** Whether something is due that the client does not have yet, or has in another version. */
  get hasAdditions(): boolean {
    for (const name of this.dirty) {
      const version = this.look(name)?.encoded(this.source).version;
      if (version !== undefined && this.subscription.wants(name) && version !== this.acknowledgements.told(name)) return true;
    }
    return false;
  }

  /** Sets aside what is due, in its present state, to be sent as `staged` whatever changes until then. */
  stage(): void {
    for (const name of this.dirty) this.staged.set(name, this.view.get(this.type, name));
    this.dirty.clear();
  }

  /** Gives up what was staged: the names are due in their newest state again. */
  release(): void {
    for (const name of this.staged.keys()) this.dirty.add(name);
    this.staged.clear();
  }

  /** Serves these although they may have gone from the view, until this is called again: then it is due to say that they have. */
  keep(resources: ReadonlyMap<string, Resource>): void {
    const before = this.#kept;
    this.#kept = resources;
    this.mark([...before.keys()].filter((name) => !resources.has(name) && this.look(name) === undefined));
  }

  /** What is to be sent of a name: the newest, or what is kept of one that has gone. */
  protected look(name: string): Resource | undefined {
    return this.view.get(this.type, name) ?? this.#kept.get(name);
  }

  /** Reads what a request says about a response: accepted, refused, or nothing. */
  protected answer(nonce: string, error: ErrorDetail | undefined): Answer {
    // A nonce in the first request is left over from another stream.
    if (nonce === '' || !this.started) return { kind: 'request' };
    if (!this.acknowledgements.issued(nonce)) {
      return { kind: 'invalid', message: `response_nonce ${JSON.stringify(nonce)} was never sent on this stream` };
    }
    const pending = this.acknowledgements.pendingOf(nonce);
    if (pending === undefined && nonce !== this.acknowledgements.lastNonce) return { kind: 'stale' };
    // Answered before: the state-of-the-world protocol repeats the nonce with each change of the subscription.
    if (pending === undefined) return { kind: 'request' };
    const answer = error === undefined ? this.#accepted(pending) : this.#refused(pending, error);
    // What a client gave up before a response arrived, it did not take from it.
    this.forgetUnwanted(pending.sent.keys());
    return answer;
  }

  #accepted({ nonce, version, sent }: Pending): Answer {
    this.acknowledgements.accept(nonce);
    return { kind: 'accepted', nonce, version, names: [...sent.keys()], sent };
  }

  #refused({ nonce, version, sent }: Pending, error: ErrorDetail): Answer {
    const names = [...sent.keys()];
    const suspects = names.filter((name) => sent.get(name) !== undefined);
    const blame = this.blame(suspects, error);
    const { blamed, rest } = blame;
    this.acknowledgements.refuse(nonce, blame, error.message);
    if (rest === 'resent') this.force(names.filter((name) => sent.get(name) === undefined));
    const searching = blamed.size === 0 && suspects.length > 0;
    return { kind: 'refused', nonce, version, error, names: searching ? suspects : [...blamed], sent, searching };
  }

  protected forget(change: SubscriptionChange): void {
    const names = change.forgetUnnamed ? this.acknowledgements.knownNames() : change.forget;
    for (const name of this.forgetUnwanted(new Set([...names, ...change.forget]))) {
      this.settle(name, 'staged');
      this.settle(name, 'all');
    }
  }

  /** Gives those of the names that the client does not want, and so has not. */
  protected forgetUnwanted(names: Iterable<string>): readonly string[] {
    if (this.subscription.wildcard) return [];
    const unwanted = Array.from(names).filter((name) => !this.subscription.wants(name));
    this.acknowledgements.forget(unwanted);
    return unwanted;
  }

  /** What was due for a name is on its way. A change after the staging is still due when the staged one was sent. */
  protected settle(name: string, part: Part): void {
    this.forced.delete(name);
    if (part === 'staged') this.staged.delete(name);
    else this.dirty.delete(name);
  }

  protected allNames(): Iterable<string> {
    return this.view.all(this.type).keys();
  }
}

/** What streams of one type have in common. */
interface TypeBases {
  readonly versions: SharedBases<string>;
  readonly names: SharedBases<true>;
  /** Used by the state-of-the-world protocol only. */
  readonly resources: SharedBases<EncodedResource>;
}

const basesOfViews = new WeakMap<SnapshotView, Map<string, TypeBases>>();

/** What streams share that are about the same. */
export function basesOf({ type, source, view }: TypeStreamOptions): TypeBases {
  const types = basesOfViews.getOrInsertComputed(view, () => new Map<string, TypeBases>());
  const bases = { versions: new SharedBases<string>(), names: new SharedBases<true>(), resources: new SharedBases<EncodedResource>() };
  return types.getOrInsertComputed(`${source} ${type}`, () => bases);
}
