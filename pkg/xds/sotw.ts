import { type EncodedResource, type Resource, type TypeUrl, typeUrls } from '../xdscache/resource.ts';
import type { Blame } from './acknowledgement.ts';
import { SharedMap } from './shared-map.ts';
import {
  type Answer,
  basesOf,
  type ErrorDetail,
  type Part,
  type Response,
  type SentResource,
  TypeStream,
  type TypeStreamOptions,
} from './type-stream.ts';
import { setVersion } from './version.ts';

/** A request of the state-of-the-world protocol, decoded. */
export interface SotwRequest {
  /** Every name that the client wants; empty at first means all. */
  readonly names: readonly string[];
  readonly nonce: string;
  readonly error?: ErrorDetail;
}

/**
 * Types where a resource that a response leaves out is gone for the client.
 * For scopes the protocol text does not say so, but Envoy's `ScopedRdsConfigSubscription` acts so.
 */
const fullStateTypes: ReadonlySet<TypeUrl> = new Set([typeUrls.cluster, typeUrls.listener, typeUrls.scopedRoute]);

/**
 * One resource type on a state-of-the-world stream. Clusters, listeners and scopes, and every type asked for by wildcard, are
 * sent as a whole; of the rest only what was asked for and changed.
 */
export class SotwTypeStream extends TypeStream {
  /** What the client was sent last. A whole that is sent in parts needs the old state of what is not due yet. */
  readonly #last: SharedMap<EncodedResource>;

  constructor(options: TypeStreamOptions) {
    super(options);
    this.#last = new SharedMap(basesOf(options).resources);
  }

  /** Takes a request in. What is due by it comes out of `next`. */
  request(request: SotwRequest): Answer {
    const answer = this.answer(request.nonce, request.error);
    // The client sends its names again after the response that it has not seen yet, so these do not count.
    if (answer.kind === 'invalid' || answer.kind === 'stale') return answer;
    this.started = true;
    const change = this.subscription.applySotw(request.names);
    this.forget(change);
    if (change.forgetUnnamed || change.forget.length > 0) this.#dropUnwanted();
    this.force(change.answer);
    if (change.answerAll) {
      this.mark(this.acknowledgements.knownNames());
      this.mark(this.allNames());
      this.owesResponse = true;
    }
    return answer;
  }

  next(part: Part): Response | undefined {
    if (this.acknowledgements.pending !== undefined) return undefined;
    const { news, gone } = this.#takeDue(part);
    this.#last.change([...news.map(({ name, encoded }) => [name, encoded] as const), ...gone.map((name) => [name, undefined] as const)]);
    if (news.length > 0 || this.owesResponse || (this.#whole && gone.length > 0)) return this.#send(news, gone);
    // That these are gone cannot be said.
    this.acknowledgements.forget(gone);
    return undefined;
  }

  /** Envoy names the clusters and listeners that it refuses and takes the others. */
  protected override blame(suspects: readonly string[], error: ErrorDetail): Blame {
    const named = suspects.filter((name) => mentions(error.message, name));
    return { blamed: new Set(named.length > 0 ? named : suspects), rest: 'accepted' };
  }

  get #whole(): boolean {
    return this.subscription.wildcard || fullStateTypes.has(this.type);
  }

  #takeDue(part: Part): { readonly news: readonly SentResource[]; readonly gone: readonly string[] } {
    const news: SentResource[] = [];
    const gone: string[] = [];
    for (const name of part === 'staged' ? [...this.staged.keys()] : this.dirty) {
      const due = this.#due(name, part);
      if (due === 'later') continue;
      this.settle(name, part);
      if (due === 'gone') gone.push(name);
      else if (due !== 'nothing') news.push(due);
    }
    return { news, gone };
  }

  #due(name: string, part: Part): SentResource | 'gone' | 'later' | 'nothing' {
    if (!this.subscription.wants(name)) return 'nothing';
    const resource: Resource | undefined = part === 'staged' ? this.staged.get(name) : this.look(name);
    if (resource === undefined) {
      if (this.#last.has(name)) return part === 'additions' ? 'later' : 'gone';
      // That a name is missing can be shown only by a whole without it.
      if (this.#whole && this.forced.has(name)) this.owesResponse = true;
      return 'nothing';
    }
    const encoded = resource.encoded(this.source);
    const known = this.#last.has(name) && encoded.version === this.acknowledgements.told(name);
    const must = this.forced.has(name) || !known;
    return must ? { name, encoded } : 'nothing';
  }

  #send(news: readonly SentResource[], gone: readonly string[]): Response {
    this.owesResponse = false;
    const resources = this.#whole ? Array.from(this.#last, ([name, encoded]) => ({ name, encoded })) : news;
    const sent = new Map<string, string | undefined>();
    for (const { name, encoded } of news) sent.set(name, encoded.version);
    for (const name of gone) sent.set(name, undefined);
    const version = setVersion(resources);
    const nonce = this.acknowledgements.send(version, sent);
    return { type: this.type, nonce, version, resources, news, removed: [] };
  }

  #dropUnwanted(): void {
    const unwanted = [...this.#last.keys()].filter((name) => !this.subscription.wants(name));
    this.#last.change(unwanted.map((name) => [name, undefined]));
  }
}

/** Whether a text has a name in it that is not part of a longer one. */
function mentions(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const around = text.slice(Math.max(0, at - 1), at) + text.slice(at + name.length, at + name.length + 1);
    if (!/[\w/.-]/.test(around.replace(/\.$/, ''))) return true;
  }
  return false;
}
