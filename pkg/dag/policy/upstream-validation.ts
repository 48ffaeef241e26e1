import type { Reader } from '../../kubernetes-cache/reader.ts';
import type { Outcome } from '../../util/outcome.ts';
import { fail, ok } from '../../util/outcome.ts';
import type { UpstreamValidation } from '../model/cluster.ts';
import type { Origin } from '../model/origin.ts';
import { isDelegated, secretRef } from './delegation.ts';
import { caBundle } from './secret.ts';

/** Whom to trust, as HTTPProxy and ExtensionService have it. */
export interface UpstreamValidationInput {
  readonly caSecret: string;
  readonly subjectName: string;
  readonly subjectNames?: readonly string[];
}

/**
 * Finds out whom to trust as an upstream. Problems: `TLSError`/`CACertificateNotDelegated`, and
 * `ServiceError`/`TLSUpstreamValidation` whose message is the bare cause.
 */
export function upstreamValidation(reader: Reader, input: UpstreamValidationInput, origin: Origin): Outcome<UpstreamValidation> {
  const ref = secretRef(input.caSecret, origin.namespace);
  const id = `${ref.namespace}/${ref.name}`;
  if (!isDelegated(reader, ref, origin.namespace)) {
    const message = `CA Secret "${id}" is not delegated to namespace "${origin.namespace}"`;
    return fail('TLSError', 'CACertificateNotDelegated', message);
  }
  const bundle = caBundle(reader, ref);
  if (!bundle.ok) return unusable(`invalid CA Secret "${id}": ${bundle.problem.message}`);

  const subjectNames = input.subjectNames?.length ? input.subjectNames : [input.subjectName];
  if (subjectNames.includes('')) return unusable('missing subject alternative name');
  return ok({ caCertificates: bundle.value, subjectNames, origin });
}

function unusable(cause: string): Outcome<never> {
  return fail('ServiceError', 'TLSUpstreamValidation', cause);
}
