import type { ObjectRef } from '../../apis/meta.ts';
import { findKind } from '../../apis/scheme.ts';
import { isJsonObject, type JsonObject } from '../../util/json-object.ts';

/** The namespace of objects that name none. */
export const defaultObjectNamespace = 'default';

/** What an object calls itself; parts that are absent or no text are `''`, but for the namespace of a namespaced kind. */
export function identify(source: JsonObject): ObjectRef {
  const metadata = isJsonObject(source['metadata']) ? source['metadata'] : {};
  const [apiVersion, kind] = [textOf(source['apiVersion']), textOf(source['kind'])];
  const namespaced = findKind(apiVersion, kind)?.namespaced ?? true;
  return { kind, namespace: namespaced ? textOf(metadata['namespace']) || defaultObjectNamespace : '', name: textOf(metadata['name']) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
