import { apiVersionOf, type KubeObject, type OwnerReference, type ResourceKind } from '../client/object.ts';

/** The references of an object to owners of a kind, in whatever version. */
export function ownersOf(object: KubeObject, { kind, group }: ResourceKind): readonly OwnerReference[] {
  return (object.metadata.ownerReferences ?? []).filter((owner) => owner.kind === kind && groupOf(owner.apiVersion) === group);
}

/**
 * The reference that makes an object go with its owner, and tells that the owner manages it.
 * @throws {RangeError} if the owner is not on the server yet, or in a place where it can own nothing there
 */
export function controllerReference(owner: KubeObject, kind: ResourceKind, namespace: string): OwnerReference {
  const { name, uid, namespace: home = '' } = owner.metadata;
  if (uid === undefined) throw new RangeError(`${kind.kind} ${name} has no uid, so it can own nothing`);
  if (kind.namespaced && home !== namespace) {
    throw new RangeError(`${kind.kind} ${home}/${name} cannot own what is in namespace "${namespace}"`);
  }
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}
