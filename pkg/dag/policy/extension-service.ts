import type { ExtensionService, ExtensionServiceTarget } from '../../apis/projectcontour/v1alpha1/extension-service.ts';
import type { Config, NamespacedName, TimeoutSetting } from '../../config/config.ts';
import type { Reader } from '../../kubernetes-cache/reader.ts';
import { errorMessage } from '../../util/error-text.ts';
import { fail, type Outcome, ok, type Problem } from '../../util/outcome.ts';
import type { UpstreamValidation } from '../model/cluster.ts';
import type { ExtensionCluster } from '../model/extension-cluster.ts';
import type { ExtensionTarget } from '../model/guards.ts';
import { clientCertificate } from './cluster.ts';
import { loadBalancerPolicy } from './load-balancing.ts';
import { resolveService } from './service.ts';
import { parseTimeout } from './timeout.ts';
import { upstreamValidation } from './upstream-validation.ts';
import { effectiveWeights } from './weights.ts';

/** What an ExtensionService says. It has a cluster exactly where it has no errors. */
export interface ExtensionServiceFindings {
  readonly cluster?: ExtensionCluster;
  readonly responseTimeoutMs?: TimeoutSetting;
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Reads an ExtensionService; all that is wrong with it is told. @see reference 3.14 */
export function extensionServiceFindings(reader: Reader, config: Config, object: ExtensionService): ExtensionServiceFindings {
  const { spec, metadata } = object;
  const timeouts = timeoutsOf(object);
  const certificate = clientCertificate(reader, config);
  const validation = validationOf(reader, object);
  const services = spec.services.map((target) => serviceOf({ reader, config, object }, target));
  const consistent = consistencyOf(object);
  const parts = [timeouts, certificate, validation, consistent, ...services];
  const errors = parts.flatMap((part) => (part.ok ? [] : [part.problem]));
  const warnings = warningsOf(object);
  const response = timeouts.ok && timeouts.value.response !== undefined ? { responseTimeoutMs: timeouts.value.response } : {};
  if (errors.length > 0 || !timeouts.ok || !certificate.ok || !validation.ok) return { ...response, errors, warnings };

  const { protocol = 'h2' } = spec;
  const weights = effectiveWeights(spec.services.map(({ weight = 0 }) => weight));
  const cluster: ExtensionCluster = {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    services: services.flatMap((service, i) => (service.ok ? [{ service: service.value, weight: weights[i] ?? 0 }] : [])),
    ...(protocol !== 'http/1.1' && { protocol }),
    loadBalancerPolicy: hashes(object) ? 'RoundRobin' : loadBalancerPolicy(spec.loadBalancerPolicy?.strategy),
    // Its own limits stand in for all of the configuration's.
    circuitBreakers: spec.circuitBreakerPolicy ?? config.cluster.circuitBreakers,
    ...(validation.value !== undefined && { upstreamValidation: validation.value, sni: validation.value.subjectNames[0] ?? '' }),
    ...(protocol === 'h2' && certificate.value !== undefined && { clientCertificate: certificate.value }),
    ...(timeouts.value.idleConnection !== undefined && { idleConnectionTimeoutMs: timeouts.value.idleConnection }),
    origin: originOf(object, ''),
  };
  return { cluster, ...response, errors, warnings };
}

/**
 * An ExtensionService as somebody who asks it needs it. The problem is the bare cause: `extension service "ns/name" not found`, also where
 * it is there and has errors.
 */
export function extensionTarget(reader: Reader, config: Config, ref: NamespacedName): Outcome<ExtensionTarget> {
  const { namespace, name } = ref;
  const object = reader.get('ExtensionService', namespace, name);
  const findings = object && extensionServiceFindings(reader, config, object);
  if (findings?.cluster === undefined) {
    return fail('AuthError', 'ExtensionServiceNotFound', `extension service "${namespace}/${name}" not found`);
  }
  const { cluster, responseTimeoutMs } = findings;
  return ok({
    namespace,
    name,
    ...(cluster.sni !== undefined && { sni: cluster.sni }),
    ...(responseTimeoutMs !== undefined && { timeoutMs: responseTimeoutMs }),
  });
}

function originOf({ metadata }: ExtensionService, path: string) {
  return { kind: 'ExtensionService', namespace: metadata.namespace ?? '', name: metadata.name, path };
}

function timeoutsOf({ spec }: ExtensionService): Outcome<{ readonly response: TimeoutSetting; readonly idleConnection: TimeoutSetting }> {
  try {
    const { response = '', idleConnection = '' } = spec.timeoutPolicy ?? {};
    return ok({ response: parseTimeout(response), idleConnection: parseTimeout(idleConnection) });
  } catch (error) {
    return fail('SpecError', 'TimeoutPolicyNotValid', `spec.timeoutPolicy failed to parse: ${errorMessage(error)}`);
  }
}

function validationOf(reader: Reader, object: ExtensionService): Outcome<UpstreamValidation | undefined> {
  const { validation } = object.spec;
  if (validation === undefined) return ok(undefined);
  const found = upstreamValidation(reader, validation, originOf(object, 'spec.validation'));
  if (found.ok || found.problem.reason !== 'TLSUpstreamValidation') return found;
  return fail('SpecError', 'TLSUpstreamValidation', `TLS upstream validation policy error: ${found.problem.message}`);
}

function consistencyOf({ spec: { validation, protocol = 'h2' } }: ExtensionService): Outcome<undefined> {
  if (validation === undefined || protocol === 'h2') return ok(undefined);
  return fail('SpecError', 'InconsistentProtocol', `upstream TLS validation not supported for "${protocol}" protocol`);
}

interface ServiceContext {
  readonly reader: Reader;
  readonly config: Config;
  readonly object: ExtensionService;
}

/** Envoy finds these endpoints itself, so a Service that is only a DNS name cannot be among them. */
function serviceOf({ reader, config, object }: ServiceContext, { name, port }: ExtensionServiceTarget) {
  const namespace = object.metadata.namespace ?? '';
  if (reader.get('Service', namespace, name)?.spec?.type === 'ExternalName') {
    const message = `Service "${namespace}/${name}" is of unsupported type "ExternalName"`;
    return fail('ServiceError', 'UnsupportedServiceType', message);
  }
  const resolved = resolveService(reader, config, { namespace, name, port });
  if (resolved.ok) return ok(resolved.value.service);
  const { type, reason, message } = resolved.problem;
  return fail(type, reason, `unresolved service "${namespace}/${name}": ${message}`);
}

function hashes({ spec }: ExtensionService): boolean {
  const strategy = spec.loadBalancerPolicy?.strategy;
  return strategy === 'Cookie' || strategy === 'RequestHash';
}

function warningsOf(object: ExtensionService): readonly Problem[] {
  const { loadBalancerPolicy: policy, timeoutPolicy } = object.spec;
  const ignored = (message: string): Problem => ({ type: 'SpecError', reason: 'IgnoredField', message });
  return [
    ...(hashes(object)
      ? [ignored(`ignoring field "Spec.LoadBalancerPolicy": ${policy?.strategy} is not possible, RoundRobin is used`)]
      : []),
    ...(timeoutPolicy?.idle ? [ignored('ignoring field "Spec.TimeoutPolicy.Idle": it has no effect on an ExtensionService')] : []),
  ];
}
