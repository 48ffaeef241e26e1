import type { Ingress, IngressTLS } from '../../../apis/networking/v1/ingress.ts';
import type { Config } from '../../../config/config.ts';
import type { Reader } from '../../../kubernetes-cache/reader.ts';
import type { Problem } from '../../../util/outcome.ts';
import type { TlsTermination } from '../../model/virtual-host.ts';
import { isDelegated, secretRef } from '../../policy/delegation.ts';
import { tlsSecret } from '../../policy/secret.ts';
import { tlsVersions } from '../../policy/tls-versions.ts';
import type { IngressSettings } from './ingress-annotations.ts';

/** The hosts that an Ingress secures, in lower case, and why others are not. */
export interface IngressTls {
  readonly byHost: ReadonlyMap<string, { readonly tls: TlsTermination; readonly path: string }>;
  readonly problems: readonly Problem[];
}

/** Reads `spec.tls`. A bad entry secures nothing and is told of; the plaintext side of its hosts stays. Of two entries for one host the later holds. */
export function ingressTls(ingress: Ingress, settings: IngressSettings, reader: Reader, config: Config): IngressTls {
  const byHost = new Map<string, { tls: TlsTermination; path: string }>();
  const problems: Problem[] = [];
  const entries = ingress.spec.tls ?? [];
  const versions = tlsVersions(settings.tlsMinimum, settings.tlsMaximum, config.listener.tls);
  if (entries.length > 0 && versions === undefined) {
    const message = 'the minimum TLS protocol version is greater than the maximum: no host is secured';
    return { byHost, problems: [problem('TLSConfigNotValid', message)] };
  }
  for (const [i, entry] of entries.entries()) {
    const path = `spec.tls[${i}]`;
    const secrets = serving(entry, path, { ingress, settings, reader, config, problems });
    if (secrets === undefined || versions === undefined) continue;
    const tls: TlsTermination = { type: 'terminate', secrets, ...versions };
    for (const host of entry.hosts ?? []) {
      byHost.set(host.toLowerCase(), { tls, path });
    }
  }
  return { byHost, problems };
}

interface Serving {
  readonly ingress: Ingress;
  readonly settings: IngressSettings;
  readonly reader: Reader;
  readonly config: Config;
  readonly problems: Problem[];
}

function serving(
  { secretName = '' }: IngressTLS,
  path: string,
  { ingress, settings, reader, config, problems }: Serving,
): TlsTermination['secrets'] | undefined {
  const refuse = (message: string): undefined => {
    problems.push(problem('SecretNotValid', `${path}.secretName: ${message}`));
    return undefined;
  };
  if (secretName === '') return refuse('must be specified');
  const { name, namespace = '' } = ingress.metadata;
  const ref = secretRef(secretName, settings.secretNamespace);
  const id = `${ref.namespace}/${ref.name}`;
  if (!isDelegated(reader, ref, namespace)) return refuse(`Secret "${id}" is not delegated to namespace "${namespace}"`);
  const origin = { kind: 'Ingress', namespace, name, path: `${path}.secretName` };
  const secret = tlsSecret(reader, ref, origin, config);
  if (!secret.ok) return refuse(`Secret "${id}" is invalid: ${secret.problem.message}`);
  problems.push(...secret.value.warnings);
  return [secret.value.node];
}

function problem(reason: string, message: string): Problem {
  return { type: 'TLSError', reason, message };
}
