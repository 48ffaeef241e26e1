import type { Config, NamespacedName } from '../../config/config.ts';
import type { Reader } from '../../kubernetes-cache/reader.ts';
import type { Outcome, Problem } from '../../util/outcome.ts';
import { fail, ok } from '../../util/outcome.ts';
import type { SecretNode } from '../model/cluster.ts';
import type { Origin } from '../model/origin.ts';

/** A certificate that can be served, with what its owner should know of it. */
export interface TlsSecret {
  readonly node: SecretNode;
  /** One for a certificate that ran out: it is served all the same, so that clients see why they fail. */
  readonly warnings: readonly Problem[];
}

/**
 * The Secret as a serving or client certificate. It does not ask whether the Secret was delegated (`isDelegated`).
 * The problem is a `TLSError`/`SecretNotValid` whose message is the bare cause, such as `Secret not found`.
 */
export function tlsSecret(reader: Reader, ref: NamespacedName, origin: Origin, { listener }: Config): Outcome<TlsSecret> {
  const secret = reader.get('Secret', ref.namespace, ref.name);
  if (secret === undefined) return fail('TLSError', 'SecretNotValid', 'Secret not found');
  const pair = reader.secrets.keyPair(secret);
  if (!pair.ok) return fail('TLSError', 'SecretNotValid', pair.error);

  const { certificate, privateKey, dnsNames, keyType, notAfterMs } = pair.value;
  const names = { ...(dnsNames && { dnsNames }), ...(keyType !== undefined && { keyType }) };
  const sealed = listener.tls.certificates === 'on-demand' && { sealed: true as const };
  const node: SecretNode = { namespace: ref.namespace, name: ref.name, certificate, privateKey, ...names, ...sealed, origin };
  return ok({ node, warnings: reader.hasPassed(notAfterMs) ? [expired(ref, notAfterMs)] : [] });
}

function expired(ref: NamespacedName, notAfterMs: number): Problem {
  const message = `the certificate in Secret "${ref.namespace}/${ref.name}" expired on ${new Date(notAfterMs).toISOString()}`;
  return { type: 'TLSError', reason: 'CertificateExpired', message };
}

/** The ConfigMap's `ca.crt`: PEM of CA certificates. Problems as `tlsSecret` has them. */
export function configMapCaBundle(reader: Reader, ref: NamespacedName): Outcome<string> {
  const configMap = reader.get('ConfigMap', ref.namespace, ref.name);
  if (configMap === undefined) return fail('TLSError', 'SecretNotValid', 'ConfigMap not found');
  const bundle = reader.secrets.caBundle(configMap);
  return bundle.ok ? ok(bundle.value.certificates) : fail('TLSError', 'SecretNotValid', bundle.error);
}

/** The Secret's `ca.crt`: PEM of CA certificates. Problems as `tlsSecret` has them. */
export function caBundle(reader: Reader, ref: NamespacedName): Outcome<string> {
  const secret = reader.get('Secret', ref.namespace, ref.name);
  if (secret === undefined) return fail('TLSError', 'SecretNotValid', 'Secret not found');
  const bundle = reader.secrets.caBundle(secret);
  return bundle.ok ? ok(bundle.value.certificates) : fail('TLSError', 'SecretNotValid', bundle.error);
}
