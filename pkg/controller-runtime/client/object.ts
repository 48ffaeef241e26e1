import type { KubeObject } from '../../apis/meta.ts';

export type { KubeObject, ObjectMeta, OwnerReference } from '../../apis/meta.ts';

/** Where the API server keeps a kind. */
export interface ResourceKind {
  readonly kind: string;
  /** `''` for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** Names an object of a known kind. */
export interface ObjectName {
  /** `''` for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

/** The namespace and name of an object. */
export function nameOf(object: KubeObject): ObjectName {
  return { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
}

/** The `apiVersion` of a kind. */
export function apiVersionOf({ group, version }: ResourceKind): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The path of a kind's collection; `''` as namespace means all namespaces. */
export function collectionPath(kind: ResourceKind, namespace = ''): string {
  const root = kind.group === '' ? '/api' : '/apis';
  const scope = kind.namespaced && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}/${apiVersionOf(kind)}${scope}/${kind.plural}`;
}

/** The path of an object. */
export function objectPath(kind: ResourceKind, { namespace, name }: ObjectName, subresource?: string): string {
  const path = `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}
