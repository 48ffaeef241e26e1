import type { TLS, VirtualHost } from '../../../apis/projectcontour/v1/httpproxy.ts';
import { fail, failed, type Outcome, ok, type Problem } from '../../../util/outcome.ts';
import type { SecretNode } from '../../model/cluster.ts';
import type { ClientValidation, TlsPassthrough, TlsTermination } from '../../model/virtual-host.ts';
import { clientValidation, ignoredClientValidation } from '../../policy/client-validation.ts';
import { isDelegated, secretRef } from '../../policy/delegation.ts';
import { httpsListener } from '../../policy/listeners.ts';
import { tlsSecret } from '../../policy/secret.ts';
import { type TlsVersions, tlsVersions } from '../../policy/tls-versions.ts';
import { originOf, problem, type RootBuild } from './build.ts';

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
  return passthrough ? ok<TlsPassthrough>({ type: 'passthrough' }) : processTermination(build, host, tls);
}

function processTermination(build: RootBuild, host: VirtualHost, tls: TLS): Outcome<TlsTermination> {
  const secret = servingSecret(build, tls.secretName ?? '');
  if (!secret.ok) return secret;
  const listener = httpsListener(build.reader, build.config);
  if (!listener.ok) return listener;
  const versions = protocolVersions(build, tls);
  if (!versions.ok) return versions;
  const fallback = fallbackSecret(build, host, tls);
  if (!fallback.ok) return fallback;
  const validation = validationOf(build, tls);
  if (!validation.ok) return validation;
  return ok({
    type: 'terminate',
    secrets: [secret.value],
    ...versions.value,
    ...(validation.value !== undefined && { clientValidation: validation.value }),
    ...(fallback.value !== undefined && { fallback: fallback.value }),
  });
}

function servingSecret({ reader, config, root }: RootBuild, text: string): Outcome<SecretNode> {
  const ref = secretRef(text, root.namespace);
  const id = `${ref.namespace}/${ref.name}`;
  // Before the look-up: a namespace that may not use a Secret must not learn whether it exists.
  if (!isDelegated(reader, ref, root.namespace)) return notDelegated(`Spec.VirtualHost.TLS Secret "${id}"`);
  const secret = tlsSecret(reader, ref, originOf(root.proxy, 'spec.virtualhost.tls.secretName'), config);
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

/** The certificate for clients whose server name leads nowhere; `undefined` where the host does not ask for it. */
function fallbackSecret({ reader, config, root }: RootBuild, host: VirtualHost, tls: TLS): Outcome<SecretNode | undefined> {
  if (tls.enableFallbackCertificate !== true) return ok(undefined);
  const guarded = guardedBy(host, tls);
  if (guarded !== undefined) return failed(incompatible(`fallback certificate and ${guarded} are incompatible`));

  const ref = config.fallbackCertificate;
  if (ref === undefined) {
    return fail('TLSError', 'FallbackNotPresent', 'Spec.Virtualhost.TLS enabled fallback but no fallback certificate is configured');
  }
  const id = `${ref.namespace}/${ref.name}`;
  if (!isDelegated(reader, ref, root.namespace)) {
    const message = `fallback certificate Secret "${id}" is not delegated to namespace "${root.namespace}"`;
    return fail('TLSError', 'FallbackNotDelegated', message);
  }
  const secret = tlsSecret(reader, ref, originOf(root.proxy, 'spec.virtualhost.tls.enableFallbackCertificate'), config);
  if (!secret.ok) {
    return fail('TLSError', 'FallbackNotValid', `fallback certificate Secret "${id}" is invalid: ${secret.problem.message}`);
  }
  root.warnings.push(...secret.value.warnings);
  if (root.proxy.spec.tcpproxy === undefined) return ok(secret.value.node);
  const message = 'Spec.VirtualHost.TLS.EnableFallbackCertificate has no effect with a tcpproxy: without its server name there is no host';
  root.warnings.push(problem('SpecError', 'IgnoredField', message));
  return ok(undefined);
}

/** What keeps a host from being reached without its server name, by a chain that has none of it. */
function guardedBy(host: VirtualHost, tls: TLS): string | undefined {
  if (tls.clientValidation !== undefined) return 'client validation';
  if (host.authorization !== undefined) return 'client authorization';
  return host.jwtProviders?.length ? 'JWT verification' : undefined;
}

function validationOf({ reader, root }: RootBuild, { clientValidation: input }: TLS): Outcome<ClientValidation | undefined> {
  if (input === undefined) return ok(undefined);
  const ignored = ignoredClientValidation(input, { bytes: root.proxy.spec.tcpproxy !== undefined });
  root.warnings.push(...ignored.map((message) => problem('SpecError', 'IgnoredField', message)));
  return clientValidation(reader, input, root.namespace);
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
