import { TypedExtensionConfig } from '../../envoy-api/envoy/config/core/v3/extension.ts';
import { Listener } from '../../envoy-api/envoy/config/listener/v3/listener.ts';
import { ServerNameInput } from '../../envoy-api/envoy/extensions/matching/common_inputs/network/v3/network_inputs.ts';
import { StringValue } from '../../envoy-api/google/protobuf/wrappers.ts';
import { Matcher, Matcher_MatcherList_FieldMatcher, type Matcher_OnMatch } from '../../envoy-api/xds/type/matcher/v3/matcher.ts';
import { compareStrings } from '../../util/compare.ts';
import { encode, packed } from '../protobuf.ts';

/** A filter chain by its name in the listener, with the server names that it is for; none: all. */
export interface NamedChain {
  readonly name: string;
  readonly serverNames: readonly string[];
}

/**
 * What a client may name where Envoy then asks for a secret of that name. Of other names some have a meaning in xDS: Envoy 1.40 takes `*` for all
 * secrets, and refuses each of them from then on, and ends at one that begins with `xdstp:`.
 */
const hostNames = '[a-z0-9_-]+(\\.[a-z0-9_-]+)+';

/**
 * What a listener has beside its chains to choose among them, in wire form, to be put behind its head: as Envoy does by their matches, by
 * the exact server name, then by the wildcard with the longest suffix; then the chain for certificates on demand, if the server name is that of a
 * host; then the chain for all names.
 */
export function chainMatcher(chains: readonly NamedChain[], onDemand: string): Uint8Array {
  const named = chains.flatMap(({ name, serverNames }) => serverNames.map((serverName) => ({ name, serverName })));
  const exact = named.filter(({ serverName }) => !serverName.startsWith('*')).sort((a, b) => compareStrings(a.serverName, b.serverName));
  const wildcards = named.filter(({ serverName }) => serverName.startsWith('*')).sort(bySuffix);
  const rest = chains.find(({ serverNames }) => serverNames.length === 0);
  const patterns = Matcher.fromPartial({
    matcherType: {
      $case: 'matcherList',
      value: {
        matchers: [
          ...wildcards.map(({ name, serverName }) => nameMatcher({ $case: 'suffix', value: serverName.slice(1) }, name)),
          nameMatcher({ $case: 'safeRegex', value: { engineType: { $case: 'googleRe2', value: {} }, regex: hostNames } }, onDemand),
        ],
      },
    },
    ...(rest && { onNoMatch: useChain(rest.name) }),
  });
  const filterChainMatcher = exact.length === 0 ? patterns : exactFirst(exact, patterns);
  return encode(Listener, Listener.fromPartial({ filterChainMatcher }));
}

type Named = NamedChain['serverNames'][number];

/** The longest suffix first. */
function bySuffix(a: { readonly serverName: Named }, b: { readonly serverName: Named }): number {
  return b.serverName.length - a.serverName.length || compareStrings(a.serverName, b.serverName);
}

function exactFirst(exact: readonly { readonly name: string; readonly serverName: Named }[], patterns: Matcher): Matcher {
  const map = Object.fromEntries(exact.map(({ name, serverName }) => [serverName, useChain(name)]));
  return Matcher.fromPartial({
    matcherType: { $case: 'matcherTree', value: { input: serverNameInput, treeType: { $case: 'exactMatchMap', value: { map } } } },
    onNoMatch: { onMatch: { $case: 'matcher', value: patterns } },
  });
}

const serverNameInput = TypedExtensionConfig.fromPartial({
  name: 'envoy.matching.inputs.server_name',
  typedConfig: packed(ServerNameInput, ServerNameInput.fromPartial({})),
});

type StringMatch = Parameters<typeof Matcher_MatcherList_FieldMatcher.fromPartial>[0];

function nameMatcher(matchPattern: object, chain: string): Matcher_MatcherList_FieldMatcher {
  const value = { input: serverNameInput, matcher: { $case: 'valueMatch', value: { matchPattern } } };
  const predicate = { matchType: { $case: 'singlePredicate', value } };
  return Matcher_MatcherList_FieldMatcher.fromPartial({ predicate, onMatch: useChain(chain) } as StringMatch);
}

function useChain(name: string): Matcher_OnMatch {
  const action = { name: 'filter-chain-name', typedConfig: packed(StringValue, { value: name }) };
  return { onMatch: { $case: 'action', value: action }, keepMatching: false };
}
