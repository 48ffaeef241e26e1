import { once } from 'node:events';
import { connect as tlsConnect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TlsTermination, VirtualHost } from '../../pkg/dag/model/virtual-host.ts';
import { selfSigned } from '../lib/certificates.ts';
import { cluster, forward, listener, origin, route, secretNode, secureHost, virtualHost } from '../lib/dag.ts';
import { exchange, get } from '../lib/http-client.ts';
import { ServedDag } from '../lib/served-dag.ts';

const name = 'ingress_https';

/** A host with a certificate of its own, which sends everything to a Service. */
async function secured(host: string, service: string, fields: Partial<VirtualHost> = {}): Promise<VirtualHost> {
  const secret = secretNode(service, await selfSigned({ dnsNames: [host === '*' ? 'any.example' : host] }));
  const tls = { type: 'terminate', secrets: [secret], minVersion: '1.2', maxVersion: '1.3' } as const;
  return secureHost(name, host, {
    tls,
    routes: [route('/', { action: forward(cluster(service)) })],
    origins: [origin(service)],
    ...fields,
  });
}

describe('hosts behind TLS', () => {
  let served: ServedDag;

  beforeAll(async () => {
    served = await ServedDag.start();
    for (const service of ['app', 'two', 'wild', 'any', 'raw']) await served.backend(service);
    const raw = { clusters: [{ cluster: cluster('raw'), weight: 1 }], origin: origin('raw') };
    const hosts = [
      await secured('app.example.com', 'app'),
      await secured('two.example.com', 'two'),
      await secured('*.example.com', 'wild'),
      await secured('raw.example.com', 'raw', { tcpProxy: raw, routes: [] }),
      virtualHost(name, 'pass.example.com', { routes: [], tls: { type: 'passthrough' }, tcpProxy: raw }),
    ];
    served.change({ listeners: [listener(name, { port: served.ports.https })], hosts });
    await served.startEnvoy();
  }, 30_000);
  afterAll(() => served[Symbol.asyncDispose]());

  const ask = (sni: string, host: string) => get({ port: served.ports.https, sni, host });

  test.each([
    { sni: 'app.example.com', host: 'app.example.com', want: 'app' },
    { sni: 'app.example.com', host: 'app.example.com:8443', want: 'app' },
    { sni: 'app.example.com', host: 'APP.example.com', want: 'app' },
    { sni: 'two.example.com', host: 'two.example.com', want: 'two' },
    { sni: 'x.example.com', host: 'x.example.com', want: 'wild' },
    { sni: 'x.example.com', host: 'X.Example.com:1', want: 'wild' },
    { sni: 'x.y.example.com', host: 'x.y.example.com', want: 'wild' },
    { sni: 'X.example.com', host: 'x.example.com', want: 'wild' },
    { sni: 'APP.example.com', host: 'app.example.com', want: 'app' },
    { sni: 'raw.example.com', host: 'whatever', want: 'raw' },
  ])('SNI $sni with Host $host is served by $want', async ({ sni, host, want }) => {
    const answer = await ask(sni, host);
    expect(answer.status).toBe(200);
    expect(answer.json()['service']).toBe(want);
  });

  test.each([
    { sni: 'app.example.com', host: 'two.example.com' },
    { sni: 'app.example.com', host: 'nobody.com' },
    { sni: 'app.example.com', host: 'app.example.com.' },
    { sni: 'x.example.com', host: 'app.example.com' },
    { sni: 'x.example.com', host: 'PASS.example.com:443' },
    { sni: 'x.example.com', host: 'y.example.com' },
    { sni: 'x.example.com', host: 'x.example.com.' },
    { sni: 'x.example.com', host: 'nobody.com' },
  ])('SNI $sni with Host $host is misdirected', async ({ sni, host }) => {
    expect((await ask(sni, host)).status).toBe(421);
  });

  test.each(['', 'nobody.com', 'example.com'])('a handshake for %j fails', async (sni) => {
    await expect(ask(sni, 'app.example.com')).rejects.toThrow();
  });

  test('each host shows its own certificate', async () => {
    const socket = tlsConnect({ port: served.ports.https, host: '127.0.0.1', servername: 'two.example.com', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { subjectaltname } = socket.getPeerCertificate();
    socket.destroy();
    expect(subjectaltname).toBe('DNS:two.example.com');
  });

  test('a renewed certificate, an edit of a route and what it says of its objects leave the listener alone', async () => {
    const updates = () => served.envoy.stats('^listener_manager.lds.update_success$');
    const before = await updates();
    const app = await secured('app.example.com', 'app');
    await served.changed({ hosts: [app] });
    await served.changed({ hosts: [{ ...app, routes: [route('/', { action: forward(cluster('two')) })], origins: [origin('another')] }] });
    expect((await ask('app.example.com', 'app.example.com')).json()['service']).toBe('two');
    expect(await updates()).toEqual(before);
    await served.changed({ hosts: [{ ...app, tls: { ...(app.tls as TlsTermination), maxVersion: '1.2' } }] });
    expect(await updates()).not.toEqual(before);
  });

  test('a host for all other names serves none that has a chain', async () => {
    await served.changed({ hosts: [await secured('*', 'any')] });
    expect((await ask('nobody.com', 'nobody.com')).json()['service']).toBe('any');
    expect((await ask('', 'nobody.com')).json()['service']).toBe('any');
    expect((await ask('nobody.com', 'two.example.com')).status).toBe(421);
    expect((await ask('nobody.com', 'z.example.com')).status).toBe(421);
    await served.changed({ without: [[name, 'two.example.com']] });
    expect((await ask('two.example.com', 'two.example.com')).json()['service']).toBe('wild');
    await served.changed({ without: [[name, '*']] });
  });

  test('Envoy refuses nothing', async () => {
    expect(served.refused()).toEqual([]);
    expect([...(await served.envoy.stats('update_rejected'))].filter(([, value]) => value > 0)).toEqual([]);
  });
});

test('a TCP listener passes bytes on by weight', async () => {
  await using served = await ServedDag.start();
  for (const service of ['one', 'two', 'three']) await served.backend(service);
  const clusters = [
    { cluster: cluster('one'), weight: 1 },
    { cluster: cluster('two'), weight: 1 },
    { cluster: cluster('three'), weight: 0 },
  ];
  const host = virtualHost('tcp-9000', '*', { routes: [], tcpProxy: { clusters, origin: origin() } });
  served.change({ listeners: [listener('tcp-9000', { port: served.ports.tcp })], hosts: [host] });
  await served.startEnvoy();
  const seen = new Set<string>();
  for (let count = 0; count < 40; count += 1) {
    const text = await exchange(served.ports.tcp, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    seen.add(/"service":"(\w+)"/.exec(text)?.[1] ?? text);
  }
  expect([...seen].sort()).toEqual(['one', 'two']);
}, 30_000);
