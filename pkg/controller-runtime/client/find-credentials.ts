import { join } from 'node:path';
import { type Clock, systemClock } from '../clock/clock.ts';
import type { Credentials } from './credentials.ts';
import { CredentialsError } from './errors.ts';
import { loadInCluster } from './in-cluster.ts';
import { loadKubeconfig } from './kubeconfig.ts';

export interface FindCredentialsOptions {
  /** The process's environment: `KUBECONFIG`, `KUBERNETES_SERVICE_HOST` and `HOME` are read. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Path of a kubeconfig; it wins over the environment. */
  readonly kubeconfig?: string;
  readonly clock?: Clock;
}

/**
 * The credentials that a program finds where it runs: the kubeconfig that it is given, else the one that `KUBECONFIG`
 * names (one file), else those of a pod, else `~/.kube/config`.
 * @throws {CredentialsError} naming the file and what is wrong in it, or that there is none
 */
export async function findCredentials({ environment, kubeconfig, clock = systemClock }: FindCredentialsOptions): Promise<Credentials> {
  const { KUBECONFIG: named = '', KUBERNETES_SERVICE_HOST: host, HOME: home } = environment;
  const path = kubeconfig ?? (named === '' ? undefined : named);
  if (path !== undefined) return loadKubeconfig(path, clock);
  if (host !== undefined) return loadInCluster({ environment, clock });
  if (home !== undefined) return loadKubeconfig(join(home, '.kube', 'config'), clock);
  throw new CredentialsError('no credentials: this is no pod, and neither KUBECONFIG nor HOME is set');
}
