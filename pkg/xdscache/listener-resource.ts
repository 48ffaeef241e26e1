import type { Config } from '../config/config.ts';
import type { Listener } from '../dag/model/listener.ts';
import type { SourceKind } from '../envoy/config-source.ts';
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

/** The LDS resource of a listener with the chains that it has for a kind of stream, in order. */
export function listenerResource(listener: Listener, config: Config, chains: (source: SourceKind) => readonly EncodedChain[]): Resource {
  const encodeFor = (source: SourceKind): EncodedResource => {
    const parts = chains(source).map((chain) => chain.encoded(source));
    return joined(listenerHead(listener, config), parts, withFilterChains);
  };
  return sourcedResource(listener.name, () => [listener.origin], encodeFor);
}
