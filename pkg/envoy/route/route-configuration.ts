import { HeaderValueOption_HeaderAppendAction } from '../../envoy-api/envoy/config/core/v3/base.ts';
import { RouteConfiguration } from '../../envoy-api/envoy/config/route/v3/route.ts';
import { FilterConfig } from '../../envoy-api/envoy/config/route/v3/route_components.ts';
import { type RedirectingTable, redirectScope, redirectScopeName } from '../filters/redirect-scope.ts';
import { fallbackFilterNames } from '../filters/scope-filters.ts';
import { encode, packed, withMessages } from '../protobuf.ts';
import { headerOption } from './headers.ts';
import { scopeHeader } from './scopes.ts';

/** The field number of `virtual_hosts`. */
const virtualHostsField = 2;

const requestStart = headerOption(
  { name: 'x-request-start', value: 't=%START_TIME(%s.%3f)%' },
  HeaderValueOption_HeaderAppendAction.APPEND_IF_EXISTS_OR_ADD,
);

const disabled = packed(FilterConfig, FilterConfig.fromPartial({ disabled: true }));

/**
 * What a RouteConfiguration has beside its virtual hosts, in wire form: `withVirtualHosts` makes it whole. One for plaintext also takes the
 * scope header away, spares requests that have a scope the fallback filters, and has the scopes of redirects where some are followed.
 */
export function routeConfigurationHead(name: string, kind: 'scoped' | 'secure', redirects?: RedirectingTable): Uint8Array {
  const configuration = RouteConfiguration.fromPartial({
    name,
    requestHeadersToAdd: [requestStart],
    ignorePortInHostMatching: true,
    ...(kind === 'scoped' && {
      requestHeadersToRemove: [scopeHeader],
      typedPerFilterConfig: {
        ...Object.fromEntries(fallbackFilterNames.map((filter) => [filter, disabled])),
        ...(redirects && { [redirectScopeName]: redirectScope(redirects) }),
      },
    }),
  });
  return encode(RouteConfiguration, configuration);
}

/** A RouteConfiguration in wire form, joined from virtual hosts in wire form. */
export function withVirtualHosts(head: Uint8Array, virtualHosts: readonly Uint8Array[]): Uint8Array {
  return withMessages(head, virtualHostsField, virtualHosts);
}
