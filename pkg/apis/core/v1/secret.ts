import type { KubeObject } from '../../meta.ts';

/** Certificates, keys, CA bundles, revocation lists. */
export interface Secret extends KubeObject {
  readonly kind: 'Secret';
  /** `Opaque` where it is absent. */
  readonly type?: string;
  /** Values in base64. */
  readonly data?: Readonly<Record<string, string>>;
  /** Plain text that the API server moves to `data`; only ever present in files. */
  readonly stringData?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}
