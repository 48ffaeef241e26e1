import type { Config } from '../config/config.ts';
import type { Listener } from '../dag/model/listener.ts';
import type { SourceKind } from '../envoy/config-source.ts';
import { chainMatcher, type NamedChain } from '../envoy/listener/chain-matcher.ts';
import { listenerHead, withFilterChains } from '../envoy/listener/listener.ts';
import { encode } from '../envoy/protobuf.ts';
import { FilterChain } from '../envoy-api/envoy/config/listener/v3/listener_components.ts';
import { encodedBytes, joined, lazy, sourcedResource } from './lazy-resource.ts';
import type { EncodedResource, Resource } from './resource.ts';

/** A filter chain, encoded when it is first asked for, and once for each kind of stream. */
export interface EncodedChain {
  encoded(source: SourceKind): EncodedResource;
}

/** Keeps what `build` makes of each source. */
export function encodedChain(build: (source: SourceKind) => FilterChain): EncodedChain {
  const form = (source: SourceKind) => lazy(() => encodedBytes(encode(FilterChain, build(source))));
  const forms = { ads: form('ads'), grpc: form('grpc') } as const;
  return { encoded: (source) => forms[source]() };
}

function matchedListener(
  listener: Listener,
  config: Config,
  chains: { readonly chains: readonly EncodedChain[]; readonly onDemand: EncodedChain },
  source: SourceKind,
): EncodedResource {
  const others = chains.chains.map((chain) => named(chain.encoded(source)));
  const onDemand = named(chains.onDemand.encoded(source));
  const head = new Uint8Array([...listenerHead(listener, config), ...chainMatcher(others, onDemand.name)]);
  return joined(
    head,
    [...others, onDemand].map(({ encoded }) => encoded),
    withFilterChains,
  );
}

interface NamedEncoded extends NamedChain {
  readonly encoded: EncodedResource;
}

const namedChains = new WeakMap<EncodedResource, NamedEncoded>();

/** A chain with its version for a name, so that it has another when it changes. */
function named(encoded: EncodedResource): NamedEncoded {
  return namedChains.getOrInsertComputed(encoded, ({ bytes, version }) => {
    const chain = FilterChain.decode(bytes);
    const { serverNames = [] } = chain.filterChainMatch ?? {};
    return { name: version, serverNames, encoded: encodedBytes(encode(FilterChain, { ...chain, name: version })) };
  });
}

/** The LDS resource of a listener with the chains that it has for a kind of stream, in order. */
export function listenerResource(listener: Listener, config: Config, chains: (source: SourceKind) => ListenerChains): Resource {
  const encodeFor = (source: SourceKind): EncodedResource => {
    const { all, onDemand } = chains(source);
    if (onDemand !== undefined) return matchedListener(listener, config, { chains: all, onDemand }, source);
    const parts = all.map((chain) => chain.encoded(source));
    return joined(listenerHead(listener, config), parts, withFilterChains);
  };
  return sourcedResource(listener.name, () => [listener.origin], encodeFor);
}

/** The chains of a listener, in order. */
export interface ListenerChains {
  readonly all: readonly EncodedChain[];
  /** One more, for every host that no other is for. The chains are chosen by a matcher then. */
  readonly onDemand?: EncodedChain | undefined;
}
