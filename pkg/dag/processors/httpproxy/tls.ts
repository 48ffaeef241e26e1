import type { TLS, VirtualHost } from '../../../apis/projectcontour/v1/httpproxy.ts';
import { fail, failed, type Outcome, ok, type Problem } from '../../../util/outcome.ts';
import type { SecretNode } from '../../model/cluster.ts';
import type { TlsPassthrough, TlsTermination } from '../../model/virtual-host.ts';
import { isDelegated, secretRef } from '../../policy/delegation.ts';
import { httpsListener } from '../../policy/listeners.ts';
import { caBundle, tlsSecret } from '../../policy/secret.ts';
import { type TlsVersions, tlsVersions } from '../../policy/tls-versions.ts';
import { originOf, problem, type RootBuild } from './build.ts';
import { authorizationProblem, jwtProblem } from './unsupported.ts';

/** Says how a root's host ends TLS, or passes it on; refuses what cannot go together. */
export function processTls(build: RootBuild, host: VirtualHost, tls: TLS): Outcome<TlsTermination | TlsPassthrough> {
  const passthrough = tls.passthrough === true;
  if (passthrough && tls.enableFallbackCertificate) {
    // Recorded without stopping: what else is wrong with the stanza is told too.
    build.root.errors.push(incompatible('both Passthrough and enableFallbackCertificate were specified'));
  }
  if (tls.secretName && passthrough) return notValid('both Passthrough and SecretName were specified');
  if (!tls.secretName && !passthrough) return notValid('neither Passthrough nor SecretName were specified');
  if (passthrough && tls.clientValidation !== undefined) {
    return failed(incompatible('passthrough cannot be combined with clientValidation'));
  }
  const terminated = passthrough ? ok<TlsPassthrough>({ type: 'passthrough' }) : processTermination(build, host, tls);
  if (!terminated.ok) return terminated;
  const unenforced = authorizationProblem(build, host) ?? jwtProblem(host);
  return unenforced === undefined ? terminated : failed(unenforced);
}

function processTermination(build: RootBuild, host: VirtualHost, tls: TLS): Outcome<TlsTermination> {
  const secret = servingSecret(build, tls.secretName ?? '');
  if (!secret.ok) return secret;
  const listener = httpsListener(build.reader, build.config);
  if (!listener.ok) return listener;
  const versions = protocolVersions(build, tls);
  if (!versions.ok) return versions;
  const refusal = fallbackProblem(build, host, tls) ?? clientValidationProblem(build, tls);
  if (refusal !== undefined) return failed(refusal);
  return ok({ type: 'terminate', secrets: [secret.value], ...versions.value });
}

function servingSecret({ reader, root }: RootBuild, text: string): Outcome<SecretNode> {
  const ref = secretRef(text, root.namespace);
  const id = `${ref.namespace}/${ref.name}`;
  // Before the look-up: a namespace that may not use a Secret must not learn whether it exists.
  if (!isDelegated(reader, ref, root.namespace)) return notDelegated(`Spec.VirtualHost.TLS Secret "${id}"`);
  const secret = tlsSecret(reader, ref, originOf(root.proxy, 'spec.virtualhost.tls.secretName'));
  if (!secret.ok) {
    return fail('TLSError', 'SecretNotValid', `Spec.VirtualHost.TLS Secret "${id}" is invalid: ${secret.problem.message}`);
  }
  root.warnings.push(...secret.value.warnings);
  return ok(secret.value.node);
}

function protocolVersions({ config }: RootBuild, tls: TLS): Outcome<TlsVersions> {
  const versions = tlsVersions(tls.minimumProtocolVersion ?? '', tls.maximumProtocolVersion ?? '', config.listener.tls);
  return versions === undefined ? notValid('the minimum protocol version is greater than the maximum protocol version') : ok(versions);
}

function fallbackProblem(build: RootBuild, host: VirtualHost, tls: TLS): Problem | undefined {
  if (tls.enableFallbackCertificate !== true) return undefined;
  if (tls.clientValidation !== undefined) return incompatible('fallback certificate and client validation are incompatible');
  if (host.authorization !== undefined) return incompatible('fallback certificate and client authorization are incompatible');
  if (host.jwtProviders?.length) return incompatible('fallback certificate and JWT verification are incompatible');

  const ref = build.config.fallbackCertificate;
  if (ref === undefined) {
    return problem('TLSError', 'FallbackNotPresent', 'Spec.Virtualhost.TLS enabled fallback but no fallback certificate is configured');
  }
  const id = `${ref.namespace}/${ref.name}`;
  if (!isDelegated(build.reader, ref, build.root.namespace)) {
    return problem(
      'TLSError',
      'FallbackNotDelegated',
      `fallback certificate Secret "${id}" is not delegated to namespace "${build.root.namespace}"`,
    );
  }
  const secret = tlsSecret(build.reader, ref, originOf(build.root.proxy, 'spec.virtualhost.tls.enableFallbackCertificate'));
  return secret.ok
    ? undefined
    : problem('TLSError', 'FallbackNotValid', `fallback certificate Secret "${id}" is invalid: ${secret.problem.message}`);
}

/** What is wrong with the client validation; a right one is refused too, for as long as it is not enforced. */
function clientValidationProblem({ reader, root }: RootBuild, { clientValidation }: TLS): Problem | undefined {
  if (clientValidation === undefined) return undefined;
  const { caSecret, skipClientCertValidation } = clientValidation;
  if (caSecret) {
    const ref = secretRef(caSecret, root.namespace);
    const id = `${ref.namespace}/${ref.name}`;
    if (!isDelegated(reader, ref, root.namespace)) return delegationProblem(`Spec.VirtualHost.TLS CA Secret "${id}"`);
    const bundle = caBundle(reader, ref);
    if (!bundle.ok) return clientProblem(`CA Secret "${id}" is invalid: ${bundle.problem.message}`);
  } else if (skipClientCertValidation !== true) {
    return clientProblem('CA Secret must be specified');
  }
  return clientProblem('client validation is not supported by this version, so the host is not served');
}

function clientProblem(what: string): Problem {
  return problem('TLSError', 'ClientValidationInvalid', `Spec.VirtualHost.TLS client validation is invalid: ${what}`);
}

function delegationProblem(what: string): Problem {
  return problem('TLSError', 'DelegationNotPermitted', `${what} certificate delegation not permitted`);
}

function notDelegated(what: string): Outcome<never> {
  return failed(delegationProblem(what));
}

function incompatible(what: string): Problem {
  return problem('TLSError', 'TLSIncompatibleFeatures', `Spec.VirtualHost.TLS: ${what}`);
}

function notValid(what: string): Outcome<never> {
  return fail('TLSError', 'TLSConfigNotValid', `Spec.VirtualHost.TLS: ${what}`);
}
