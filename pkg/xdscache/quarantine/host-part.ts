import type { Origin } from '../../dag/model/origin.ts';
import type { Route } from '../../dag/model/route.ts';
import type { VirtualHost } from '../../dag/model/virtual-host.ts';
import { deepEqual } from '../../util/deep-equal.ts';
import { type TypeUrl, typeUrls } from '../resource.ts';
import type { Refusal } from './refusal.ts';

/** `listener/host`. */
export type HostKey = string;

export function hostKey({ listener, host }: { readonly listener: string; readonly host: string }): HostKey {
  return `${listener}/${host}`;
}

/** A host of which no proxy has accepted the newest version yet. */
export interface HostPart {
  readonly key: HostKey;
  /** What the objects want. */
  readonly wanted: VirtualHost;
  /** The last version that a proxy accepted; `undefined` if none ever did. */
  readonly good: VirtualHost | undefined;
  /** What is in the snapshot. */
  served: VirtualHost | undefined;
  /** `trial`: served as wanted. `held`: not served as wanted until the search has come to it. `refused`: not before it changes. */
  state: 'trial' | 'held' | 'refused';
  /** Present: why it is held, or refused. */
  refusal?: Refusal;
}

/** Types whose refusal says that the host's filter chain cannot be: a stand-in would have the same. */
const chainTypes: ReadonlySet<TypeUrl> = new Set([typeUrls.listener, typeUrls.secret]);

/**
 * What is served of a host that was refused: its last good version; where there is none, 503 to every request, so that neither a wildcard
 * host answers for it nor a rule of its own is missing. A host whose chain was refused is left out, as one of an invalid object is.
 */
export function insteadOf({ wanted, good }: HostPart, refused: TypeUrl): VirtualHost | undefined {
  if (good !== undefined) return good;
  if (wanted.tcpProxy !== undefined || chainTypes.has(refused)) return undefined;
  const { listener, host, tls, origins } = wanted;
  const [origin] = origins;
  return { listener, host, origins, dropped: [], routes: origin === undefined ? [] : [unavailable(origin)], ...(tls && { tls }) };
}

function unavailable(origin: Origin): Route {
  return {
    match: { path: { type: 'prefix', prefix: '/', by: 'string' }, headers: [], queryParameters: [] },
    action: { type: 'direct-response', status: 503 },
    httpsRedirect: false,
    priority: 0,
    origin,
  };
}

/** Where what a host has new comes from: its changed routes, or all of the host if it is another thing that changed. */
export function changedOrigins({ wanted, good }: HostPart): readonly Origin[] {
  const changed = wanted.routes.filter((route) => !good?.routes.some((before) => deepEqual(before, route)));
  return changed.length > 0 ? changed.map(({ origin }) => origin) : wanted.origins;
}
