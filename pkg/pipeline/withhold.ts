import type { Config } from '../config/config.ts';
import type { HostCheck } from '../dag/builder.ts';
import type { DagChanges } from '../dag/model/dag.ts';
import type { Route } from '../dag/model/route.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
import { type UnguardedRoute, unguardedRoutes } from '../envoy/listener/guarded.ts';

/**
 * Lets no route be served without what it asks for, whatever went wrong before: such a route answers 503. A check that throws counts as
 * failed for every route.
 */
export function withholdUnguarded(config: Config): HostCheck {
  return (host, listener) =>
    withheld(
      host,
      unguardedOr(host, () => unguardedRoutes(host, listener, config)),
    );
}

function unguardedOr({ routes }: VirtualHost, check: () => readonly UnguardedRoute[]): readonly UnguardedRoute[] {
  try {
    return check();
  } catch {
    // A host that cannot be encoded is another's to tell; nothing of it may be open meanwhile.
    return routes.flatMap((route) => (asksForGuards(route) ? [{ route, missing: 'guards' }] : []));
  }
}

function asksForGuards({ authorization, globalRateLimit, jwt, ipFilter, localRateLimit }: Route): boolean {
  const others = [globalRateLimit, jwt, ipFilter, localRateLimit];
  return authorization?.type === 'required' || others.some((guard) => guard !== undefined);
}

/** How many routes a build withheld that were not before. */
export function withheldRoutes({ virtualHosts }: DagChanges): number {
  const counts = virtualHosts.map(({ before, after }) => (after?.withheld?.length ?? 0) - (before?.withheld?.length ?? 0));
  return counts.reduce((sum, count) => sum + Math.max(count, 0), 0);
}

/** A host with some of its routes closed. Their guards are left: they do no harm. */
function withheld(host: VirtualHost, unguarded: readonly UnguardedRoute[]): VirtualHost {
  if (unguarded.length === 0) return host;
  const closed = new Set(unguarded.map(({ route }) => route));
  return {
    ...host,
    routes: host.routes.map((route) => (closed.has(route) ? { ...route, action: { type: 'direct-response', status: 503 } } : route)),
    withheld: unguarded.map(({ route, missing }) => ({ origin: route.origin, missing })),
  };
}
