import type { Resource, TypeUrl } from '../resource.ts';
import type { DistrustedProxy, Refusal } from './refusal.ts';

/** A refusal that nothing is made of until its proxy has accepted something. */
export interface Unjudged {
  readonly refusal: Refusal;
  readonly resource: Resource;
  readonly version: string;
}

interface Witness {
  /** Types of which the proxy accepted a resource. */
  readonly accepted: Set<TypeUrl>;
  readonly refusedOfType: Map<TypeUrl, number>;
  unjudged: Unjudged[];
  distrusted?: DistrustedProxy;
}

/** A proxy that has refused more resources of a type, and accepted none, has something against the type. */
const maxRefusedOfType = 8;

/**
 * Which proxies' refusals count for others, by stream. One that has accepted nothing is heard later, if ever; one that refuses all of a
 * type, what others accept, or what it had accepted before, only says something about itself.
 */
export class Credibility {
  readonly #witnesses = new Map<object, Witness>();

  get distrusted(): readonly DistrustedProxy[] {
    return [...this.#witnesses.values()].flatMap(({ distrusted }) => (distrusted === undefined ? [] : [distrusted]));
  }

  trusts(stream: object): boolean {
    return this.#witnesses.get(stream)?.distrusted === undefined;
  }

  /** Whether a proxy accepted a resource of a type. */
  hasAccepted(stream: object, type: TypeUrl): boolean {
    return this.#witnesses.get(stream)?.accepted.has(type) ?? false;
  }

  /** Whether a further acceptance of a type would say nothing new of a proxy. */
  isSettled(stream: object, type: TypeUrl): boolean {
    const witness = this.#witnesses.get(stream);
    return witness?.accepted.has(type) === true && witness.unjudged.length === 0;
  }

  /** Whether there is another proxy whose word on a resource of a type would count. */
  othersThan(stream: object, type: TypeUrl): boolean {
    for (const [other, { accepted, distrusted }] of this.#witnesses) {
      if (other !== stream && distrusted === undefined && accepted.has(type)) return true;
    }
    return false;
  }

  distrust(stream: object, proxy: DistrustedProxy): void {
    const witness = this.#of(stream);
    witness.distrusted ??= proxy;
    witness.unjudged = [];
  }

  /** The proxy accepted a resource of a type. Gives what it refused before, to be judged now. */
  accepted(stream: object, type: TypeUrl): readonly Unjudged[] {
    const witness = this.#of(stream);
    witness.accepted.add(type);
    if (witness.unjudged.length === 0) return [];
    const { unjudged } = witness;
    witness.unjudged = [];
    return unjudged;
  }

  /** Whether a refusal counts now. One that does not may come out of `accepted` later. */
  refused(stream: object, refused: Unjudged): 'counts' | 'later' | 'never' {
    const { type } = refused.refusal;
    const witness = this.#of(stream);
    const count = (witness.refusedOfType.get(type) ?? 0) + 1;
    witness.refusedOfType.set(type, count);
    if (!witness.accepted.has(type) && count > maxRefusedOfType) return 'never';
    if (witness.accepted.size > 0) return 'counts';
    witness.unjudged.push(refused);
    return 'later';
  }

  closed(stream: object): void {
    this.#witnesses.delete(stream);
  }

  #of(stream: object): Witness {
    return this.#witnesses.getOrInsertComputed(stream, () => ({ accepted: new Set(), refusedOfType: new Map(), unjudged: [] }));
  }
}
