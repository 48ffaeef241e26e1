import { homedir } from 'node:os';
import { join } from 'node:path';
import { Client } from '../../pkg/controller-runtime/client/client.ts';
import { loadInCluster } from '../../pkg/controller-runtime/client/in-cluster.ts';
import { loadKubeconfig } from '../../pkg/controller-runtime/client/kubeconfig.ts';
import { RestClient, type RestClientOptions } from '../../pkg/controller-runtime/client/rest-client.ts';
import type { KubernetesClientOptions } from '../../pkg/config/serve-options.ts';

/** Rates that the client has where only one of the two is configured. */
const defaultQps = 20;
const defaultBurst = 30;

/** A client with the credentials of the pod or of a kubeconfig. No limit is set unless one is configured: the API server has its own. */
export async function createClient(
  { inCluster, kubeconfig, qps, burst }: KubernetesClientOptions,
  env: Readonly<Record<string, string | undefined>>,
  more: Partial<RestClientOptions> = {},
): Promise<{ readonly client: Client; readonly rest: RestClient }> {
  const path = kubeconfig ?? join(env['HOME'] ?? homedir(), '.kube', 'config');
  const credentials = inCluster ? loadInCluster({ environment: env }) : await loadKubeconfig(path);
  const isLimited = (qps ?? 0) > 0 || (burst ?? 0) > 0;
  const rest = new RestClient({
    credentials,
    userAgent: 'isoline',
    ...(isLimited && { limit: { qps: qps || defaultQps, burst: burst || defaultBurst } }),
    ...more,
  });
  return { client: new Client(rest), rest };
}
