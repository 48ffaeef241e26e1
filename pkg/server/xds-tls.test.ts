import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { ChannelCredentials } from '@grpc/grpc-js';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../../test/lib/eventually.ts';
import { XdsClient } from '../../test/lib/xds-client.ts';
import { cluster, update } from '../../test/lib/xds-fixtures.ts';
import { type LogFields, silentLogger } from '../util/logger.ts';
import { typeUrls } from '../xdscache/resource.ts';
import { Snapshot } from '../xdscache/snapshot.ts';
import { type GeneratedCertificates, generateCertificates } from './certgen.ts';
import { pemFiles } from './certgen-outputs.ts';
import { XdsServer } from './xds-server.ts';

let first: GeneratedCertificates;
let second: GeneratedCertificates;
let dir: string;
let problems: string[];
let snapshot: Snapshot;
let server: XdsServer;

beforeAll(async () => {
  const now = new Date();
  [first, second] = await Promise.all([generateCertificates({ namespace: 'a', now }), generateCertificates({ namespace: 'a', now })]);
});

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'isoline-tls-'));
  problems = [];
  snapshot = new Snapshot();
  snapshot.apply(update({ cluster: [cluster('a')] }));
  mount('one', first);
  server = newServer();
  await server.start();
});

afterEach(async () => {
  await server.stop();
  rmSync(dir, { recursive: true });
});

function newServer(): XdsServer {
  const note = (fields: LogFields, message: string) => void problems.push(`${message}: ${fields['reason'] ?? fields['error']}`);
  const files = {
    caFile: join(dir, 'certs/cacert.pem'),
    certFile: join(dir, 'certs/contourcert.pem'),
    keyFile: join(dir, 'certs/contourkey.pem'),
  };
  return new XdsServer({ host: '127.0.0.1', port: 0, tls: files, snapshot, logger: { ...silentLogger, warn: note, error: note } });
}

/** Puts files in place as the kubelet does: a new folder, and a link that is switched to it. */
function mount(version: string, certificates: GeneratedCertificates): void {
  mkdirSync(join(dir, version));
  for (const { name, content } of pemFiles(certificates)) writeFileSync(join(dir, version, name), content);
  symlinkSync(version, join(dir, 'certs.new'));
  renameSync(join(dir, 'certs.new'), join(dir, 'certs'));
}

function clientOf({ ca, envoy }: GeneratedCertificates): XdsClient {
  const credentials = ChannelCredentials.createSsl(Buffer.from(ca), Buffer.from(envoy.key), Buffer.from(envoy.cert));
  return new XdsClient(`127.0.0.1:${server.address.port}`, credentials);
}

async function expectServed(certificates: GeneratedCertificates): Promise<void> {
  await using client = clientOf(certificates);
  const stream = client.open();
  stream.subscribe(typeUrls.cluster);
  await stream.untilNames(typeUrls.cluster, ['a']);
}

async function expectRefused(certificates: GeneratedCertificates): Promise<void> {
  await using client = clientOf(certificates);
  const stream = client.open();
  stream.subscribe(typeUrls.cluster);
  expect((await stream.status).code).not.toBe(0);
}

describe('TLS', () => {
  test('a client with a certificate by the authority is served', async () => {
    await expectServed(first);
    expect(problems).toEqual([]);
  });

  test('a client of another authority is refused, and that is logged', async () => {
    await expectRefused({ ...second, ca: first.ca });
    await eventually('the log line', () => problems.length > 0);
    expect(problems[0]).toContain('a client of the xDS server was refused');
  });

  test.each([
    { name: 'no certificate', options: {}, message: 'certificate' },
    { name: 'TLS 1.2', options: { maxVersion: 'TLSv1.2' as const }, message: 'protocol' },
  ])('a client with $name is refused', async ({ options, message }) => {
    const socket: TLSSocket = connect({
      port: server.address.port,
      host: '127.0.0.1',
      ca: first.ca,
      ALPNProtocols: ['h2'],
      rejectUnauthorized: false,
      ...options,
    });
    await new Promise<void>((resolve) => socket.on('close', () => resolve()).on('error', () => undefined));
    await eventually('the log line', () => problems.length > 0);
    expect(problems[0]).toContain(message);
  });

  test('a probe that opens the port and goes is not logged', async () => {
    const probe = createConnection({ port: server.address.port, host: '127.0.0.1' }, () => probe.end());
    await new Promise((resolve) => probe.on('close', resolve));
    await expectRefused({ ...second, ca: first.ca });
    await eventually('the log line of a client', () => problems.length > 0);
    expect(problems).toHaveLength(1);
  });

  test('new files count for the next connection; streams that are open stay', async () => {
    await using old = clientOf(first);
    const stream = old.open();
    stream.subscribe(typeUrls.cluster);
    await stream.untilNames(typeUrls.cluster, ['a']);

    mount('two', second);
    await expectServed(second);
    await expectRefused(first);

    snapshot.apply(update({ cluster: [cluster('b')] }));
    await stream.untilNames(typeUrls.cluster, ['a', 'b']);
  });

  test('new files that are no good are logged once, and the old ones stay in use', async () => {
    mount('two', { ...first, contour: { cert: first.contour.cert, key: second.contour.key } });
    await expectServed(first);
    await expectServed(first);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('contourkey.pem is not the private key of the certificate');

    copyFileSync(join(dir, 'one/contourkey.pem'), join(dir, 'two/contourkey.pem'));
    await expectServed(first);
    expect(problems).toHaveLength(1);
  });
});

describe('start', () => {
  test.each([
    { name: 'is missing', file: 'contourcert.pem', content: undefined, message: 'contourcert.pem cannot be read' },
    { name: 'is no certificate', file: 'cacert.pem', content: 'nothing', message: 'cacert.pem does not begin with a certificate' },
    { name: 'is no key', file: 'contourkey.pem', content: 'nothing', message: 'contourkey.pem is not the private key' },
  ])('a file that $name is a clear error, and the port stays shut', async ({ file, content, message }) => {
    if (content === undefined) rmSync(join(dir, 'one', file));
    else writeFileSync(join(dir, 'one', file), content);
    const other = newServer();
    await expect(other.start()).rejects.toThrow(message);
    expect(() => other.address).toThrow('does not listen');
  });
});
