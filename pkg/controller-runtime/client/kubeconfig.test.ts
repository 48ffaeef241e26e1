import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FakeClock } from '../clock/fake-clock.ts';
import { loadInCluster } from './in-cluster.ts';
import { loadKubeconfig } from './kubeconfig.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const base64 = (text: string) => Buffer.from(text).toString('base64');

function write(text: string): string {
  const path = join(directory, 'config');
  writeFileSync(path, text);
  return path;
}

const config = (user: string, cluster = '') => `
apiVersion: v1
kind: Config
current-context: b
clusters:
- name: other
  cluster: {server: 'https://other'}
- name: c
  cluster: {server: 'https://192.0.2.1:6443/prefix/', ${cluster}}
users:
- name: u
  user: ${user}
contexts:
- name: a
  context: {cluster: other, user: u}
- name: b
  context: {cluster: c, user: u, namespace: shop}
`;

describe('loadKubeconfig', () => {
  test('the current context counts', async () => {
    const credentials = await loadKubeconfig(write(config('{token: secret}')));
    expect(credentials).toMatchObject({ server: 'https://192.0.2.1:6443/prefix', namespace: 'shop' });
    expect((await credentials.authorize(false)).headers).toEqual({ authorization: 'Bearer secret' });
  });

  test('certificates come from data, or from files beside the kubeconfig', async () => {
    writeFileSync(join(directory, 'key.pem'), 'the key');
    const user = `{client-certificate-data: ${base64('the certificate')}, client-key: key.pem}`;
    const credentials = await loadKubeconfig(write(config(user, `certificate-authority-data: ${base64('the CA')}, tls-server-name: kube`)));
    expect((await credentials.authorize(false)).tls).toEqual({ ca: 'the CA', cert: 'the certificate', key: 'the key', servername: 'kube' });
  });

  test.each([
    ['a password', '{username: me, password: pw}', { authorization: `Basic ${base64('me:pw')}` }],
    ['somebody to act as', '{token: t, as: other}', { authorization: 'Bearer t', 'impersonate-user': 'other' }],
    ['nothing', '{}', {}],
  ])('a user with %s', async (_, user, want) => {
    expect((await (await loadKubeconfig(write(config(user)))).authorize(false)).headers).toEqual(want);
  });

  test('a certificate that is not to be checked', async () => {
    const credentials = await loadKubeconfig(write(config('{}', 'insecure-skip-tls-verify: true')));
    expect((await credentials.authorize(false)).tls).toEqual({ rejectUnauthorized: false });
  });

  test('an exec plugin is run', async () => {
    const status = JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token: 'made' } });
    const exec = `{exec: {apiVersion: client.authentication.k8s.io/v1, command: echo, args: ['${status}'], interactiveMode: Never}}`;
    const credentials = await loadKubeconfig(write(config(exec)));
    expect(credentials.server).toBe('https://192.0.2.1:6443/prefix');
    expect((await credentials.authorize(false)).headers).toMatchObject({ authorization: 'Bearer made' });
  }, 30_000);

  test.each([
    ['is no YAML', 'a: [', 'cannot be parsed'],
    ['is no mapping', 'hello', 'it is not a mapping'],
    ['has no current context', 'kind: Config', 'current-context is not set'],
    ['names a context that is not there', 'current-context: x', 'there is no context "x"'],
    [
      'names a cluster that is not there',
      'current-context: x\ncontexts: [{name: x, context: {cluster: gone}}]',
      'names cluster "gone", which has no server',
    ],
  ])('a file that %s is refused with its path', async (_, text, want) => {
    const path = write(text);
    await expect(loadKubeconfig(path)).rejects.toThrow(want);
    await expect(loadKubeconfig(path)).rejects.toThrow(path);
  });

  test('a file that is not there is refused with its path', async () => {
    await expect(loadKubeconfig('/nowhere/config')).rejects.toThrow('kubeconfig /nowhere/config cannot be read: ENOENT');
  });

  test('a key file that is not there is named', async () => {
    const credentials = await loadKubeconfig(write(config('{client-key: gone.pem}')));
    await expect(credentials.authorize(false)).rejects.toThrow(join(directory, 'gone.pem'));
  });
});

describe('a token in a file', () => {
  test('is read again after a minute, or at once when it was refused', async () => {
    const token = join(directory, 'token');
    writeFileSync(token, 'one\n');
    const clock = new FakeClock();
    const credentials = await loadKubeconfig(write(config('{tokenFile: token}')), clock);
    const header = async (refused: boolean) => (await credentials.authorize(refused)).headers['authorization'];
    expect(await header(false)).toBe('Bearer one');
    writeFileSync(token, 'two');
    expect(await header(false)).toBe('Bearer one');
    expect(await header(true)).toBe('Bearer two');
    writeFileSync(token, 'three');
    await clock.advance(60_000);
    expect(await header(false)).toBe('Bearer three');
  });

  test('that changes closes no connection', async () => {
    const token = join(directory, 'token');
    writeFileSync(token, 'one');
    const credentials = await loadKubeconfig(write(config('{tokenFile: token}')), new FakeClock());
    const before = await credentials.authorize(false);
    writeFileSync(token, 'two');
    expect((await credentials.authorize(true)).tls).toBe(before.tls);
  });
});

describe('loadInCluster', () => {
  test('takes server, token and CA from where a pod has them', async () => {
    for (const [file, text] of Object.entries({ token: 'tok', 'ca.crt': 'CA', namespace: 'mine\n' }))
      writeFileSync(join(directory, file), text);
    const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    const credentials = loadInCluster({ environment, directory });
    expect(credentials).toMatchObject({ server: 'https://[fd00::1]:443', namespace: 'mine' });
    expect(await credentials.authorize(false)).toEqual({ headers: { authorization: 'Bearer tok' }, tls: { ca: 'CA' } });
  });

  test('is refused outside of a pod', () => {
    expect(() => loadInCluster({ environment: {} })).toThrow('KUBERNETES_SERVICE_HOST');
  });
});
