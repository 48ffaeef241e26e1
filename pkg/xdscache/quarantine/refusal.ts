import type { Origin } from '../../dag/model/origin.ts';
import type { TypeUrl } from '../resource.ts';

/** What a proxy said when it refused a resource. */
export interface Refusal {
  readonly type: TypeUrl;
  /** The resource that carried what is at fault. */
  readonly name: string;
  /** The proxy's words. */
  readonly message: string;
  /** Who said them; `''`: it cannot even be written for a proxy. */
  readonly node: string;
}

/** Something that is not served because a proxy refused it. */
export interface QuarantineEntry extends Refusal {
  /** A host of a listener as `listener/host`; absent where the whole resource is at fault. */
  readonly host?: string;
  /** What proxies get in its place: the last good version, a stand-in that answers 503 or has no endpoints, or nothing. */
  readonly served: 'last good' | 'stand-in' | 'nothing' | 'as it is';
  /** The objects, and fields, that brought it. */
  readonly origins: readonly Origin[];
}

/** A proxy whose refusals are its own affair: it refused what others take, or what it had taken before. */
export interface DistrustedProxy extends Refusal {
  readonly why: 'others accept it' | 'it refuses the rest too';
}
