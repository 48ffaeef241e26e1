import type { ConfigMap } from '../apis/core/v1/config-map.ts';
import type { Secret } from '../apis/core/v1/secret.ts';

/** What a Secret is good for. Each part is checked only when it is asked for, and once per version of the Secret. */
export interface SecretInspector {
  /** As a serving or client certificate: `tls.crt` and `tls.key`. */
  keyPair(secret: Secret): Inspection<KeyPair>;
  /** As a bundle of CA certificates: `ca.crt`. It is no secret, so a ConfigMap will do. */
  caBundle(holder: Secret | ConfigMap): Inspection<{ /** PEM of the CERTIFICATE blocks alone. */ readonly certificates: string }>;
  /** As a list of revoked certificates: `crl.pem`. */
  revocationList(secret: Secret): Inspection<{ readonly crl: string }>;
}

/** The value, or why the Secret cannot serve for it (the text of reference 3.2, such as `missing TLS certificate`). */
export type Inspection<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string };

/** A certificate with its key, decoded and checked against each other. */
export interface KeyPair {
  /** PEM of the chain, leaf first, without text between the blocks. */
  readonly certificate: string;
  /** PEM of the one key. */
  readonly privateKey: string;
  /** The DNS names among the leaf's alternative names, as they are spelled there: exact ones and `*.suffix`. Absent: not known. */
  readonly dnsNames?: readonly string[];
  /** Such as `rsa` or `ec`. Absent: not known. */
  readonly keyType?: string;
  /** Milliseconds since 1970. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}
