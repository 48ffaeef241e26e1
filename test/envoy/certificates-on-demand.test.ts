import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:tls';
import { expect, test } from '@jest/globals';
import type { VirtualHost } from '../../pkg/dag/model/virtual-host.ts';
import { selfSigned } from '../lib/certificates.ts';
import { listener, route, secretNode, secureHost } from '../lib/dag.ts';
import { get } from '../lib/http-client.ts';
import { ServedDag } from '../lib/served-dag.ts';

const name = 'ingress_https';

/** A control plane for certificates on demand, with a listener for TLS. */
async function onDemand(): Promise<ServedDag> {
  const served = await ServedDag.start(({ listener: settings }) => ({
    listener: { ...settings, tls: { ...settings.tls, certificates: 'on-demand' } },
  }));
  served.change({ listeners: [listener(name, { port: served.ports.https })] });
  return served;
}

/** A host that answers with its name, with a certificate that has a name of its own. */
async function host(served: string, certificate: string, fields: Partial<VirtualHost> = {}): Promise<VirtualHost> {
  const secret = secretNode(certificate, { ...(await selfSigned({ dnsNames: [certificate] })), sealed: true });
  const routes = [route('/', { action: { type: 'direct-response', status: 200, body: served } })];
  return secureHost(name, served, {
    routes,
    tls: { type: 'terminate', secrets: [secret], minVersion: '1.2', maxVersion: '1.3' },
    ...fields,
  });
}

/** The name in the certificate that a client is shown; `refused` if the handshake fails. */
async function shown(port: number, servername: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect');
    return String(socket.getPeerCertificate().subjectaltname).replace('DNS:', '');
  } catch {
    return 'refused';
  } finally {
    socket.destroy();
  }
}

async function listenerUpdates(served: ServedDag): Promise<number | undefined> {
  return (await served.envoy.stats('^listener_manager.lds.update_success$')).get('listener_manager.lds.update_success');
}

test('hosts come, are renewed and go without a change of the listener, and connections of others go on', async () => {
  await using served = await onDemand();
  const port = served.ports.https;
  served.change({ hosts: [await host('a.test', 'first-a')] });
  await served.startEnvoy();
  const session = connectHttp2(`https://127.0.0.1:${port}`, { servername: 'a.test', rejectUnauthorized: false });
  const asked = async () => {
    const stream = session.request({ ':authority': 'a.test' });
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    stream.resume();
    return headers[':status'];
  };
  try {
    expect(await asked()).toBe(200);
    const updates = await listenerUpdates(served);
    expect(await shown(port, 'b.test')).toBe('refused');
    await served.changed({ hosts: [await host('b.test', 'first-b')] });
    expect(await shown(port, 'b.test')).toBe('first-b');
    expect((await get({ port, host: 'b.test', sni: 'b.test' })).body).toBe('b.test');
    await served.changed({ hosts: [await host('a.test', 'second-a'), await host('b.test', 'second-b')] });
    expect([await shown(port, 'a.test'), await shown(port, 'b.test')]).toEqual(['second-a', 'second-b']);
    await served.changed({ without: [[name, 'b.test']] });
    expect(await shown(port, 'b.test')).toBe('refused');
    expect(await asked()).toBe(200);
    expect(await listenerUpdates(served)).toBe(updates);
    expect(served.refused()).toEqual([]);
  } finally {
    session.destroy();
  }
});

test('a wildcard serves the names below it until a host of that name comes, and again when it goes', async () => {
  await using served = await onDemand();
  const port = served.ports.https;
  served.change({ hosts: [await host('*.w.test', 'wildcard')] });
  await served.startEnvoy();
  expect([await shown(port, 'x.w.test'), await shown(port, 'X.W.Test'), await shown(port, 'w.test')]).toEqual([
    'wildcard',
    'wildcard',
    'refused',
  ]);
  await served.changed({ hosts: [await host('x.w.test', 'exact')] });
  expect([await shown(port, 'x.w.test'), await shown(port, 'X.W.Test'), await shown(port, 'y.w.test')]).toEqual([
    'exact',
    'exact',
    'wildcard',
  ]);
  expect((await get({ port, host: 'X.w.test', sni: 'X.w.test' })).body).toBe('x.w.test');
  expect((await get({ port, host: 'y.w.test', sni: 'x.w.test' })).status).toBe(421);
  await served.changed({ without: [[name, 'x.w.test']] });
  expect([await shown(port, 'x.w.test'), await shown(port, 'X.W.Test')]).toEqual(['wildcard', 'wildcard']);
  await served.changed({ hosts: [await host('*.w.test', 'renewed')] });
  expect([await shown(port, 'x.w.test'), await shown(port, 'X.W.Test')]).toEqual(['renewed', 'renewed']);
  expect(served.refused()).toEqual([]);
});

test('a host with a chain of its own keeps it, and so do names below it that have hosts', async () => {
  await using served = await onDemand();
  const port = served.ports.https;
  const bounded = await host('*.own.test', 'own');
  const own = { ...bounded, tls: { ...bounded.tls, minVersion: '1.3' } as VirtualHost['tls'] };
  served.change({ hosts: [own, await host('x.own.test', 'below'), await host('a.test', 'a')] as VirtualHost[] });
  await served.startEnvoy();
  expect([await shown(port, 'y.own.test'), await shown(port, 'x.own.test'), await shown(port, 'a.test')]).toEqual(['own', 'below', 'a']);
  await served.changed({ without: [[name, '*.own.test']] });
  expect([await shown(port, 'y.own.test'), await shown(port, 'x.own.test')]).toEqual(['refused', 'below']);
  expect(served.refused()).toEqual([]);
});

test('no server name makes Envoy show, or refuse, what is not for it', async () => {
  await using served = await onDemand();
  const port = served.ports.https;
  served.change({ hosts: [await host('a.test', 'a')] });
  await served.startEnvoy();
  for (const odd of ['*', '*.test', 'xdstp://a.test', 'ns/a', 'ns/tls.test', 'metrics-ca-certificate', '']) {
    expect([odd, await shown(port, odd)]).toEqual([odd, 'refused']);
  }
  await served.changed({ hosts: [await host('a.test', 'renewed')] });
  expect(await shown(port, 'a.test')).toBe('renewed');
  await served.changed({ hosts: [await host('*', 'all')] });
  expect([await shown(port, ''), await shown(port, 'any.test'), await shown(port, 'a.test')]).toEqual(['all', 'all', 'renewed']);
  expect(served.refused()).toEqual([]);
});
