import type { DownstreamValidation } from '../../apis/projectcontour/v1/httpproxy.ts';
import type { Reader } from '../../kubernetes-cache/reader.ts';
import { fail, type Outcome, ok, type Problem } from '../../util/outcome.ts';
import type { ClientValidation } from '../model/virtual-host.ts';
import { isDelegated, secretRef } from './delegation.ts';
import { caBundle } from './secret.ts';

type Revocation = NonNullable<ClientValidation['revocation']>;

/**
 * Which certificates clients must show. A part that cannot be had is a problem, never a validation without it: the host is then not
 * served. Problems: `TLSError`/`ClientValidationInvalid`, and `DelegationNotPermitted` for a Secret of another namespace.
 * @param namespace Of the object that asks; names without a namespace are in it.
 * @see reference 3.2
 */
export function clientValidation(reader: Reader, input: DownstreamValidation, namespace: string): Outcome<ClientValidation> {
  const skipVerification = input.skipClientCertValidation === true;
  if (!input.caSecret && !skipVerification) return invalid('caSecret must be set, unless skipClientCertValidation is true');
  if (!input.caSecret && input.crlSecret) {
    return invalid(`crlSecret "${input.crlSecret}" needs a caSecret: without one there is nobody whose list it could be`);
  }
  const authorities = input.caSecret ? authoritiesOf(reader, input.caSecret, namespace) : ok(undefined);
  if (!authorities.ok) return authorities;
  const revocation = input.crlSecret ? revocationOf(reader, input.crlSecret, input, namespace) : ok(undefined);
  if (!revocation.ok) return revocation;
  return ok({
    ...(authorities.value !== undefined && { caCertificates: authorities.value }),
    skipVerification,
    // Where nothing could be checked, nothing is demanded.
    optional: input.optionalClientCertificate === true || authorities.value === undefined,
    ...(revocation.value !== undefined && { revocation: revocation.value }),
    ...forwardOf(input),
  });
}

function authoritiesOf(reader: Reader, text: string, namespace: string): Outcome<string> {
  const ref = secretRef(text, namespace);
  const id = `${ref.namespace}/${ref.name}`;
  if (!isDelegated(reader, ref, namespace)) return notDelegated(`CA Secret "${id}"`);
  const bundle = caBundle(reader, ref);
  return bundle.ok ? bundle : invalid(`CA Secret "${id}" is invalid: ${bundle.problem.message}`);
}

function revocationOf(
  reader: Reader,
  text: string,
  { crlOnlyVerifyLeafCert }: DownstreamValidation,
  namespace: string,
): Outcome<Revocation> {
  const ref = secretRef(text, namespace);
  const id = `${ref.namespace}/${ref.name}`;
  if (!isDelegated(reader, ref, namespace)) return notDelegated(`CRL Secret "${id}"`);
  const secret = reader.get('Secret', ref.namespace, ref.name);
  if (secret === undefined) return invalid(`CRL Secret "${id}" is invalid: Secret not found`);
  const list = reader.secrets.revocationList(secret);
  if (!list.ok) return invalid(`CRL Secret "${id}" is invalid: ${list.error}`);
  return ok({ crl: list.value.crl, leafOnly: crlOnlyVerifyLeafCert === true });
}

function forwardOf({ forwardClientCertificate: wanted }: DownstreamValidation): Pick<ClientValidation, 'forward'> {
  if (wanted === undefined) return {};
  const { subject = false, cert = false, chain = false, dns = false, uri = false } = wanted;
  return { forward: { subject, cert, chain, dns, uri } };
}

/** Fields of a client validation that do nothing where they stand. `bytes`: the connections go on as bytes, not as requests. */
export function ignoredClientValidation(input: DownstreamValidation, { bytes }: { readonly bytes: boolean }): readonly string[] {
  const field = 'Spec.VirtualHost.TLS.ClientValidation';
  return [
    ...(input.crlOnlyVerifyLeafCert && !input.crlSecret ? [`${field}.CRLOnlyVerifyLeafCert has no effect without a crlSecret`] : []),
    ...(input.crlSecret && input.skipClientCertValidation
      ? [`${field}.CRLSecret "${input.crlSecret}" has no effect with skipClientCertValidation: revoked certificates are taken too`]
      : []),
    ...(input.forwardClientCertificate !== undefined && bytes
      ? [`${field}.ForwardClientCertificate has no effect with a tcpproxy, which adds no headers`]
      : []),
  ];
}

function invalid(what: string): Outcome<never> {
  return fail('TLSError', 'ClientValidationInvalid', `Spec.VirtualHost.TLS client validation is invalid: ${what}`);
}

function notDelegated(what: string): Outcome<never> {
  const problem: Problem = {
    type: 'TLSError',
    reason: 'DelegationNotPermitted',
    message: `Spec.VirtualHost.TLS ${what} certificate delegation not permitted`,
  };
  return { ok: false, problem };
}
