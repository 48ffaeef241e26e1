import type { KubeObject } from '../../meta.ts';
import type { DetailedCondition } from './httpproxy.ts';

export interface TLSCertificateDelegation extends KubeObject {
  readonly kind: 'TLSCertificateDelegation';
  readonly spec: TLSCertificateDelegationSpec;
  readonly status?: TLSCertificateDelegationStatus;
}

export interface TLSCertificateDelegationSpec {
  readonly delegations: readonly {
    readonly secretName: string;
    readonly targetNamespaces: readonly string[];
  }[];
}

export interface TLSCertificateDelegationStatus {
  readonly conditions?: readonly DetailedCondition[];
}
