import { HeaderMutation as MutationRule } from '../../envoy-api/envoy/config/common/mutation_rules/v3/mutation_rules.ts';
import { HeaderValueOption_HeaderAppendAction } from '../../envoy-api/envoy/config/core/v3/base.ts';
import { TypedExtensionConfig } from '../../envoy-api/envoy/config/core/v3/extension.ts';
import { HeaderMutation } from '../../envoy-api/envoy/extensions/filters/http/header_mutation/v3/header_mutation.ts';
import { Config as SetFilterState } from '../../envoy-api/envoy/extensions/filters/http/set_filter_state/v3/set_filter_state.ts';
import type { HttpFilter } from '../../envoy-api/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.ts';
import { HeaderMutation as EarlyHeaderMutation } from '../../envoy-api/envoy/extensions/http/early_header_mutation/header_mutation/v3/header_mutation.ts';
import { packed } from '../protobuf.ts';
import { misdirectedScope, scopeHeader, scopeKey } from '../route/scopes.ts';
import { celWithStrings } from './cel.ts';
import { httpFilter } from './http-filter.ts';

/** The filters that only requests without a scope need, in order of name. */
export const fallbackFilterNames = [
  'isoline.scope.1_lower_case',
  'isoline.scope.2_look_again',
  'isoline.scope.3_resolve',
  'isoline.scope.4_rest',
  'isoline.scope.5_look_again',
] as const;

/** A connection manager that finds routes by scope. */
export interface ScopedManager {
  readonly listener: string;
  /** Where it finds the hosts that have no scope. */
  readonly rest: string;
  /** Whether Host must be the server name of the connection. */
  readonly tls: boolean;
}

/** Writes the scope key of a request before Envoy looks for its route, over what the client may have sent. */
export function scopeMutation({ listener, tls }: ScopedManager): TypedExtensionConfig {
  const scope = tls ? '%REQUESTED_SERVER_NAME%|%REQ(:AUTHORITY)%' : '%REQ(:AUTHORITY)%';
  const mutations = EarlyHeaderMutation.fromPartial({ mutations: [setScope(scopeKey(plainName(listener), scope))] });
  return TypedExtensionConfig.fromPartial({
    name: 'envoy.http.early_header_mutation.header_mutation',
    typedConfig: packed(EarlyHeaderMutation, mutations),
  });
}

/**
 * Lets a request for which there is no scope look again, with its Host in lower case and then among the wildcards. A request whose
 * virtual host was found, and only its path was not, keeps its scope: it is answered 404.
 */
export function scopeFallback(manager: ScopedManager): readonly HttpFilter[] {
  const [lowerCase, again, resolve, toRest, againInRest] = fallbackFilterNames;
  return [
    headerMutation(lowerCase, [setScope(`%CEL(has(xds.virtual_host_name) ? ${kept} : ${lowerCased(manager)})%`)]),
    httpFilter(again, packed(SetFilterState, lookAgain)),
    // Envoy finds the route again when a filter asks for it, as this one does before it changes nothing.
    headerMutation(resolve, []),
    headerMutation(toRest, [setScope(`%CEL(has(xds.virtual_host_name) ? ${kept} : ${withoutScope(manager)})%`)]),
    httpFilter(againInRest, packed(SetFilterState, lookAgain)),
  ];
}

const kept = `request.headers['${scopeHeader}']`;
const serverName = 'connection.requested_server_name';

/**
 * The scope with its host in lower case. The listener's name is in lower case. Where a client gave no server name, which only a host for
 * all names serves, its Host stands for that too.
 */
function lowerCased({ listener, tls }: ScopedManager): string {
  const lower = `${kept}.lowerAscii()`;
  if (!tls) return lower;
  const host = `request.host.lowerAscii().split(':')[0]`;
  return `${serverName} == '' ? '${scopeKey(plainName(listener), '')}' + ${host} + '|' + ${host} : ${lower}`;
}

/** Where a request goes whose host has no scope. The scope in the header is in lower case. */
function withoutScope({ listener, rest, tls }: ScopedManager): string {
  const key = (scope: string) => `'${scopeKey(plainName(listener), scope)}'`;
  if (!tls) return key(rest);
  const asNamed = `(${kept} + ':').startsWith(${key('')} + ${serverName} + '|' + ${serverName} + ':')`;
  return `${serverName} == '' || ${asNamed} ? ${key(rest)} : ${key(misdirectedScope)}`;
}

function headerMutation(name: string, rules: readonly MutationRule[]): HttpFilter {
  const mutations = { requestMutations: [...rules], formatters: rules.length > 0 ? [celWithStrings] : [] };
  return httpFilter(name, packed(HeaderMutation, HeaderMutation.fromPartial({ mutations })));
}

/** The state is of no interest; setting it is how a filter makes Envoy forget the route. */
const lookAgain = SetFilterState.fromPartial({
  clearRouteCache: true,
  onRequestHeaders: [
    {
      key: { $case: 'objectKey', value: 'isoline.look_again' },
      factoryKey: 'envoy.string',
      value: {
        $case: 'formatString',
        value: { format: { $case: 'textFormatSource', value: { specifier: { $case: 'inlineString', value: '1' } } } },
      },
    },
  ],
});

function setScope(value: string): MutationRule {
  return MutationRule.fromPartial({
    action: {
      $case: 'append',
      value: { header: { key: scopeHeader, value }, appendAction: HeaderValueOption_HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD },
    },
  });
}

/** A listener's name becomes part of an expression, is cut at a colon and put in lower case, so nothing but plain names may stand there. */
export function plainName(listener: string): string {
  if (/^[a-z0-9_.-]+$/.test(listener)) return listener;
  throw new RangeError(`listener name ${JSON.stringify(listener)} has characters other than a-z, 0-9, "_", "." and "-"`);
}
