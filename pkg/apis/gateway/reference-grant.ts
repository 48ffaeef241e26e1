import type { KubeObject } from '../meta.ts';

/** Lets the objects of `from` refer to those of `to`, which live in the grant's namespace. */
export interface ReferenceGrant extends KubeObject {
  readonly kind: 'ReferenceGrant';
  readonly spec: ReferenceGrantSpec;
}

export interface ReferenceGrantSpec {
  readonly from: readonly { readonly group: string; readonly kind: string; readonly namespace: string }[];
  /** Without a name: every object of the kind. */
  readonly to: readonly { readonly group: string; readonly kind: string; readonly name?: string }[];
}
