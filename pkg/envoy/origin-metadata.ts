import type { Origin } from '../dag/model/origin.ts';
import { Metadata } from '../envoy-api/envoy/config/core/v3/base.ts';

/** The name of the filter metadata that says what a resource, or a part of one, is made of. */
const originKey = 'isoline.origin';

/** Metadata of a part of a resource that one object and field asked for. */
export function originMetadata(origin: Origin): Metadata {
  return Metadata.fromPartial({ filterMetadata: { [originKey]: originStruct(origin) } });
}

/** Metadata of a resource that several objects share: a list, in order of precedence. */
export function originsMetadata(origins: readonly Origin[]): Metadata {
  return Metadata.fromPartial({ filterMetadata: { [originKey]: { origins: origins.map(originStruct) } } });
}

/** Metadata of a route: its origin, and what access logs read by the names that Contour gave them (reference §8.5). */
export function routeMetadata(origin: Origin): Metadata {
  return Metadata.fromPartial({
    filterMetadata: {
      'envoy.access_loggers.file': {
        'io.projectcontour.kind': origin.kind,
        'io.projectcontour.name': origin.name,
        'io.projectcontour.namespace': origin.namespace,
      },
      [originKey]: originStruct(origin),
    },
  });
}

/** Keys in order: a Struct is encoded in the order of insertion. */
function originStruct(origin: Origin): Record<string, string> {
  return { kind: origin.kind, name: origin.name, namespace: origin.namespace, path: origin.path };
}
