import type { SecretObjectReference } from '../../../apis/gateway/common.ts';
import type { GatewayListener } from '../../../apis/gateway/gateway.ts';
import type { ObjectRef } from '../../../apis/meta.ts';
import type { Config } from '../../../config/config.ts';
import type { Reader } from '../../../kubernetes-cache/reader.ts';
import { fail, type Outcome, ok } from '../../../util/outcome.ts';
import type { SecretNode } from '../../model/cluster.ts';
import type { TlsPassthrough, TlsTermination } from '../../model/virtual-host.ts';
import { gatewayGroup } from '../../policy/gateway-listeners.ts';
import { isReferenceGranted } from '../../policy/reference-grant.ts';
import { tlsSecret } from '../../policy/secret.ts';
import { type Finding, fault } from './findings.ts';

/** What a listener is read with. */
export interface ListenerContext {
  /** The Gateway. */
  readonly ref: ObjectRef;
  readonly reader: Reader;
  readonly config: Config;
}

/** How a listener ends TLS, and what is wrong with that. */
export interface ListenerTls {
  readonly tls?: TlsTermination | TlsPassthrough;
  readonly findings: readonly Finding[];
  /** What its owner should know although it is served, such as a certificate that ran out. */
  readonly warnings: readonly Finding[];
}

const none: ListenerTls = { findings: [], warnings: [] };

/** Reads `tls` of a listener whose protocol has it. Every certificate must be usable, or the listener serves nothing. */
export function listenerTls(listener: GatewayListener, index: number, context: ListenerContext): ListenerTls {
  const { protocol, tls } = listener;
  if (protocol !== 'HTTPS' && protocol !== 'TLS') return none;
  if (tls === undefined) return invalid(`Listener.TLS is required when protocol is "${protocol}"`);
  const { mode = 'Terminate', certificateRefs = [] } = tls;
  if (mode === 'Passthrough') return passthrough(protocol, certificateRefs);
  if (mode !== 'Terminate') return invalid(`Listener.TLS.Mode "${String(mode)}" is not supported`);
  if (certificateRefs.length === 0)
    return invalid('Listener.TLS.CertificateRefs must name a certificate when Listener.TLS.Mode is "Terminate"');
  return termination(certificateRefs, `spec.listeners[${index}].tls.certificateRefs`, context);
}

function invalid(message: string): ListenerTls {
  return { findings: [fault('Programmed', 'Invalid', message)], warnings: [] };
}

function passthrough(protocol: string, certificateRefs: readonly unknown[]): ListenerTls {
  if (protocol === 'HTTPS') return invalid('Listener.TLS.Mode must be "Terminate" when protocol is "HTTPS"');
  if (certificateRefs.length > 0) return invalid('Listener.TLS.CertificateRefs must be empty when Listener.TLS.Mode is "Passthrough"');
  return { ...none, tls: { type: 'passthrough' } };
}

function termination(refs: readonly SecretObjectReference[], path: string, context: ListenerContext): ListenerTls {
  const findings: Finding[] = [];
  const warnings: Finding[] = [];
  const secrets: SecretNode[] = [];
  refs.forEach((ref, i) => {
    const found = certificate(ref, `${path}[${i}]`, context);
    if (!found.ok) findings.push(fault('ResolvedRefs', found.problem.reason, found.problem.message));
    else {
      secrets.push(found.value.node);
      warnings.push(...found.value.warnings);
    }
  });
  if (findings.length > 0) return { findings, warnings };
  const { minVersion, maxVersion } = context.config.listener.tls;
  return { tls: { type: 'terminate', secrets, minVersion, maxVersion }, findings, warnings };
}

function certificate(
  { group = '', kind = 'Secret', namespace, name }: SecretObjectReference,
  path: string,
  { ref: gateway, reader, config }: ListenerContext,
): Outcome<{ node: SecretNode; warnings: readonly Finding[] }> {
  if (group !== '' || kind !== 'Secret') return refused('InvalidCertificateRef', `${path}: only Secrets of the core group are supported`);
  const secret = { namespace: namespace ?? gateway.namespace, name };
  const from = { group: gatewayGroup, kind: 'Gateway', namespace: gateway.namespace };
  if (!isReferenceGranted(from, { group, kind, ...secret }, reader)) {
    return refused('RefNotPermitted', `${path}: no ReferenceGrant allows the use of Secret "${secret.namespace}/${name}"`);
  }
  const found = tlsSecret(reader, secret, { ...gateway, path }, config);
  if (!found.ok)
    return refused('InvalidCertificateRef', `${path}: Secret "${secret.namespace}/${name}" is invalid: ${found.problem.message}`);
  const warnings = found.value.warnings.map(
    ({ message }): Finding => ({ type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs', message }),
  );
  return ok({ node: found.value.node, warnings });
}

function refused(reason: string, message: string): Outcome<never> {
  return fail('ResolvedRefs', reason, message);
}
