import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '../../pkg/controller-runtime/client/client.ts';
import type { TestEnvironment } from '../../pkg/controller-runtime/envtest/environment.ts';
import { openConnection } from '../../pkg/provider/kubernetes/connection.ts';
import { infoOf } from '../../pkg/provider/kubernetes/kinds.ts';
import { silentLogger } from '../../pkg/util/logger.ts';
import { startApiServer } from '../lib/api-server.ts';
import { freePort } from '../lib/envoy-process.ts';
import { eventually } from '../lib/eventually.ts';
import { startFaultProxy } from '../lib/fault-proxy.ts';
import { get } from '../lib/http-client.ts';

const main = new URL('../../cmd/isoline/main.ts', import.meta.url).pathname;
const namespace = 'projectcontour';
let environment: TestEnvironment;
let client: Client;

beforeAll(async () => {
  environment = await startApiServer({ crds: [new URL('../../config/crd', import.meta.url).pathname], namespaces: [namespace, 'shop'] });
  const { reads } = await openConnection(
    { inCluster: false, kubeconfig: environment.kubeconfig },
    { environment: {}, userAgent: 'test', log: silentLogger },
  );
  client = new Client(reads);
}, 120_000);
afterAll(() => environment?.stop());

interface Served extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly output: () => string;
}

function isoline(...args: readonly string[]): Served {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CONTOUR_NAMESPACE: namespace },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { child, output: () => output, [Symbol.asyncDispose]: stop };
}

const create = (kind: 'ContourConfiguration' | 'HTTPProxy', name: string, spec: object, inNamespace = namespace) => {
  const { group, version } = infoOf(kind);
  return client.create(infoOf(kind), {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name, namespace: inNamespace },
    spec,
  } as never);
};

describe('serve on a cluster', () => {
  test('a ContourConfiguration is the configuration; HTTPProxies get their status; a signal ends it', async () => {
    const [xds, health, metrics, debug] = await Promise.all(Array.from({ length: 4 }, freePort));
    await create('ContourConfiguration', 'mine', {
      xdsServer: { address: '127.0.0.1', port: xds, tls: { insecure: true } },
      health: { address: '127.0.0.1', port: health },
      metrics: { address: '127.0.0.1', port: metrics },
      debug: { address: '127.0.0.1', port: debug },
      envoy: { http: { address: '127.0.0.1', port: 18_080 } },
    });
    await create(
      'HTTPProxy',
      'app',
      { virtualhost: { fqdn: 'app.example.com' }, routes: [{ services: [{ name: 'missing', port: 80 }] }] },
      'shop',
    );
    await using served = isoline(
      'serve',
      `--kubeconfig=${environment.kubeconfig}`,
      '--contour-config-name=mine',
      '--disable-leader-election',
    );

    await eventually('readiness', async () => (await get({ port: health!, host: 'x', path: '/readyz' })).status === 200, 20_000);
    expect((await get({ port: health!, host: 'x', path: '/healthz' })).body).toBe('OK');
    expect((await get({ port: debug!, host: 'x', path: '/debug/dag' })).body).toContain('127.0.0.1:18080');
    await eventually('the status of the HTTPProxy', async () => {
      const proxy = await client.get(infoOf('HTTPProxy'), { namespace: 'shop', name: 'app' });
      return (proxy as { status?: { currentStatus?: string } } | undefined)?.status?.currentStatus === 'invalid';
    });
    await eventually('the count of status writes', async () =>
      (await get({ port: metrics!, host: 'x', path: '/metrics' })).body.includes('contour_status_update_success_total{kind="HTTPProxy"} 1'),
    );
    served.child.kill('SIGTERM');
    await once(served.child, 'exit');
    expect(served.child.exitCode).toBe(0);
    expect(served.output()).toContain('Isoline has stopped');
  }, 60_000);

  const faults: readonly { readonly name: string; readonly spec?: object; readonly args?: readonly string[]; readonly want: string }[] = [
    { name: 'a ContourConfiguration that is not there', want: 'there is no ContourConfiguration projectcontour/fault' },
    {
      name: 'a value in it that is wrong',
      spec: { envoy: { logging: { accessLogFormat: 'xml' } } },
      want: 'spec.envoy.logging.accessLogFormat: "xml": must be one of',
    },
    {
      name: 'a service in it that is not there',
      spec: {
        xdsServer: { tls: { insecure: true } },
        tracing: { extensionService: { namespace: 'shop', name: 'nope' } },
        health: { port: 0 },
        metrics: { port: 0 },
        debug: { port: 0 },
      },
      want: 'tracing.extensionService: there is no ExtensionService shop/nope',
    },
    {
      name: 'a second source of the configuration',
      args: ['--config-path=/dev/null'],
      want: '--contour-config-name: cannot be given with --config-path',
    },
  ];
  test.each(faults)(
    '$name ends it with exit code 1',
    async ({ spec, args = [], want }) => {
      if (spec !== undefined) await create('ContourConfiguration', 'fault', spec);
      await using served = isoline(
        'serve',
        `--kubeconfig=${environment.kubeconfig}`,
        '--contour-config-name=fault',
        '--disable-leader-election',
        ...args,
      );
      await once(served.child, 'exit');
      expect(served.output()).toContain(want);
      expect(served.child.exitCode).toBe(1);
      await client.delete(infoOf('ContourConfiguration'), { namespace, name: 'fault' });
    },
    60_000,
  );
});

describe('serve', () => {
  const ports = async () => {
    const [xds, health, metrics, debug] = await Promise.all(Array.from({ length: 4 }, freePort));
    const flags = [
      '--insecure',
      '--disable-leader-election',
      '--xds-address=127.0.0.1',
      `--xds-port=${xds}`,
      '--health-address=127.0.0.1',
      `--health-port=${health}`,
      '--http-address=127.0.0.1',
      `--http-port=${metrics}`,
      `--debug-http-port=${debug}`,
    ];
    const answers = async (path: string): Promise<number> => (await get({ port: health!, host: 'x', path })).status;
    return { flags, answers };
  };

  test('waits for an API server that does not answer, says so, and is ready when it does', async () => {
    await using proxy = await startFaultProxy(environment);
    proxy.rule = () => ({ type: 'cut' });
    const kubeconfig = join(environment.directory, 'through-proxy');
    await writeFile(
      kubeconfig,
      `apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: "${proxy.url}"}}]\ncontexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {}}]\n`,
    );
    const { flags, answers } = await ports();
    await using served = isoline('serve', `--kubeconfig=${kubeconfig}`, ...flags);
    await eventually('word of the wait', () => served.output().includes(`waiting for the API server at ${proxy.url}`), 20_000);
    expect([await answers('/healthz'), await answers('/readyz')]).toEqual([200, 503]);
    expect(served.output().match(/waiting for/g)).toHaveLength(1);
    proxy.rule = undefined;
    await eventually('readiness', async () => (await answers('/readyz')) === 200, 20_000);
  }, 60_000);

  test('names each right that is missing, and is not ready', async () => {
    const kubeconfig = await environment.addUser('nobody', []);
    const { flags, answers } = await ports();
    await using served = isoline('serve', `--kubeconfig=${kubeconfig}`, ...flags);
    for (const [resource, group] of [
      ['secrets', ''],
      ['services', ''],
      ['endpointslices', 'discovery.k8s.io'],
      ['ingresses', 'networking.k8s.io'],
      ['httpproxies', 'projectcontour.io'],
    ]) {
      const right = new RegExp(`no permission for verb "(list|watch)" on resource "${resource}" of API group "${group}"`);
      await eventually(`word of ${resource}`, () => right.test(served.output().replaceAll('\\"', '"')), 20_000);
    }
    expect([await answers('/healthz'), await answers('/readyz')]).toEqual([200, 503]);
    served.child.kill('SIGTERM');
    await once(served.child, 'exit');
    expect(served.child.exitCode).toBe(0);
  }, 60_000);

  test('takes objects as large as the API server does', async () => {
    const route = (i: number) => ({ conditions: [{ prefix: `/${i}/${'x'.repeat(1000)}` }], services: [{ name: 'missing', port: 80 }] });
    const spec = { virtualhost: { fqdn: 'large.example.com' }, routes: Array.from({ length: 1300 }, (_, i) => route(i)) };
    await create('HTTPProxy', 'large', spec, 'shop');
    await create('HTTPProxy', 'small', { virtualhost: { fqdn: 'small.example.com' }, routes: [route(1)] }, 'shop');
    const { flags, answers } = await ports();
    await using served = isoline('serve', `--kubeconfig=${environment.kubeconfig}`, ...flags);
    for (const name of ['large', 'small']) {
      await eventually(
        `the status of ${name}`,
        async () => {
          const proxy = await client.get(infoOf('HTTPProxy'), { namespace: 'shop', name });
          return (proxy as { status?: { currentStatus?: string } } | undefined)?.status?.currentStatus === 'invalid';
        },
        20_000,
      );
    }
    expect(await answers('/readyz')).toBe(200);
    expect(served.output()).not.toContain('ERROR');
  }, 60_000);
});

test('certgen writes Secrets once, and again only when told to', async () => {
  const certgen = async (...args: readonly string[]): Promise<string> => {
    const served = isoline('certgen', '--kube', '--secrets-format=compact', `--kubeconfig=${environment.kubeconfig}`, ...args);
    await once(served.child, 'exit');
    expect(served.child.exitCode).toBe(0);
    const secret = await client.get(infoOf('Secret'), { namespace, name: 'contourcert' });
    return JSON.stringify((secret as { data?: object } | undefined)?.data);
  };
  const first = await certgen();
  expect(Object.keys(JSON.parse(first) as object).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
  expect(await certgen()).toBe(first);
  expect(await certgen('--overwrite')).not.toBe(first);
}, 60_000);
