import { HeaderMutation as MutationRule } from '../../envoy-api/envoy/config/common/mutation_rules/v3/mutation_rules.ts';
import { HeaderValueOption_HeaderAppendAction } from '../../envoy-api/envoy/config/core/v3/base.ts';
import { TypedExtensionConfig } from '../../envoy-api/envoy/config/core/v3/extension.ts';
import { HeaderMutation } from '../../envoy-api/envoy/extensions/filters/http/header_mutation/v3/header_mutation.ts';
import { OnDemand } from '../../envoy-api/envoy/extensions/filters/http/on_demand/v3/on_demand.ts';
import { Config as SetFilterState } from '../../envoy-api/envoy/extensions/filters/http/set_filter_state/v3/set_filter_state.ts';
import type { HttpFilter } from '../../envoy-api/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.ts';
import { HeaderMutation as EarlyHeaderMutation } from '../../envoy-api/envoy/extensions/http/early_header_mutation/header_mutation/v3/header_mutation.ts';
import { packed } from '../protobuf.ts';
import { allScope, restScope, scopeHeader, scopeKey } from '../route/scopes.ts';
import { httpFilter } from './http-filter.ts';

const fallbackScopeName = 'isoline.fallback_scope';
const lookAgainName = 'isoline.look_again';

/** The filters that only requests without a scope need, in order of name. */
export const fallbackFilterNames = [fallbackScopeName, lookAgainName] as const;

/** Writes the scope key of a request before Envoy looks for its route, over what the client may have sent. */
export function scopeMutation(listener: string): TypedExtensionConfig {
  return TypedExtensionConfig.fromPartial({
    name: 'envoy.http.early_header_mutation.header_mutation',
    typedConfig: packed(
      EarlyHeaderMutation,
      EarlyHeaderMutation.fromPartial({ mutations: [setScope(scopeKey(plainName(listener), '%REQ(:AUTHORITY)%'))] }),
    ),
  });
}

/**
 * Lets a request for which there is no scope look again: among all hosts if its Host has upper-case letters, else among the wildcards.
 * A request whose virtual host was found, and only its path was not, keeps its scope: it is answered 404.
 */
export function scopeFallback(listener: string): readonly HttpFilter[] {
  const [all, rest] = [allScope, restScope].map((scope) => scopeKey(plainName(listener), scope));
  const scope = `%CEL(has(xds.virtual_host_name) ? request.headers['${scopeHeader}'] : request.host.matches('[A-Z]') ? '${all}' : '${rest}')%`;
  const header = HeaderMutation.fromPartial({ mutations: { requestMutations: [setScope(scope)] } });
  return [
    httpFilter(fallbackScopeName, packed(HeaderMutation, header)),
    httpFilter(lookAgainName, packed(SetFilterState, lookAgain)),
    httpFilter('envoy.filters.http.on_demand', packed(OnDemand, OnDemand.fromPartial({}))),
  ];
}

/** The state is of no interest; setting it is how a filter makes Envoy look for the route again. */
const lookAgain = SetFilterState.fromPartial({
  clearRouteCache: true,
  onRequestHeaders: [
    {
      key: { $case: 'objectKey', value: 'isoline.look_again' },
      factoryKey: 'envoy.string',
      value: { $case: 'formatString', value: { format: { $case: 'textFormatSource', value: { specifier: { $case: 'inlineString', value: '1' } } } } },
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

/** A listener's name becomes part of an expression, and is cut at a colon, so nothing but plain names may stand there. */
function plainName(listener: string): string {
  if (!/^[a-z0-9_.-]+$/i.test(listener)) throw new RangeError(`listener name ${JSON.stringify(listener)} has characters other than letters, digits, "_", "." and "-"`);
  return listener;
}
