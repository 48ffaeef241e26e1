/**
 * Where a node of the DAG comes from: an object and the field in it.
 * It goes into Envoy's metadata as `isoline.origin`, and from a refusal by Envoy back to the object.
 */
export interface Origin {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** A field path such as `spec.routes[2].services[0]`; `''` for the object as a whole. */
  readonly path: string;
}
