import { writeFileSync } from 'node:fs';

/** What a kubeconfig file of a test says. */
export interface KubeconfigOptions {
  readonly path: string;
  readonly server: string;
  /** PEM. */
  readonly ca: string;
  readonly user: string;
  readonly token: string;
}

/** Writes a kubeconfig file for one user that has a bearer token, and returns its path. */
export function writeKubeconfig({ path, server, ca, user, token }: KubeconfigOptions): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user } }],
    'current-context': 'test',
  };
  // JSON is YAML.
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  return path;
}
