import type { BackendObjectReference, BackendRef } from '../../../apis/gateway/common.ts';
import type { ObjectRef } from '../../../apis/meta.ts';
import type { Config } from '../../../config/config.ts';
import type { Reader } from '../../../kubernetes-cache/reader.ts';
import type { Outcome } from '../../../util/outcome.ts';
import { fail, ok } from '../../../util/outcome.ts';
import type { Cluster, UpstreamProtocol } from '../../model/cluster.ts';
import { serviceCluster } from '../../policy/cluster.ts';
import { gatewayGroup } from '../../policy/gateway-listeners.ts';
import { isReferenceGranted } from '../../policy/reference-grant.ts';
import { type ResolvedService, resolveService } from '../../policy/service.ts';
import { backendTls } from './backend-tls-policy.ts';

/** The route whose rules are read. */
export interface RouteContext {
  readonly ref: ObjectRef;
  readonly reader: Reader;
  readonly config: Config;
  /** What backends are spoken to in when their Services do not say. Absent: HTTP/1.1. */
  readonly defaultProtocol?: UpstreamProtocol;
}

const knownAppProtocols = ['', 'http', 'https', 'kubernetes.io/h2c', 'kubernetes.io/ws'];

/** The cluster of a backend. The problem is one of condition `ResolvedRefs`, with its reason. `path` is the field of the reference. */
export function backendCluster(backend: BackendObjectReference, path: string, context: RouteContext): Outcome<Cluster> {
  const resolved = backendService(backend, path, context);
  if (!resolved.ok) return resolved;
  const protocol = resolved.value.protocol ?? context.defaultProtocol;
  return ok(serviceCluster(resolved.value, { origin: { ...context.ref, path }, protocol }, context.config));
}

/**
 * The cluster of a backend that gets requests: as its BackendTLSPolicy has it, where there is one. `'withheld'`: the policy cannot be
 * followed, so that requests must fail; the route itself is not at fault.
 */
export function requestCluster(backend: BackendObjectReference, path: string, context: RouteContext): Outcome<Cluster | 'withheld'> {
  const resolved = backendService(backend, path, context);
  if (!resolved.ok) return resolved;
  const protocol = resolved.value.protocol ?? context.defaultProtocol;
  const tls = backendTls(context.reader, resolved.value.service);
  if (tls === 'unusable') return ok('withheld');
  const settings = { origin: { ...context.ref, path }, protocol: tls === undefined ? protocol : overTls(protocol) };
  return ok(serviceCluster(resolved.value, { ...settings, ...tls }, context.config));
}

/** A policy asks for TLS; the version of HTTP stays. */
function overTls(protocol: UpstreamProtocol | undefined): UpstreamProtocol {
  return protocol === 'h2' || protocol === 'h2c' ? 'h2' : 'tls';
}

function backendService(backend: BackendObjectReference, path: string, { ref, reader, config }: RouteContext): Outcome<ResolvedService> {
  const { group = '', kind = 'Service', name, port } = backend;
  if (group !== '' || kind !== 'Service') return unresolved('InvalidKind', `${path}: only a Service of the core group is supported`);
  if (name === '') return unresolved('Degraded', `${path}.name: must be specified`);
  if (port === undefined) return unresolved('Degraded', `${path}.port: must be specified`);

  const namespace = backend.namespace ?? ref.namespace;
  const from = { group: gatewayGroup, kind: ref.kind, namespace: ref.namespace };
  if (!isReferenceGranted(from, { group, kind, namespace, name }, reader)) {
    return unresolved('RefNotPermitted', `${path}: no ReferenceGrant allows the use of Service "${namespace}/${name}"`);
  }
  const resolved = resolveService(reader, config, { namespace, name, port });
  if (!resolved.ok) return unresolved('BackendNotFound', `${path}: service "${name}" is invalid: ${resolved.problem.message}`);
  const { appProtocol = '' } = resolved.value;
  if (knownAppProtocols.includes(appProtocol)) return resolved;
  return unresolved('UnsupportedProtocol', `${path}: AppProtocol: "${appProtocol}" is unsupported`);
}

/** Its share of the requests; 1 where it is not said. */
export function weightOf({ weight = 1 }: BackendRef): number {
  return weight;
}

function unresolved(reason: string, message: string): Outcome<never> {
  return fail('ResolvedRefs', reason, message);
}
