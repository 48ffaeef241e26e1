import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { findCredentials } from './find-credentials.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'find-credentials-'));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A kubeconfig whose server has the given name. */
function write(path: string, server: string): string {
  const file = join(home, path);
  mkdirSync(join(file, '..'), { recursive: true });
  const context = { name: 'c', context: { cluster: 'c', user: 'u' } };
  const cluster = { name: 'c', cluster: { server: `https://${server}` } };
  writeFileSync(
    file,
    JSON.stringify({ 'current-context': 'c', contexts: [context], clusters: [cluster], users: [{ name: 'u', user: {} }] }),
  );
  return file;
}

describe('credentials', () => {
  test('are those of the file that is given, else of KUBECONFIG, else of the home directory', async () => {
    const [given, named] = [write('given', 'given'), write('named', 'named')];
    write('.kube/config', 'home');
    const server = async (options: Parameters<typeof findCredentials>[0]) => (await findCredentials(options)).server;
    expect(await server({ environment: { KUBECONFIG: named, HOME: home }, kubeconfig: given })).toBe('https://given');
    expect(await server({ environment: { KUBECONFIG: named, HOME: home } })).toBe('https://named');
    expect(await server({ environment: { KUBECONFIG: '', HOME: home } })).toBe('https://home');
  });

  test('are those of the pod before those of the home directory', async () => {
    write('.kube/config', 'home');
    const environment = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443', HOME: home };
    expect((await findCredentials({ environment })).server).toBe('https://10.0.0.1:443');
  });

  test('that are nowhere are an error that says where they were looked for', async () => {
    await expect(findCredentials({ environment: {} })).rejects.toThrow('neither KUBECONFIG nor HOME is set');
    await expect(findCredentials({ environment: { HOME: home } })).rejects.toThrow(join(home, '.kube', 'config'));
  });
});
