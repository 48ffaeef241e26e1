import type { Resource } from '../xdscache/resource.ts';
import type { Blame } from './acknowledgement.ts';
import { type Answer, type ErrorDetail, type Part, type Response, type SentResource, TypeStream } from './type-stream.ts';

/** A request of the delta protocol, decoded. */
export interface DeltaRequest {
  readonly subscribe: readonly string[];
  readonly unsubscribe: readonly string[];
  /** What the client has from an earlier stream; counts in the first request of the type only. */
  readonly initialVersions: ReadonlyMap<string, string>;
  readonly nonce: string;
  readonly error?: ErrorDetail;
}

/**
 * How many refusals in a row are followed up by smaller responses. Twice what one bad resource among 2^30 needs; a client that
 * refuses everything is left alone after them.
 */
const maxSearches = 60;

/** How many responses may be without an answer where they overtake. */
const maxPending = 1_000;

/** One resource type on a delta stream: only differences are sent, and absence can be said. */
export class DeltaTypeStream extends TypeStream {
  /** Groups of names to be sent in a response of their own, because a larger one was refused. */
  #suspects: (readonly string[])[] = [];
  #searches = 0;

  /** Takes a request in. What is due by it comes out of `next`. */
  request(request: DeltaRequest): Answer {
    const answer = this.answer(request.nonce, request.error);
    if (answer.kind === 'invalid') return answer;
    if (answer.kind === 'accepted' && this.#suspects.length === 0) this.#searches = 0;

    const brought = this.started ? new Map<string, string>() : request.initialVersions;
    this.started = true;
    this.acknowledgements.restore(brought);
    const change = this.subscription.applyDelta(request.subscribe, request.unsubscribe);
    this.forgetUnwanted(brought.keys());
    this.forget(change);

    this.mark(brought.keys());
    // A client that comes back gets only what differs from what it brought.
    this.mark(change.answer);
    this.force(change.answer.filter((name) => !brought.has(name)));
    if (change.answerAll) {
      this.mark(this.acknowledgements.knownNames());
      this.mark(this.allNames());
      // Envoy waits for an answer before it goes on starting, even if there is nothing.
      this.owesResponse = brought.size === 0;
    }
    return answer;
  }

  override get hasWork(): boolean {
    return super.hasWork || this.#suspects.length > 0;
  }

  next(part: Part): Response | undefined {
    if (this.acknowledgements.pendingCount >= (this.overtake ? maxPending : 1)) return undefined;
    if (part === 'staged') {
      return this.#response([...this.staged.keys()], { look: (name) => this.staged.get(name), part, resend: false });
    }
    const look = (name: string): Resource | undefined => this.look(name);
    for (let group = this.#suspects.shift(); group !== undefined; group = this.#suspects.shift()) {
      const response = this.#response(group, { look, part: 'all', resend: true });
      if (response !== undefined) return response;
    }
    return this.#response(this.dirty, { look, part, resend: false });
  }

  protected override blame(suspects: readonly string[]): Blame {
    if (suspects.length === 0) return { blamed: new Set(), rest: 'accepted' };
    this.#searches += 1;
    if (suspects.length <= 1 || this.#searches > maxSearches) return { blamed: new Set(suspects), rest: 'resent' };
    const middle = Math.ceil(suspects.length / 2);
    this.#suspects.unshift(suspects.slice(0, middle), suspects.slice(middle));
    return { blamed: new Set(), rest: 'resent' };
  }

  #response(names: Iterable<string>, how: HowToSend): Response | undefined {
    const resources: SentResource[] = [];
    const removed: string[] = [];
    for (const name of names) {
      const due = this.#due(name, how);
      if (due === 'later') continue;
      this.settle(name, how.part);
      if (due === 'removed') removed.push(name);
      else if (due !== 'nothing') resources.push(due);
    }
    if (resources.length === 0 && removed.length === 0 && !this.owesResponse) return undefined;
    this.owesResponse = false;

    const sent = new Map<string, string | undefined>();
    for (const { name, encoded } of resources) sent.set(name, encoded.version);
    for (const name of removed) sent.set(name, undefined);
    const version = String(this.view.sequence);
    const nonce = this.acknowledgements.send(version, sent);
    return { type: this.type, nonce, version, resources, news: resources, removed };
  }

  #due(name: string, { look, part, resend }: HowToSend): SentResource | 'removed' | 'later' | 'nothing' {
    if (!this.subscription.wants(name)) return 'nothing';
    const must = resend || this.forced.has(name);
    const told = this.acknowledgements.told(name);
    const resource = look(name);
    if (resource === undefined) {
      if (must) return 'removed';
      if (told === undefined) return 'nothing';
      return part === 'additions' ? 'later' : 'removed';
    }
    const encoded = resource.encoded(this.source);
    return must || encoded.version !== told ? { name, encoded } : 'nothing';
  }
}

interface HowToSend {
  readonly look: (name: string) => Resource | undefined;
  readonly part: Part;
  /** Whether to send what the client was told already. */
  readonly resend: boolean;
}
