import type { VirtualHostChange } from '../../dag/model/dag.ts';
import type { HostKey, HostPart } from './host-part.ts';
import type { HostParts } from './host-parts.ts';
import type { Refusal } from './refusal.ts';

/** After so many hosts that are refused alone, while nothing but the absence of the resource is accepted, what is at fault is no host. */
const maxRefusedAlone = 8;

/** How a search stands after an answer. */
export type Verdict =
  /** It goes on. */
  | 'searching'
  /** Every host is served or refused. */
  | 'done'
  /** What was refused is refused without the suspects, too. */
  | 'blameless';

/**
 * The search for the hosts of one resource that a proxy refuses. After each refusal all suspects are held, until the resource is accepted
 * without them; then they are let in again group by group. A group that is refused is halved; one that is a single host is at fault.
 */
export class Trial {
  readonly #parts: HostParts;
  readonly #groups: (readonly HostKey[])[] = [];
  /** Those that are at fault, once the resource is accepted without them. */
  readonly #guilty = new Set<HostKey>();
  /** Those that the resource was accepted with. */
  readonly #cleared = new Set<HostKey>();
  #refusedAlone = 0;

  constructor(parts: HostParts) {
    this.#parts = parts;
  }

  /** The resource, with `suspects` in it as they are wanted, was refused. Adds what is to be served to `changes`. */
  refused(suspects: readonly HostPart[], refusal: Refusal, changes: VirtualHostChange[]): Verdict {
    const held = suspects.filter(({ key }) => !this.#cleared.has(key));
    if (held.length === 0) return 'blameless';
    for (const part of held) changes.push(this.#parts.hold(part, refusal, 'held'));
    const keys = held.map(({ key }) => key);
    if (keys.length > 1) {
      this.#groups.unshift(...split(held, refusal.message));
      return 'searching';
    }
    this.#refusedAlone += 1;
    this.#guilty.add(keys[0]!);
    return this.#refusedAlone >= maxRefusedAlone ? 'blameless' : 'searching';
  }

  /** The resource was accepted as it is served now: with these suspects in it as they are wanted, or, empty, not at all. */
  accepted({ served, empty }: { readonly served: readonly HostPart[]; readonly empty: boolean }, changes: VirtualHostChange[]): Verdict {
    if (!empty) this.#refusedAlone = 0;
    for (const { key } of served) this.#cleared.add(key);
    for (const key of this.#guilty) {
      const part = this.#parts.get(key);
      if (part?.refusal !== undefined && part.state === 'held') changes.push(this.#parts.hold(part, part.refusal, 'refused'));
    }
    this.#guilty.clear();
    for (let group = this.#groups.shift(); group !== undefined; group = this.#groups.shift()) {
      const held = this.#heldOf(group);
      for (const part of held) changes.push(this.#parts.release(part));
      if (held.length > 0) return 'searching';
    }
    return 'done';
  }

  /** Serves all that it held as it is wanted. */
  giveUp(changes: VirtualHostChange[]): void {
    for (const part of this.#heldOf([...this.#groups.flat(), ...this.#guilty])) changes.push(this.#parts.release(part));
  }

  /** A host that changed meanwhile is no longer held. */
  #heldOf(keys: readonly HostKey[]): readonly HostPart[] {
    return keys.flatMap((key) => {
      const part = this.#parts.get(key);
      return part?.state === 'held' ? [part] : [];
    });
  }
}

/** Those that the proxy names, and the others; or two halves. */
function split(parts: readonly HostPart[], message: string): readonly (readonly HostKey[])[] {
  const named = parts.filter(({ wanted }) => wanted.host.length > 1 && message.includes(wanted.host));
  const middle = Math.ceil(parts.length / 2);
  const groups =
    named.length > 0 && named.length < parts.length
      ? [named, parts.filter((part) => !named.includes(part))]
      : [parts.slice(0, middle), parts.slice(middle)];
  return groups.map((group) => group.map(({ key }) => key));
}
