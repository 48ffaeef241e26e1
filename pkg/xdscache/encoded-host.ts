import type { VirtualHost as DagVirtualHost } from '../dag/model/virtual-host.ts';
import { encode } from '../envoy/protobuf.ts';
import { misdirectedVirtualHost, virtualHost } from '../envoy/route/virtual-host.ts';
import { VirtualHost } from '../envoy-api/envoy/config/route/v3/route_components.ts';
import { encodedBytes } from './lazy-resource.ts';
import type { EncodedResource } from './resource.ts';

const memo = new WeakMap<DagVirtualHost, EncodedResource>();

/** The Envoy form of a host, encoded once for each value of it. */
export function encodedHost(host: DagVirtualHost): EncodedResource {
  return memo.getOrInsertComputed(host, () => encodedBytes(encode(VirtualHost, virtualHost(host))));
}

/** What a TLS filter chain answers to the hosts of other chains. */
export function encodedMisdirected(domains: readonly string[]): EncodedResource {
  return encodedBytes(encode(VirtualHost, misdirectedVirtualHost(domains)));
}
