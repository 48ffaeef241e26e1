import type { SecretNode } from '../../dag/model/cluster.ts';
import type { VirtualHost } from '../../dag/model/virtual-host.ts';
import { compareStrings } from '../../util/compare.ts';
import { secretName } from '../names.ts';
import { isExactHost } from '../route/scopes.ts';

/** Hosts that share a filter chain, with the certificates of the chain. */
export interface ChainMembers {
  /** In order of their names. */
  readonly hosts: readonly VirtualHost[];
  /** In order of their names; each once. */
  readonly secrets: readonly SecretNode[];
}

/**
 * Divides hosts among filter chains so that each is shown its own certificates, whatever names are in these.
 *
 * Of several certificates in a chain Envoy takes one that has the server name, then one that has the wildcard a label above it, then the
 * first (1.40, `DefaultTlsCertificateSelector`). So a host shares a chain with other certificates only if exactly its own is taken by
 * that rule; all keys of such a chain are of one kind, as Envoy also chooses by what kinds the client takes. Other hosts share a chain
 * only with those of the same certificates, where it is as in a chain of its own.
 */
export function chainMembers(hosts: readonly VirtualHost[]): readonly ChainMembers[] {
  const sorted = [...hosts].sort((a, b) => compareStrings(a.host, b.host));
  const chosen = choices(sorted);
  const chains = new Map<string, VirtualHost[]>();
  for (const host of sorted) chains.getOrInsertComputed(chainKey(host, chosen), () => []).push(host);
  return [...chains].sort(([a], [b]) => compareStrings(a, b)).map(([, members]) => ({ hosts: members, secrets: distinctSecrets(members) }));
}

/** The names of the certificates that have a name, for each kind of key. */
type Choices = ReadonlyMap<string, ReadonlySet<string>>;

function choices(hosts: readonly VirtualHost[]): Choices {
  const byName = new Map<string, Set<string>>();
  for (const { dnsNames = [], keyType, ...secret } of hosts.flatMap(secretsOf)) {
    for (const name of dnsNames) byName.getOrInsertComputed(`${keyType} ${name}`, () => new Set()).add(secretName(secret));
  }
  return byName;
}

function chainKey(host: VirtualHost, chosen: Choices): string {
  const secrets = secretsOf(host);
  const [secret] = secrets;
  // The chain of `*` is reached by what it is not named for.
  if (host.host === '*') return '*';
  if (secrets.length === 1 && secret?.keyType !== undefined && isChosen(host.host, secret, chosen)) return `by name ${secret.keyType}`;
  return `of ${secrets.map(secretName).sort().join(' ')}`;
}

function isChosen(host: string, secret: SecretNode, chosen: Choices): boolean {
  // The server names that a wildcard stands for are not known.
  if (!isExactHost(host)) return false;
  const having = chosen.get(`${secret.keyType} ${host}`) ?? chosen.get(`${secret.keyType} *${host.slice(host.indexOf('.'))}`);
  return having?.size === 1 && having.has(secretName(secret));
}

function secretsOf({ tls }: VirtualHost): readonly SecretNode[] {
  return tls?.type === 'terminate' ? tls.secrets : [];
}

function distinctSecrets(hosts: readonly VirtualHost[]): readonly SecretNode[] {
  const byName = new Map(hosts.flatMap(secretsOf).map((secret) => [secretName(secret), secret] as const));
  return [...byName].sort(([a], [b]) => compareStrings(a, b)).map(([, secret]) => secret);
}
