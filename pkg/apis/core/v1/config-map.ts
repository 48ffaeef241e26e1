import type { KubeObject } from '../../meta.ts';

/** Text and bytes that belong to no other kind. Isoline reads CA bundles from it (BackendTLSPolicy). */
export interface ConfigMap extends KubeObject {
  readonly kind: 'ConfigMap';
  readonly data?: Readonly<Record<string, string>>;
  /** Values in base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}
