import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { parse } from 'yaml';

// Each test starts the program, some more than once.
jest.setTimeout(60_000);

const main = new URL('./main.ts', import.meta.url).pathname;
const compileCache = new URL('../../.cache/node', import.meta.url).pathname;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'isoline-cli-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function isoline(
  args: readonly string[],
  { stdin = '', node = [] }: { readonly stdin?: string; readonly node?: readonly string[] } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...node, main, ...args], {
    stdio: 'pipe',
    cwd: dir,
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  });
  child.stdin.end(stdin);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode, stdout, stderr };
}

const proxy = `apiVersion: projectcontour.io/v1
kind: HTTPProxy
metadata: {name: app}
spec:
  virtualhost: {fqdn: app.example.com}
  routes: [{services: [{name: app, port: 80}]}]
---
apiVersion: v1
kind: Service
metadata: {name: app}
spec: {ports: [{port: 80}]}
`;

describe('isoline', () => {
  test.each([
    ['no-such-command'],
    ['serve', '--no-such-flag'],
    ['bootstrap'],
    ['bootstrap', '--no-such-flag', 'x'],
    ['--no-such-flag'],
    ['translate'],
    ['translate', '-o', 'nope', 'x'],
  ])('%s %s is exit code 2 with the usage', async (...args) => {
    const { code, stdout, stderr } = await isoline(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^isoline: error: [\s\S]*Usage: isoline/);
  });

  test('version prints branch, commit and version', async () => {
    const { code, stdout } = await isoline(['version']);
    expect(code).toBe(0);
    expect(parse(stdout)).toEqual({
      branch: expect.any(String),
      sha: expect.any(String),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  });

  test('serve refuses a bad configuration with exit code 1, key and line', async () => {
    await writeFile(join(dir, 'bad.yaml'), 'debug: true\ntls:\n  minimum-protocol-version: "1.1"\n');
    const { code, stderr } = await isoline(['serve', '--insecure', '--config-path=bad.yaml']);
    expect(code).toBe(1);
    expect(stderr).toContain('bad.yaml:3: tls.minimum-protocol-version: "1.1": must be one of "1.2", "1.3"');
  });
});

describe('bootstrap', () => {
  test('writes a file, or standard output', async () => {
    const path = join(dir, 'envoy.json');
    expect(await isoline(['bootstrap', path, '--xds-address=10.1.2.3'])).toMatchObject({ code: 0, stdout: '' });
    expect(await readFile(path, 'utf8')).toContain('10.1.2.3');
    const { code, stdout } = await isoline(['bootstrap', '-', '--xds-port=9999']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ admin: { address: { pipe: { path: '/admin/admin.sock' } } } });
    expect(stdout).toContain('9999');
  });

  test('writes the files that let Envoy follow a rotation', async () => {
    for (const name of ['ca', 'cert', 'key']) await writeFile(join(dir, name), name);
    const resources = join(dir, 'resources');
    const args = [
      'bootstrap',
      join(dir, 'tls.json'),
      '--envoy-cafile=ca',
      '--envoy-cert-file=cert',
      '--envoy-key-file=key',
      `--resources-dir=${resources}`,
    ];
    expect(await isoline(args)).toMatchObject({ code: 0, stderr: '' });
    const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(resources, 'sds', name), 'utf8'));
    expect(await read('xds-tls-certificate.json')).toMatchObject({ resources: [{ name: 'contour_xds_tls_certificate' }] });
    expect(await read('xds-validation-context.json')).toMatchObject({ resources: [{ name: 'contour_xds_tls_validation_context' }] });
    expect((await stat(join(resources, 'sds'))).mode & 0o777).toBe(0o777);
  });

  test('refuses an empty certificate file', async () => {
    await writeFile(join(dir, 'empty'), '');
    const { code, stderr } = await isoline(['bootstrap', '-', '--envoy-cafile=empty', '--envoy-cert-file=empty', '--envoy-key-file=empty']);
    expect(code).toBe(1);
    expect(stderr).toContain('--envoy-cafile: empty is empty');
  });
});

describe('translate', () => {
  test('prints resources, DAG and status of what it reads from standard input', async () => {
    const xds = parse((await isoline(['translate', '-'], { stdin: proxy })).stdout) as Record<string, unknown>;
    expect(Object.keys(xds)).toEqual(expect.arrayContaining(['cluster', 'listener', 'route']));
    const dag = JSON.parse((await isoline(['translate', '-', '--output=dag', '--format=json'], { stdin: proxy })).stdout) as unknown;
    expect(dag).toMatchObject({ virtualHosts: { ingress_http: { 'app.example.com': { host: 'app.example.com' } } } });
    const status = parse((await isoline(['translate', '-o', 'status', '-'], { stdin: proxy })).stdout) as unknown;
    expect(status).toMatchObject([{ kind: 'HTTPProxy', metadata: { name: 'app' }, status: { currentStatus: 'valid' } }]);
  });

  test('a mistake is told with file and line, the rest is printed, and the exit code is 1', async () => {
    await writeFile(
      join(dir, 'mixed.yaml'),
      `${proxy}---\napiVersion: v1\nkind: Service\nmetadata: {name: bad}\nspec:\n  ports:\n  - port: x\n`,
    );
    const { code, stdout, stderr } = await isoline(['translate', 'mixed.yaml', '-o', 'dag']);
    expect(code).toBe(1);
    expect(stderr).toContain('mixed.yaml:18: Service default/bad: spec.ports[0].port: ');
    expect(stdout).toContain('app.example.com');
  });

  test('what an Ingress has no status for is told as a warning', async () => {
    const ingress =
      'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: app}\nspec:\n  tls: [{hosts: [app.example.com], secretName: none}]\n  rules: [{host: app.example.com}]\n';
    const { code, stderr } = await isoline(['translate', '-'], { stdin: ingress });
    expect(stderr).toBe(
      'warning: Ingress default/app: TLSError/SecretNotValid: spec.tls[0].secretName: Secret "default/none" is invalid: Secret not found\n',
    );
    expect(code).toBe(0);
  });

  test('a ContourConfiguration among the objects is the configuration', async () => {
    const configuration =
      '---\napiVersion: projectcontour.io/v1alpha1\nkind: ContourConfiguration\nmetadata: {name: c}\nspec: {envoy: {http: {port: 9090}}}\n';
    const { stdout } = await isoline(['translate', '-', '-o', 'dag'], { stdin: `${proxy}${configuration}` });
    expect(parse(stdout)).toMatchObject({ listeners: { ingress_http: { port: 9090 } } });
  });

  test('what is not there is named', async () => {
    expect(await isoline(['translate', 'no-such-file'])).toMatchObject({
      code: 1,
      stderr: 'isoline: error: no-such-file: there is no such file or folder\n',
    });
  });

  test('loads neither the Kubernetes client nor gRPC', async () => {
    const spy =
      "import { registerHooks } from 'node:module'; registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context); } });";
    const { code, stderr } = await isoline(['translate', '-'], {
      stdin: proxy,
      node: ['--import', `data:text/javascript,${encodeURIComponent(spy)}`],
    });
    expect(code).toBe(0);
    expect(stderr).toContain('/cmd/isoline/translate.ts');
    expect(
      stderr.split('\n').filter((url) => /client-node|grpc-js|prom-client|controller-runtime|peculiar|reflect-metadata/.test(url)),
    ).toEqual([]);
  });
});
