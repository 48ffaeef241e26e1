import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../clock/clock.ts';
import type { Credentials } from './credentials.ts';
import { CredentialsError } from './errors.ts';
import { fileCredentials } from './file-credentials.ts';

/** Where a pod finds its API server and who it is. */
export interface InClusterOptions {
  /** The process's environment: `KUBERNETES_SERVICE_HOST` and `KUBERNETES_SERVICE_PORT` are read. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default: `/var/run/secrets/kubernetes.io/serviceaccount`. */
  readonly directory?: string;
  readonly clock?: Clock;
}

const defaultDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The credentials that Kubernetes gives to a pod. @throws {CredentialsError} outside of a pod */
export function loadInCluster(options: InClusterOptions): Credentials {
  const directory = options.directory ?? defaultDirectory;
  const host = options.environment['KUBERNETES_SERVICE_HOST'];
  const port = options.environment['KUBERNETES_SERVICE_PORT'];
  if (host === undefined || port === undefined) {
    throw new CredentialsError('not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
  }
  const namespaceFile = join(directory, 'namespace');
  const sources = {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca: { file: join(directory, 'ca.crt') },
    token: { file: join(directory, 'token') },
    ...(existsSync(namespaceFile) && { namespace: readFileSync(namespaceFile, 'utf8').trim() }),
  };
  return fileCredentials(sources, options.clock ?? systemClock);
}
