import { HeaderMutation as MutationRule } from '../../envoy-api/envoy/config/common/mutation_rules/v3/mutation_rules.ts';
import { HeaderValueOption_HeaderAppendAction } from '../../envoy-api/envoy/config/core/v3/base.ts';
import {
  HeaderMutation,
  HeaderMutationPerRoute,
} from '../../envoy-api/envoy/extensions/filters/http/header_mutation/v3/header_mutation.ts';
import type { HttpFilter } from '../../envoy-api/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.ts';
import type { Any } from '../../envoy-api/google/protobuf/any.ts';
import { packed } from '../protobuf.ts';
import { scopeHeader, scopeKey } from '../route/scopes.ts';
import { celWithStrings } from './cel.ts';
import { httpFilter } from './http-filter.ts';
import { plainName } from './scope-filters.ts';

/** Names the filter to the tables that have something to say to it. */
export const redirectScopeName = 'isoline.scope.redirect';

/**
 * Stands before the upstream of routes whose redirects Envoy follows. The table of such a route says there what the scope of a redirect is;
 * Envoy takes that over into the request that it makes of the redirect, before it looks for a route (`response_headers_to_copy`).
 */
export const redirectScopeFilter: HttpFilter = httpFilter(redirectScopeName, packed(HeaderMutation, HeaderMutation.fromPartial({})));

/** The table whose routes may follow redirects. */
export interface RedirectingTable {
  readonly listener: string;
  readonly tls: boolean;
  /** The scope that leads to the table where its hosts are wildcards; exact hosts have one each. */
  readonly scope?: string | undefined;
}

/**
 * Writes the scope of a redirect into the response of the backend. Behind TLS there is one for the server name of the connection only; a
 * wildcard keeps its own for its present host, and another host is looked for among the exact ones. Where there is no such scope, or
 * `location` is no URL, Envoy finds no route and the client gets the redirect.
 */
export function redirectScope(table: RedirectingTable): Any {
  const value = `%CEL(${scopeExpression(table)})%`;
  const mutation = MutationRule.fromPartial({
    action: {
      $case: 'append',
      value: { header: { key: scopeHeader, value }, appendAction: HeaderValueOption_HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD },
    },
  });
  const mutations = { responseMutations: [mutation], formatters: [celWithStrings] };
  return packed(HeaderMutationPerRoute, HeaderMutationPerRoute.fromPartial({ mutations }));
}

/** The host of an absolute URL, without its port. */
const targetHost = "response.headers['location'].split('://')[1].split('/')[0].split('?')[0].split('#')[0].split(':')[0].lowerAscii()";
const presentHost = "request.host.lowerAscii().split(':')[0]";
const serverName = 'connection.requested_server_name';

function scopeExpression({ listener, tls, scope }: RedirectingTable): string {
  const key = (text: string) => `'${scopeKey(plainName(listener), text)}'`;
  const exact = tls ? `${key('')} + ${serverName} + '|' + ${targetHost}` : `${key('')} + ${targetHost}`;
  if (scope === undefined) return exact;
  return `${targetHost} == ${tls ? serverName : presentHost} ? ${key(plainScope(scope))} : ${exact}`;
}

/** A scope becomes part of an expression. */
function plainScope(scope: string): string {
  if (/^[A-Za-z0-9_.*|-]+$/.test(scope)) return scope;
  throw new RangeError(`scope ${JSON.stringify(scope)} has characters other than letters, digits, "_", ".", "*", "|" and "-"`);
}
