import type { KubeObject } from '../apis/meta.ts';
import { deepEqual } from '../util/deep-equal.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields, beside those of every kind, whose change matters to a build. `spec` is covered by the generation. */
const relevantFields: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ['data', 'binaryData'],
  EndpointSlice: ['addressType', 'endpoints', 'ports'],
  Gateway: ['spec', 'status.addresses'],
  Secret: ['type', 'data'],
};

/**
 * Whether two versions of an object give the same build. Status writes, resource versions and managed fields do not
 * matter; the generation does, since status tells which one it speaks of. Without a generation (core kinds) the
 * fields themselves are compared.
 */
export function sameForBuild(before: KubeObject, after: KubeObject): boolean {
  const [a, b] = [before.metadata, after.metadata];
  if (a.generation !== b.generation || a.uid !== b.uid || a.creationTimestamp !== b.creationTimestamp) return false;
  if (!deepEqual(a.labels, b.labels) || !deepEqual(a.annotations, b.annotations)) return false;
  const fields = relevantFields[after.kind] ?? ['spec'];
  return fields.every((path) => deepEqual(fieldAt(before, path), fieldAt(after, path)));
}

function fieldAt(object: KubeObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, field) => (value as Fields | undefined)?.[field], object);
}
