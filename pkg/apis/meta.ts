/** `metadata` as far as Isoline reads it. All of it is optional in hand-written files except the name. */
export interface ObjectMeta {
  readonly name: string;
  /** `''` or absent for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly generation?: number;
  readonly resourceVersion?: string;
  readonly uid?: string;
  /** RFC 3339, with seconds. */
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Names of those who must agree before a deleted object goes. */
  readonly finalizers?: readonly string[];
  /** What the object belongs to: it is deleted with it. */
  readonly ownerReferences?: readonly OwnerReference[];
  /** Who wrote what, where it is kept at all. */
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

/** What is read of an entry of `managedFields`. */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  /** Such as `status`. */
  readonly subresource?: string;
}

/** Names an owner in the same namespace, or one that is cluster-scoped. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** Whether the owner manages the object; of one object at most one does. */
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Any Kubernetes object: plain JSON, never mutated once it is in the KubernetesCache. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** Names an object at one generation. */
export interface ObjectRef {
  readonly kind: string;
  /** `''` for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

/** A condition as the Kubernetes API has it (`meta/v1` Condition), without the time that the writer adds. */
export interface WantedCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
}

/** The key of an object: `Kind/namespace/name`; the namespace is empty for cluster-scoped kinds. */
export type ObjectKey = string;

/** The key of an object by its parts. */
export function objectKey(kind: string, namespace: string, name: string): ObjectKey {
  return `${kind}/${namespace}/${name}`;
}

/** The key of an object. */
export function keyOf(object: KubeObject): ObjectKey {
  return objectKey(object.kind, object.metadata.namespace ?? '', object.metadata.name);
}

/** An object as a reference. */
export function refOf({ kind, metadata }: KubeObject): ObjectRef {
  return { kind, namespace: metadata.namespace ?? '', name: metadata.name };
}

/** The key of the object that a reference names. */
export function keyOfRef({ kind, namespace, name }: ObjectRef): ObjectKey {
  return objectKey(kind, namespace, name);
}

/** The parts of a key that `objectKey` made. */
export function parseObjectKey(key: ObjectKey): ObjectRef {
  const [kind = '', namespace = '', name = ''] = key.split('/');
  return { kind, namespace, name };
}
