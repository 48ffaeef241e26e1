/** A request that was answered before an edit is answered while it is made and after it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { selfSigned } from '../lib/certificates.ts';
import { ControlPlane } from '../lib/control-plane.ts';
import { EchoBackend } from '../lib/echo-backend.ts';
import { EnvoyProcess } from '../lib/envoy-process.ts';
import { eventually } from '../lib/eventually.ts';
import { type Ask, get } from '../lib/http-client.ts';
import { endpointSlice, httpProxy, manifest, service, tlsSecret } from '../lib/manifests.ts';
import { requestsDuring, type SteadyAnswers } from '../lib/steady-requests.ts';
import { TcpRelay } from '../lib/tcp-relay.ts';

const backendNames = ['one', 'two', 'three'] as const;
const to = (name: string): string => `services: [{name: ${name}, port: 80}]`;
const plain = (host: string, name: string, more = ''): string =>
  httpProxy(host.replaceAll('.', '-').replace('*', 'any'), `{virtualhost: {fqdn: "${host}"}, routes: [{${to(name)}${more}}]}`);
const secure = (host: string, name: string, tls = ''): string =>
  httpProxy(host.replaceAll('.', '-'), `{virtualhost: {fqdn: ${host}, tls: {secretName: cert${tls}}}, routes: [{${to(name)}}]}`);
const always = [plain('app.example.com', 'one'), plain('*.wild.com', 'one'), secure('tls.example.com', 'one')].join('');
const services = backendNames.map((name) => service(name) + endpointSlice(name, name)).join('');
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let backends: readonly EchoBackend[];
let values: Record<string, string | number>;
let plane: ControlPlane;
let relay: TcpRelay;
let envoy: EnvoyProcess;

async function material(name: string): Promise<Record<string, string>> {
  const { certificate, privateKey } = await selfSigned({ dnsNames: ['*.example.com'] });
  return { [`${name}.crt`]: certificate, [`${name}.key`]: privateKey };
}

beforeAll(async () => {
  backends = await Promise.all(backendNames.map((name) => EchoBackend.start(name)));
  values = { ...(await material('first')), ...(await material('second')) };
  for (const { name, port } of backends) values[name] = port;
  plane = await ControlPlane.start({ values }, manifest('v1', 'Namespace', '/demo', '') + services + tlsSecret('cert', 'first') + always);
  relay = await TcpRelay.start(plane.server.address.port);
  envoy = await EnvoyProcess.start({ xdsPort: relay.port });
  await envoy.ready();
  await eventually('the first answer', async () => (await get(plainAsk('app.example.com'))).status === 200);
}, 60_000);

afterAll(async () => {
  await envoy[Symbol.asyncDispose]();
  await relay[Symbol.asyncDispose]();
  await plane[Symbol.asyncDispose]();
  for (const backend of backends) await backend[Symbol.asyncDispose]();
});

const plainAsk = (host: string): Ask => ({ port: plane.ports.http, host });
const secureAsk = (host: string): Ask => ({ port: plane.ports.https, host, sni: host });
const steady = (): readonly Ask[] => [plainAsk('app.example.com'), plainAsk('x.wild.com'), secureAsk('tls.example.com')];

function expectNone({ requests, failures }: SteadyAnswers): void {
  expect(failures).toEqual({});
  expect(requests).toBeGreaterThan(20);
}

describe('no request fails', () => {
  test('through 60 switches of the backend', async () => {
    const answers = await requestsDuring(steady(), async () => {
      for (let i = 1; i <= 60; i += 1) {
        const name = backendNames[i % 3]!;
        await plane.apply(plain('app.example.com', name) + plain('*.wild.com', name) + secure('tls.example.com', name));
      }
    });
    expectNone(answers);
    expect([...answers.services].sort()).toEqual([...backendNames].sort());
  }, 60_000);

  test('while exact hosts come and go under a wildcard, and the wildcard above an exact host', async () => {
    const hosts = Array.from({ length: 12 }, (_, index) => `h${index}.wild.com`);
    await plane.apply(plain('kept.wild.com', 'two'));
    const answers = await requestsDuring(
      [...hosts, 'kept.wild.com'].map(plainAsk),
      async () => {
        for (let round = 0; round < 5; round += 1) {
          for (const host of hosts) await plane.apply(plain(host, 'two'));
          for (const host of hosts) await plane.remove(`HTTPProxy demo/${host.replaceAll('.', '-')}`);
        }
      },
      1,
    );
    expectNone(answers);
    const kept = await requestsDuring([plainAsk('kept.wild.com')], async () => {
      for (let round = 0; round < 20; round += 1) {
        await plane.remove('HTTPProxy demo/any-wild-com');
        await plane.apply(plain('*.wild.com', 'one'));
      }
    });
    expectNone(kept);
  }, 60_000);

  test('while a certificate is renewed, and other TLS hosts come and go', async () => {
    const answers = await requestsDuring(steady(), async () => {
      for (let round = 0; round < 12; round += 1) {
        await plane.apply(tlsSecret('cert', round % 2 === 0 ? 'second' : 'first'));
        await plane.apply(secure(`other${round}.example.com`, 'two'));
        if (round > 0) await plane.remove(`HTTPProxy demo/other${round - 1}-example-com`);
      }
    });
    expectNone(answers);
  }, 60_000);
});

test('no new host answers 503 between 404 and its first 200', async () => {
  const seen: Record<number, number> = {};
  for (let i = 0; i < 50; i += 1) {
    const host = `new${i}.other.com`;
    const name = `new${i}`;
    const first = eventually('the first 200', async () => {
      const { status } = await get(plainAsk(host));
      seen[status] = (seen[status] ?? 0) + 1;
      return status === 200;
    });
    await plane.apply(service(name) + endpointSlice(name, 'two') + plain(host, name));
    await first;
  }
  expect(Object.keys(seen)).toEqual(['200', '404']);
}, 60_000);

test('no request fails when the control plane is away, or another takes over that serves something else', async () => {
  const config = () => plane.config;
  const common = manifest('v1', 'Namespace', '/demo', '') + services + tlsSecret('cert', 'second');
  const same = await ControlPlane.start({ values, config }, common + always);
  const other = await ControlPlane.start({ values, config }, common + always.replaceAll('name: one', 'name: three'));
  const has = (server: ControlPlane) =>
    eventually('the proxy to come', async () => {
      await server.settled();
      return server.server.connections().some(({ types }) => types.size >= 6);
    });
  try {
    const answers = await requestsDuring(steady(), async () => {
      relay.turn(undefined);
      await pause(300);
      for (const next of [same, other, same, other, plane]) {
        relay.turn(next.server.address.port);
        await has(next);
        await pause(300);
      }
    });
    expectNone(answers);
    expect(answers.services).toContain('three');
  } finally {
    await same[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  }
}, 120_000);

test('Envoy refused nothing', () => {
  expect(plane.refused()).toEqual([]);
});
