import type { Origin } from '../dag/model/origin.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
import type { RedirectingTable } from '../envoy/filters/redirect-scope.ts';
import { routeConfigurationHead, withVirtualHosts } from '../envoy/route/route-configuration.ts';
import { encodedHost } from './encoded-host.ts';
import { distinctOrigins, joined, sharedResource } from './lazy-resource.ts';
import type { EncodedResource, Resource } from './resource.ts';

/** What a RouteConfiguration is joined from. The hosts are taken as they are now. */
export interface RouteTable {
  readonly name: string;
  readonly kind: 'scoped' | 'secure';
  /** In order; gives the same values at each call. */
  readonly hosts: () => readonly VirtualHost[];
  /** How redirects find their scope. Absent: the table is not found by scope. */
  readonly redirects?: RedirectingTable;
  /** A further virtual host, after the others. */
  readonly last?: EncodedResource;
}

/** A RouteConfiguration that is joined, when it is first asked for, from what its hosts were encoded to. */
export function routeTable({ name, kind, hosts, redirects, last }: RouteTable): Resource {
  const encode = (): EncodedResource => {
    const parts = [...hosts().map(encodedHost), ...(last ? [last] : [])];
    const head = routeConfigurationHead(name, kind, hosts().some(followsRedirects) ? redirects : undefined);
    return joined(head, parts, withVirtualHosts);
  };
  return Object.assign(
    sharedResource(name, () => hostOrigins(hosts()), encode),
    { hosts },
  );
}

/** Whether a route of a host follows redirects; one that sends the client to https does not get that far. */
function followsRedirects({ routes }: VirtualHost): boolean {
  return routes.some(
    ({ action, httpsRedirect }) => !httpsRedirect && action.type === 'forward' && action.forward?.internalRedirect !== undefined,
  );
}

/** The objects that some hosts are made of. */
export function hostOrigins(hosts: readonly VirtualHost[]): readonly Origin[] {
  return distinctOrigins(hosts.flatMap((host) => host.origins));
}

/** Whether a host that changed has the same routes in Envoy's form. */
export function sameRoutes(before: VirtualHost | undefined, after: VirtualHost | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return before === after || encodedHost(before).version === encodedHost(after).version;
}
