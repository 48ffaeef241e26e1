import { compareStrings } from '../util/compare.ts';
import type { Route } from './model/route.ts';
import type { DroppedRoute, Source, VirtualHost, VirtualHostPart } from './model/virtual-host.ts';
import { compareRoutes, matchKey } from './policy/route-order.ts';

const rank: Readonly<Record<Source, number>> = { GatewayAPI: 0, HTTPProxy: 1, Ingress: 2 };

/**
 * The order of precedence of parts on one host: Gateway API before HTTPProxy before Ingress, then the older
 * object, then namespace and name. @see reference 7.3; Gateway API, HTTPRoute `matches`, conflict resolution
 */
export function compareParts(a: VirtualHostPart, b: VirtualHostPart): number {
  return (
    rank[a.source] - rank[b.source] ||
    compareStrings(a.createdAt, b.createdAt) ||
    compareStrings(a.origin.namespace, b.origin.namespace) ||
    compareStrings(a.origin.name, b.origin.name) ||
    compareStrings(a.origin.kind, b.origin.kind) ||
    compareStrings(a.origin.path, b.origin.path)
  );
}

/**
 * Merges all parts of one (listener, host). The result depends on the parts alone, not on their order.
 * `undefined` where nothing is left to serve: no route on a plaintext host; neither a TCP proxy nor a route
 * with a certificate on a secure one.
 */
export function mergeVirtualHost(parts: readonly VirtualHostPart[], secure: boolean): VirtualHost | undefined {
  const ordered = effectiveParts([...parts].sort(compareParts), secure);
  const [first] = ordered;
  if (first === undefined) return undefined;

  const { routes, dropped } = mergeRoutes(ordered);
  const tls = (ordered.find(validatesClients) ?? ordered.find((part) => part.tls !== undefined))?.tls;
  const tcpProxy = ordered.find((part) => part.tcpProxy !== undefined)?.tcpProxy;
  const authorization = ordered.find((part) => part.authorization !== undefined)?.authorization;
  const globalRateLimit = ordered.find((part) => part.globalRateLimit !== undefined)?.globalRateLimit;
  const policies = hostPolicies(ordered);
  const serves = tcpProxy !== undefined || (routes.length > 0 && (!secure || tls?.type === 'terminate'));
  if (!serves) return undefined;

  return {
    listener: first.listener,
    host: first.host,
    routes,
    ...(tls !== undefined && { tls }),
    ...(tcpProxy !== undefined && { tcpProxy }),
    ...(authorization !== undefined && { authorization }),
    ...(globalRateLimit !== undefined && { globalRateLimit }),
    ...policies,
    origins: ordered.map((part) => part.origin),
    dropped,
  };
}

type HostPolicies = Pick<VirtualHost, 'cors' | 'ipFilter' | 'localRateLimit' | 'jwt'>;

/** Of each policy the first that a part has. */
function hostPolicies(parts: readonly VirtualHostPart[]): HostPolicies {
  const cors = parts.find((part) => part.cors !== undefined)?.cors;
  const ipFilter = parts.find((part) => part.ipFilter !== undefined)?.ipFilter;
  const localRateLimit = parts.find((part) => part.localRateLimit !== undefined)?.localRateLimit;
  const jwt = parts.find((part) => part.jwt !== undefined)?.jwt;
  return {
    ...(cors !== undefined && { cors }),
    ...(ipFilter !== undefined && { ipFilter }),
    ...(localRateLimit !== undefined && { localRateLimit }),
    ...(jwt !== undefined && { jwt }),
  };
}

/** Whoever asks for client certificates on a host is heard before precedence counts: its routes must not be reached without them. */
function validatesClients({ tls }: VirtualHostPart): boolean {
  return tls?.type === 'terminate' && tls.clientValidation !== undefined;
}

/** On a secure host the parts of a source count only where one of them says how the host is secured. */
function effectiveParts(parts: readonly VirtualHostPart[], secure: boolean): readonly VirtualHostPart[] {
  if (!secure) return parts;
  const securing = new Set(parts.filter((part) => part.tls !== undefined || part.tcpProxy !== undefined).map((part) => part.source));
  return parts.filter((part) => securing.has(part.source));
}

function mergeRoutes(parts: readonly VirtualHostPart[]): { routes: readonly Route[]; dropped: readonly DroppedRoute[] } {
  const routes = new Map<string, Route>();
  const dropped: DroppedRoute[] = [];
  for (const part of parts) {
    for (const [key, route] of routesOfPart(part)) {
      const winner = routes.get(key);
      if (winner === undefined) routes.set(key, route);
      else if (!sameObject(winner, route)) dropped.push({ route, winner: winner.origin });
    }
  }
  return { routes: [...routes.values()].sort(compareRoutes), dropped };
}

/**
 * The routes of a part by match. Within one object a repeated match is no conflict: the first rule of a Gateway
 * API route wins, the last route of an HTTPProxy or Ingress (so a rule replaces the default backend).
 */
function routesOfPart(part: VirtualHostPart): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>();
  for (const route of part.routes) {
    const key = matchKey(route.match);
    if (part.source !== 'GatewayAPI' || !routes.has(key)) routes.set(key, route);
  }
  return routes;
}

function sameObject({ origin: a }: Route, { origin: b }: Route): boolean {
  return a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}
