import type { KubeObject } from '../../meta.ts';

/** A namespace: Isoline reads its labels, for selectors of Gateway listeners. */
export interface Namespace extends KubeObject {
  readonly kind: 'Namespace';
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string };
}
