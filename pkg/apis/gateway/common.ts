/** Names what a route attaches to. @see Gateway API `ParentReference` */
export interface ParentReference {
  /** Default `gateway.networking.k8s.io`. */
  readonly group?: string;
  /** Default `Gateway`. */
  readonly kind?: string;
  /** Default: the route's own. */
  readonly namespace?: string;
  readonly name: string;
  /** A listener of the parent. */
  readonly sectionName?: string;
  readonly port?: number;
}

/** Names an object in any namespace. */
export interface ObjectReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** Names an object in the same namespace. */
export interface LocalObjectReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** Names a Secret, unless group and kind say otherwise. */
export interface SecretObjectReference {
  /** Default `''`. */
  readonly group?: string;
  /** Default `Secret`. */
  readonly kind?: string;
  readonly name: string;
  readonly namespace?: string;
}

/** Names a Service, unless group and kind say otherwise. */
export interface BackendObjectReference {
  /** Default `''`. */
  readonly group?: string;
  /** Default `Service`. */
  readonly kind?: string;
  readonly name: string;
  readonly namespace?: string;
  /** Needed for a Service. */
  readonly port?: number;
}

export interface BackendRef extends BackendObjectReference {
  /** Default 1. */
  readonly weight?: number;
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator: string;
  readonly values?: readonly string[];
}

/** A condition as `meta/v1` has it. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** RFC 3339. */
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/** What routes have in common in their `spec`. */
export interface CommonRouteSpec {
  readonly parentRefs?: readonly ParentReference[];
}

export interface RouteStatus {
  readonly parents: readonly RouteParentStatusEntry[];
}

export interface RouteParentStatusEntry {
  readonly parentRef: ParentReference;
  readonly controllerName: string;
  readonly conditions?: readonly Condition[];
}

/** Exact by default. */
export interface HTTPHeaderMatch {
  readonly type?: 'Exact' | 'RegularExpression';
  readonly name: string;
  readonly value: string;
}

export interface HTTPHeader {
  readonly name: string;
  readonly value: string;
}

export interface HTTPHeaderFilter {
  readonly set?: readonly HTTPHeader[];
  readonly add?: readonly HTTPHeader[];
  readonly remove?: readonly string[];
}

export interface HTTPRequestMirrorFilter {
  readonly backendRef: BackendObjectReference;
  /** 0 to 100. */
  readonly percent?: number;
  readonly fraction?: { readonly numerator: number; readonly denominator?: number };
}
