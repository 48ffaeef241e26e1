import { keyOf, type ObjectKey, refOf } from '../../../apis/meta.ts';
import type { HTTPProxy } from '../../../apis/projectcontour/v1/httpproxy.ts';
import type { Config } from '../../../config/config.ts';
import type { Reader } from '../../../kubernetes-cache/reader.ts';
import type { Problem } from '../../../util/outcome.ts';
import type { DetailedStatusPart } from '../../contribution.ts';
import type { Origin } from '../../model/origin.ts';
import type { HeaderMatch } from '../../model/route.ts';

/** A proxy that a root reaches, with what was found wrong with it on the way. */
export interface Visit {
  readonly proxy: HTTPProxy;
  readonly namespace: string;
  readonly errors: Problem[];
  readonly warnings: Problem[];
}

/** The work on one root: what it may read, and what it found out so far about each proxy that it reached. */
export interface RootBuild {
  readonly reader: Reader;
  readonly config: Config;
  readonly root: Visit;
  /** What every route of the host must match besides its own conditions. */
  readonly hostMatches: readonly HeaderMatch[];
  readonly visits: Map<ObjectKey, Visit>;
  /** How many includes were followed, over all chains. */
  followed: number;
}

/** The visit of a proxy: a proxy that is reached twice keeps what was said of it before. */
export function visit(build: RootBuild, proxy: HTTPProxy): Visit {
  const key = keyOf(proxy);
  const known = build.visits.get(key);
  if (known !== undefined) return known;
  const made = newVisit(proxy);
  build.visits.set(key, made);
  return made;
}

export function newVisit(proxy: HTTPProxy): Visit {
  return { proxy, namespace: proxy.metadata.namespace ?? '', errors: [], warnings: [] };
}

/** `namespace/name`, as messages have it. */
export function idOf(proxy: HTTPProxy): string {
  return `${proxy.metadata.namespace ?? ''}/${proxy.metadata.name}`;
}

/** A field of a proxy, such as `spec.routes[2].services[0]`. */
export function originOf(proxy: HTTPProxy, path: string): Origin {
  return { ...refOf(proxy), path };
}

export function statusOf({ proxy, errors, warnings }: Visit): DetailedStatusPart {
  return { type: 'detailed', object: refOf(proxy), generation: proxy.metadata.generation ?? 0, errors, warnings };
}

export function problem(type: string, reason: string, message: string): Problem {
  return { type, reason, message };
}
