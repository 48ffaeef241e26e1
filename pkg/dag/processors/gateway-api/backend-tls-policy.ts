import type { BackendTLSPolicy, PolicyTargetReference, SubjectAltName } from '../../../apis/gateway/backend-tls-policy.ts';
import type { LocalObjectReference } from '../../../apis/gateway/common.ts';
import { type ObjectRef, refOf } from '../../../apis/meta.ts';
import type { Reader } from '../../../kubernetes-cache/reader.ts';
import { compareStrings } from '../../../util/compare.ts';
import { fail, type Outcome, ok } from '../../../util/outcome.ts';
import type { ServicePort, UpstreamValidation } from '../../model/cluster.ts';
import { hostnameProblem } from '../../policy/gateway-listeners.ts';
import { caBundle, configMapCaBundle } from '../../policy/secret.ts';
import { type Finding, fault } from './findings.ts';

/** How a port of a Service is spoken to over TLS, as its policy has it. */
export interface BackendTls {
  readonly upstreamValidation: UpstreamValidation;
  readonly sni: string;
}

/**
 * What the policy of a Service's port says; `undefined`: none speaks of it. A policy that cannot be followed is `'unusable'`: requests
 * must fail then, for whoever wrote it does not want them to go on unverified.
 */
export function backendTls(reader: Reader, { namespace, name, portName }: ServicePort): BackendTls | 'unusable' | undefined {
  const own = portName === '' ? undefined : governing(reader, { namespace, name }, portName);
  const policy = own ?? governing(reader, { namespace, name }, undefined);
  return policy === undefined ? undefined : (tlsOf(policy, reader).tls ?? 'unusable');
}

/** The policies that speak of a Service or of a port of it, each with what is to be said of it. */
export function policiesOf(reader: Reader, service: Pick<ObjectRef, 'namespace' | 'name'>): readonly PolicyFindings[] {
  return policiesFor(reader, service).map((policy) => ({ policy, findings: findingsOf(policy, reader) }));
}

export interface PolicyFindings {
  readonly policy: BackendTLSPolicy;
  readonly findings: readonly Finding[];
}

/** What is wrong with a policy: of `Accepted` at most the first that holds, of `ResolvedRefs` everything. */
function findingsOf(policy: BackendTLSPolicy, reader: Reader): readonly Finding[] {
  const { refused, references } = tlsOf(policy, reader);
  const targets = policy.spec.targetRefs.flatMap((target, i) => targetFault(policy, target, `spec.targetRefs[${i}]`, reader) ?? []);
  return [...(refused === undefined ? targets.slice(0, 1) : [refused]), ...references];
}

type Service = Pick<ObjectRef, 'namespace' | 'name'>;

/** In the order of the API's precedence: the older one first, then by name. */
function policiesFor(reader: Reader, { namespace, name }: Service): readonly BackendTLSPolicy[] {
  const found = reader
    .list('policies-for-service', `${namespace}/${name}`)
    .flatMap((ref) => reader.get('BackendTLSPolicy', ref.namespace, ref.name) ?? []);
  return found
    .filter(({ spec }) => spec.targetRefs.some((target) => isService(target) && target.name === name))
    .toSorted((a, b) => compareStrings(ageOf(a), ageOf(b)) || compareStrings(a.metadata.name, b.metadata.name));
}

function ageOf({ metadata }: BackendTLSPolicy): string {
  return metadata.creationTimestamp ?? '';
}

/** The policy that counts for a port by its name, or for a Service as a whole. */
function governing(reader: Reader, service: Service, sectionName: string | undefined): BackendTLSPolicy | undefined {
  return policiesFor(reader, service).find(({ spec }) =>
    spec.targetRefs.some((target) => isService(target) && target.name === service.name && target.sectionName === sectionName),
  );
}

function isService({ group, kind }: PolicyTargetReference): boolean {
  return group === '' && kind === 'Service';
}

/** Why the policy has no effect on one of its targets. */
function targetFault(policy: BackendTLSPolicy, target: PolicyTargetReference, path: string, reader: Reader): Finding | undefined {
  if (!isService(target)) return fault('Accepted', 'Invalid', `${path}: only a Service of the core group is supported`);
  const { name, sectionName } = target;
  const { namespace = '' } = policy.metadata;
  const service = reader.get('Service', namespace, name);
  if (service === undefined) return fault('Accepted', 'TargetNotFound', `${path}: Service "${namespace}/${name}" not found`);
  if (sectionName !== undefined && !(service.spec?.ports ?? []).some((port) => port.name === sectionName)) {
    return fault('Accepted', 'TargetNotFound', `${path}.sectionName: Service "${namespace}/${name}" has no port "${sectionName}"`);
  }
  const winner = governing(reader, { namespace, name }, sectionName);
  if (winner === undefined || winner.metadata.name === policy.metadata.name) return undefined;
  return fault('Accepted', 'Conflicted', `${path}: the older BackendTLSPolicy "${namespace}/${winner.metadata.name}" counts`);
}

interface Verdict {
  /** Absent where the policy cannot be followed. */
  readonly tls?: BackendTls;
  /** Why it cannot: of condition `Accepted`. */
  readonly refused?: Finding;
  /** References that lead nowhere: of condition `ResolvedRefs`. */
  readonly references: readonly Finding[];
}

function tlsOf(policy: BackendTLSPolicy, reader: Reader): Verdict {
  const { hostname, wellKnownCACertificates = '', caCertificateRefs = [], subjectAltNames = [] } = policy.spec.validation;
  const path = 'spec.validation';
  const outcomes = caCertificateRefs.map((ref, i) => authorities(ref, `${path}.caCertificateRefs[${i}]`, policy, reader));
  const references = outcomes.flatMap((one) => (one.ok ? [] : [fault('ResolvedRefs', one.problem.reason, one.problem.message)]));
  const refuse = (reason: string, message: string): Verdict => ({ refused: fault('Accepted', reason, message), references });

  const problem = hostname === '' ? 'must be specified' : hostname.startsWith('*') ? 'must not be a wildcard' : hostnameProblem(hostname);
  if (problem !== undefined) return refuse('Invalid', `${path}.hostname: ${problem}`);
  if (wellKnownCACertificates !== '') {
    const message = `${path}.wellKnownCACertificates: "${wellKnownCACertificates}" is not supported, name the certificates in caCertificateRefs`;
    return refuse('Invalid', message);
  }
  const caCertificates = outcomes.map((one) => (one.ok ? one.value : '')).join('');
  if (caCertificates === '') return refuse('NoValidCACertificate', `${path}.caCertificateRefs: none of them leads to a certificate`);
  const origin = { ...refOf(policy), path };
  return { tls: { upstreamValidation: { caCertificates, ...subjects(hostname, subjectAltNames), origin }, sni: hostname }, references };
}

/** With alternative names, the hostname says no more than whom to ask for. */
function subjects(hostname: string, names: readonly SubjectAltName[]): Pick<UpstreamValidation, 'subjectNames' | 'subjectUris'> {
  if (names.length === 0) return { subjectNames: [hostname] };
  const of = (type: SubjectAltName['type']) =>
    names.flatMap((name) => (name.type === type ? ((type === 'URI' ? name.uri : name.hostname) ?? []) : []));
  const uris = of('URI');
  return { subjectNames: of('Hostname'), ...(uris.length > 0 && { subjectUris: uris }) };
}

/** PEM of what one reference leads to. */
function authorities(
  { group, kind, name }: LocalObjectReference,
  path: string,
  { metadata: { namespace = '' } }: BackendTLSPolicy,
  reader: Reader,
): Outcome<string> {
  if (group !== '' || (kind !== 'ConfigMap' && kind !== 'Secret')) {
    return fail('ResolvedRefs', 'InvalidKind', `${path}: only a ConfigMap or a Secret of the core group is supported`);
  }
  const bundle = kind === 'ConfigMap' ? configMapCaBundle(reader, { namespace, name }) : caBundle(reader, { namespace, name });
  if (bundle.ok) return ok(bundle.value);
  return fail('ResolvedRefs', 'InvalidCACertificateRef', `${path}: ${kind} "${namespace}/${name}" is invalid: ${bundle.problem.message}`);
}
