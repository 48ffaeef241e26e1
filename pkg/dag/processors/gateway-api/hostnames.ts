/**
 * The hosts that a route serves on a listener: those of its hostnames that the listener has too, in lower case, each once.
 * A route without hostnames takes the listener's, a listener without takes the route's; `*` where neither has any.
 * Unlike in an HTTPProxy, the `*` of `*.example.com` may stand for several labels.
 *
 * `others` are the hostnames of the other listeners on the same port: a request belongs to the listener with the
 * most specific one, so a host that one of them fits better is left to it.
 * @see Gateway API, `Listener.hostname`; HTTPRoute `spec.hostnames`
 */
export function servedHosts(routeHostnames: readonly string[], listenerHostname: string, others: readonly string[]): readonly string[] {
  const own = listenerHostname.toLowerCase();
  if (routeHostnames.length === 0) return [own === '' ? '*' : own];
  const better = others.map((other) => other.toLowerCase()).filter((other) => specificity(other) > specificity(own));
  const hosts = new Set<string>();
  for (const hostname of routeHostnames) {
    const host = intersection(hostname.toLowerCase(), own);
    if (host !== undefined && !better.some((other) => covers(other, host))) hosts.add(host);
  }
  return [...hosts];
}

function intersection(route: string, listener: string): string | undefined {
  if (listener === '' || covers(listener, route)) return route;
  return covers(route, listener) ? listener : undefined;
}

/** Whether every name that fits `host` fits `pattern`; both may begin with `*.`. */
function covers(pattern: string, host: string): boolean {
  if (pattern === host) return true;
  return pattern.startsWith('*.') && host.length > pattern.length - 1 && host.endsWith(pattern.slice(1)) && host !== pattern.slice(2);
}

/** Names before wildcards, longer wildcards before shorter ones, any host last. */
function specificity(hostname: string): number {
  if (hostname === '') return 0;
  return hostname.startsWith('*.') ? hostname.length : 1000;
}
