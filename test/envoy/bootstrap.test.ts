import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findEnvoy } from '../../hack/lib/binaries.ts';
import { bootstrap } from '../../pkg/envoy/bootstrap/bootstrap.ts';
import type { XdsTlsFiles } from '../../pkg/envoy/bootstrap/options.ts';
import { sdsFiles } from '../../pkg/envoy/bootstrap/xds-tls.ts';
import { toJson } from '../../pkg/envoy/json.ts';
import { encode } from '../../pkg/envoy/protobuf.ts';
import { Bootstrap } from '../../pkg/envoy-api/envoy/config/bootstrap/v3/bootstrap.ts';
import { Secret } from '../../pkg/envoy-api/envoy/extensions/transport_sockets/tls/v3/secret.ts';
import { XdsServer } from '../../pkg/server/xds-server.ts';
import { silentLogger } from '../../pkg/util/logger.ts';
import { Snapshot } from '../../pkg/xdscache/snapshot.ts';
import { createXdsCache } from '../../pkg/xdscache/xds-cache.ts';
import { selfSigned } from '../lib/certificates.ts';
import { testConfig } from '../lib/config.ts';
import { TestDag } from '../lib/dag.ts';
import { bootstrapOptions, EnvoyProcess, freePort } from '../lib/envoy-process.ts';
import { get } from '../lib/http-client.ts';

let dir: string;
let files: { readonly caFile: string; readonly certFile: string; readonly keyFile: string };

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'isoline-bootstrap-'));
  const { certificate, privateKey } = await selfSigned({ dnsNames: ['contour'] });
  files = { caFile: join(dir, 'ca.crt'), certFile: join(dir, 'tls.crt'), keyFile: join(dir, 'tls.key') };
  await Promise.all([writeFile(files.caFile, certificate), writeFile(files.certFile, certificate), writeFile(files.keyFile, privateKey)]);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Runs Envoy on a bootstrap up to the point where it would serve. */
async function validated(options: Parameters<typeof bootstrapOptions>[0]): Promise<string> {
  const message = bootstrap(bootstrapOptions({ adminAddress: join(dir, 'admin.sock'), ...options }));
  const path = join(dir, 'envoy.json');
  await writeFile(path, JSON.stringify(toJson(Bootstrap.$type, encode(Bootstrap, message))));
  const arguments_ = ['--mode', 'validate', '-c', path, '-l', 'warning', '--service-node', 'test', '--service-cluster', 'test'];
  const { stdout } = await promisify(execFile)(findEnvoy(), arguments_);
  return stdout;
}

test.each([
  { title: 'in the clear', options: {} },
  { title: 'with a name for the control plane', options: { xdsAddress: 'contour', dnsLookupFamily: 'all' } },
  { title: 'with limits', options: { maximumHeapSizeBytes: 2 ** 33, maximumDownstreamConnections: 1000 } },
] as const)('Envoy takes the bootstrap $title', async ({ options }) => {
  expect(await validated(options)).toContain('OK');
});

test('Envoy takes the bootstrap with certificates', async () => {
  expect(await validated({ tls: files })).toContain('OK');
});

async function withSdsFiles(): Promise<XdsTlsFiles> {
  const tls = { ...files, resourcesDir: dir };
  for (const { path, secret } of sdsFiles(tls)) {
    await mkdir(dirname(path), { recursive: true });
    const resource = { '@type': `type.googleapis.com/${Secret.$type}`, ...(toJson(Secret.$type, encode(Secret, secret)) as object) };
    await writeFile(path, JSON.stringify({ resources: [resource] }));
  }
  return tls;
}

test.each([
  { title: 'its certificate files', options: () => Promise.resolve(files) },
  { title: 'SDS files that name them', options: withSdsFiles },
])(
  'Envoy and the control plane prove themselves to each other, by $title',
  async ({ options }) => {
    const { caFile, certFile, keyFile } = files;
    const snapshot = new Snapshot();
    const at = { address: '127.0.0.1', port: await freePort() };
    const cache = createXdsCache(testConfig({ adminPort: 0, stats: at, health: at }));
    snapshot.apply(cache.update(new TestDag(), { listeners: [], virtualHosts: [] }));
    await using server = new XdsServer({ host: '127.0.0.1', port: 0, tls: { caFile, certFile, keyFile }, snapshot, logger: silentLogger });
    await server.start();
    await using envoy = await EnvoyProcess.start({ xdsPort: server.address.port, tls: await options() });
    await envoy.ready();
    const { status } = await get({ port: at.port, host: 'envoy', path: '/ready' });
    expect(status).toBe(200);
  },
  30_000,
);
