/** `metadata` as far as the framework reads it. */
export interface ObjectMeta {
  readonly name: string;
  /** `''` or absent for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly generation?: number;
  readonly resourceVersion?: string;
  readonly uid?: string;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Any Kubernetes object: plain JSON, never mutated. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

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
