import type { KubeObject } from '../meta.ts';
import type { Condition, LocalObjectReference, ParentReference } from './common.ts';

/** How TLS to a backend is verified. */
export interface BackendTLSPolicy extends KubeObject {
  readonly kind: 'BackendTLSPolicy';
  readonly spec: BackendTLSPolicySpec;
  readonly status?: BackendTLSPolicyStatus;
}

export interface BackendTLSPolicySpec {
  readonly targetRefs: readonly PolicyTargetReference[];
  readonly validation: BackendTLSPolicyValidation;
  readonly options?: Readonly<Record<string, string>>;
}

export interface PolicyTargetReference extends LocalObjectReference {
  /** For a Service: the name of a port. */
  readonly sectionName?: string;
}

export interface BackendTLSPolicyValidation {
  /** Exactly one of this and wellKnownCACertificates. */
  readonly caCertificateRefs?: readonly LocalObjectReference[];
  /** `System` or a vendor's own. */
  readonly wellKnownCACertificates?: string;
  /** SNI, and the name to verify unless there are subjectAltNames. */
  readonly hostname: string;
  readonly subjectAltNames?: readonly SubjectAltName[];
}

export interface SubjectAltName {
  readonly type: 'Hostname' | 'URI';
  readonly hostname?: string;
  readonly uri?: string;
}

export interface BackendTLSPolicyStatus {
  readonly ancestors: readonly {
    readonly ancestorRef: ParentReference;
    readonly controllerName: string;
    readonly conditions?: readonly Condition[];
  }[];
}
