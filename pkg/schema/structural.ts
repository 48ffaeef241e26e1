/** A value as JSON has it. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/**
 * A structural schema: the subset of OpenAPI v3 that a CustomResourceDefinition may hold. One such value is both what
 * the API server is given and what file mode admits objects by.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
export interface StructuralSchema extends ValueValidation {
  readonly type?: 'array' | 'boolean' | 'integer' | 'number' | 'object' | 'string';
  readonly description?: string;
  readonly default?: JsonValue;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'map' | 'set';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-validations'?: readonly StructuralRule[];
}

/** Bounds on a value, without structure. */
export interface ValueValidation {
  readonly format?: string;
  readonly enum?: readonly JsonValue[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly allOf?: readonly NestedValidation[];
  readonly anyOf?: readonly NestedValidation[];
  readonly oneOf?: readonly NestedValidation[];
  readonly not?: NestedValidation;
}

/** What may stand inside `allOf`, `anyOf`, `oneOf`, `not`: it bounds values and specifies no structure. */
export interface NestedValidation extends ValueValidation {
  readonly type?: StructuralSchema['type'];
  readonly properties?: Readonly<Record<string, NestedValidation>>;
  readonly items?: NestedValidation;
}

/** A rule over a value of the schema: the API server runs `rule`, file mode runs `check`, or `rule` where there is no check. */
export interface StructuralRule {
  /** CEL; `self` is the value. A rule that names `oldSelf` holds for updates alone. */
  readonly rule: string;
  readonly message?: string;
  /** Does what `rule` does; not part of the CustomResourceDefinition. */
  readonly check?: (self: never) => boolean;
}
