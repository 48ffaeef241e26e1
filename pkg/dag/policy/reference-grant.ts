import type { Reader } from '../../kubernetes-cache/reader.ts';

/** Who refers: the kind and namespace of the object that holds the reference. */
export interface ReferenceFrom {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
}

/** What is referred to. */
export interface ReferenceTo {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Whether a reference may be followed: within a namespace always, across namespaces when a ReferenceGrant in the target's
 * namespace has both a `from` and a `to` that fit. A `to` without a name fits every name.
 * @see Gateway API, ReferenceGrant
 */
export function isReferenceGranted(from: ReferenceFrom, to: ReferenceTo, reader: Reader): boolean {
  if (from.namespace === to.namespace) return true;
  return reader.list('grants-in', to.namespace).some(({ namespace, name }) => {
    const grant = reader.get('ReferenceGrant', namespace, name);
    if (grant === undefined) return false;
    const fromFits = grant.spec.from.some(
      (entry) => entry.group === from.group && entry.kind === from.kind && entry.namespace === from.namespace,
    );
    return (
      fromFits &&
      grant.spec.to.some(
        (entry) => entry.group === to.group && entry.kind === to.kind && ((entry.name ?? '') === '' || entry.name === to.name),
      )
    );
  });
}
