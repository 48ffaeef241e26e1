import type { Origin } from '../dag/model/origin.ts';
import { murmur3 } from '../util/murmur3.ts';
import type { ConfigSourceKind, EncodedResource, Resource } from './resource.ts';

/** Bytes with the hash that is their version. */
export function encodedBytes(bytes: Uint8Array): EncodedResource {
  return { bytes, version: murmur3(bytes) };
}

/** A value that is made at the first call and kept. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A resource that is the same for all streams, encoded when it is first asked for. */
export function sharedResource(name: string, origins: () => readonly Origin[], encode: () => EncodedResource): Resource {
  const encoded = lazy(encode);
  return {
    name,
    get origins() {
      return origins();
    },
    encoded,
  };
}

/** A resource that refers to others, so that each kind of stream has a form of its own. */
export function sourcedResource(
  name: string,
  origins: () => readonly Origin[],
  encode: (source: ConfigSourceKind) => EncodedResource,
): Resource {
  const forms = { ads: lazy(() => encode('ads')), grpc: lazy(() => encode('grpc')) } as const;
  return {
    name,
    get origins() {
      return origins();
    },
    encoded: (source) => forms[source](),
  };
}

/**
 * A resource that is joined from parts. Its version is a hash of the head and of the parts' versions, which stand for their bytes, so that a
 * large resource is not hashed again for each small change.
 */
export function joined(
  head: Uint8Array,
  parts: readonly EncodedResource[],
  join: (head: Uint8Array, parts: readonly Uint8Array[]) => Uint8Array,
): EncodedResource {
  const versions = [murmur3(head), ...parts.map(({ version }) => version)].join('\n');
  return {
    version: murmur3(new TextEncoder().encode(versions)),
    bytes: join(
      head,
      parts.map(({ bytes }) => bytes),
    ),
  };
}

/** The distinct origins of several nodes, in order. */
export function distinctOrigins(origins: Iterable<Origin>): readonly Origin[] {
  const byKey = new Map<string, Origin>();
  for (const origin of origins) byKey.set(JSON.stringify([origin.kind, origin.namespace, origin.name, origin.path]), origin);
  return [...byKey.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, origin]) => origin);
}
