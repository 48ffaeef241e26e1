import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { type Clock, systemClock } from '../clock/clock.ts';
import type { Credentials } from './credentials.ts';
import { CredentialsError } from './errors.ts';
import { type CredentialSources, fileCredentials, type Material } from './file-credentials.ts';

interface ClusterEntry {
  readonly server?: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'tls-server-name'?: string;
  readonly 'proxy-url'?: string;
}

interface UserEntry {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly username?: string;
  readonly password?: string;
  readonly as?: string;
  readonly exec?: unknown;
  readonly 'auth-provider'?: unknown;
}

interface Kubeconfig {
  readonly clusters?: readonly { readonly name: string; readonly cluster?: ClusterEntry }[];
  readonly users?: readonly { readonly name: string; readonly user?: UserEntry }[];
  readonly contexts?: readonly {
    readonly name: string;
    readonly context?: { readonly cluster?: string; readonly user?: string; readonly namespace?: string };
  }[];
  readonly 'current-context'?: string;
}

/**
 * The credentials of a kubeconfig's current context. Tokens, certificates and passwords are used as they are; what
 * needs a plugin (exec, an auth provider) or a proxy goes through client-node, which is loaded only then: it costs
 * most of a second and 80 MB.
 *
 * @throws {CredentialsError} naming the file and what is wrong in it
 */
export async function loadKubeconfig(path: string, clock: Clock = systemClock): Promise<Credentials> {
  const { cluster, user, namespace } = currentContext(path, await parseFile(path));
  if (user.exec !== undefined || user['auth-provider'] !== undefined || cluster['proxy-url'] !== undefined) {
    const { pluginCredentials } = await import('./plugin-credentials.ts');
    return pluginCredentials(path, namespace);
  }
  return fileCredentials(sourcesOf(path, cluster, user, namespace), clock);
}

async function parseFile(path: string): Promise<Kubeconfig> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new CredentialsError(`kubeconfig ${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
  try {
    const parsed = text.trimStart().startsWith('{') ? JSON.parse(text) : (await import('yaml')).parse(text);
    if (typeof parsed !== 'object' || parsed === null) throw new Error('it is not a mapping');
    return parsed as Kubeconfig;
  } catch (cause) {
    throw new CredentialsError(`kubeconfig ${path} cannot be parsed: ${(cause as Error).message}`, { cause });
  }
}

function currentContext(path: string, config: Kubeconfig) {
  const name = config['current-context'] ?? '';
  if (name === '') throw new CredentialsError(`kubeconfig ${path}: current-context is not set`);
  const context = config.contexts?.find((entry) => entry.name === name)?.context;
  if (context === undefined) throw new CredentialsError(`kubeconfig ${path}: there is no context "${name}"`);
  const cluster = config.clusters?.find((entry) => entry.name === context.cluster)?.cluster;
  if (cluster?.server === undefined) {
    throw new CredentialsError(`kubeconfig ${path}: context "${name}" names cluster "${context.cluster ?? ''}", which has no server`);
  }
  const user = config.users?.find((entry) => entry.name === context.user)?.user;
  return { cluster, user: user ?? {}, namespace: context.namespace };
}

function sourcesOf(path: string, cluster: ClusterEntry, user: UserEntry, namespace?: string): CredentialSources {
  const material = (file: string | undefined, data: string | undefined): Material | undefined => {
    if (data !== undefined) return { value: Buffer.from(data, 'base64').toString('utf8') };
    if (file === undefined) return undefined;
    return { file: isAbsolute(file) ? file : join(dirname(path), file) };
  };
  const ca = material(cluster['certificate-authority'], cluster['certificate-authority-data']);
  const cert = material(user['client-certificate'], user['client-certificate-data']);
  const key = material(user['client-key'], user['client-key-data']);
  const token = user.token === undefined ? material(user.tokenFile, undefined) : { value: user.token };
  const skipVerify = cluster['insecure-skip-tls-verify'] === true;
  return {
    server: (cluster.server ?? '').replace(/\/+$/, ''),
    ...(namespace !== undefined && { namespace }),
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(token !== undefined && { token }),
    ...(user.username !== undefined && { basic: `${user.username}:${user.password ?? ''}` }),
    ...(user.as !== undefined && { impersonate: user.as }),
    ...(cluster['tls-server-name'] !== undefined && { servername: cluster['tls-server-name'] }),
    ...(skipVerify && { skipVerify }),
  };
}
