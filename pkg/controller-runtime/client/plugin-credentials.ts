import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import type { Authorization, Credentials, TlsOptions } from './credentials.ts';
import { CredentialsError } from './errors.ts';

/** Credentials by client-node: exec plugins, auth providers, proxies. It decides itself when to run a plugin again. */
export function pluginCredentials(path: string, namespace?: string): Credentials {
  const config = new KubeConfig();
  config.loadFromFile(path);
  const server = config.getCurrentCluster()?.server ?? '';
  const tls: TlsOptions = {};
  const authorize = async (): Promise<Authorization> => {
    const options: RequestOptions = {};
    try {
      await config.applyToHTTPSOptions(options);
    } catch (cause) {
      throw new CredentialsError(`kubeconfig ${path}: no credentials: ${(cause as Error).message}`, { cause });
    }
    return { headers: headersOf(options), tls, agent: options.agent };
  };
  return { server: server.replace(/\/+$/, ''), ...(namespace !== undefined && { namespace }), authorize };
}

function headersOf({ headers, auth }: RequestOptions): Readonly<Record<string, string>> {
  const plain = Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]));
  if (typeof auth !== 'string') return plain;
  return { ...plain, authorization: `Basic ${Buffer.from(auth).toString('base64')}` };
}
