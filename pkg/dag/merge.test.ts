import { describe, expect, test } from '@jest/globals';
import { mergeVirtualHost } from './merge.ts';
import type { Origin } from './model/origin.ts';
import type { Route } from './model/route.ts';
import type { Source, TlsTermination, VirtualHostPart } from './model/virtual-host.ts';

const origin = (kind: string, name: string, path = ''): Origin => ({ kind, namespace: 'demo', name, path });

function route(prefix: string, from: Origin): Route {
  return {
    match: { path: { type: 'prefix', prefix, by: 'segment' }, headers: [], queryParameters: [] },
    action: { type: 'direct-response', status: 200 },
    httpsRedirect: false,
    priority: 0,
    origin: from,
  };
}

function part(source: Source, name: string, routes: readonly string[], more: Partial<VirtualHostPart> = {}): VirtualHostPart {
  const kind = source === 'GatewayAPI' ? 'HTTPRoute' : source;
  return {
    listener: 'ingress_http',
    host: 'app.example.com',
    source,
    createdAt: '2026-01-01T00:00:00Z',
    routes: routes.map((prefix, i) => route(prefix, origin(kind, name, `spec.rules[${i}]`))),
    origin: origin(kind, name),
    ...more,
  };
}

const certificate = (name: string): TlsTermination => ({
  type: 'terminate',
  secrets: [{ namespace: 'demo', name, certificate: 'c', privateKey: 'k', origin: origin('Secret', name) }],
  minVersion: '1.2',
  maxVersion: '1.3',
});

const winnerOf = (parts: readonly VirtualHostPart[], prefix: string) =>
  mergeVirtualHost(parts, false)?.routes.find(({ match }) => match.path.type === 'prefix' && match.path.prefix === prefix)?.origin;

describe('mergeVirtualHost', () => {
  test('who asks for client certificates is heard, whoever else secures the host', () => {
    const tls = { ...certificate('mine'), clientValidation: { caCertificates: 'ca', skipVerification: false, optional: false } };
    const gateway = part('GatewayAPI', 'a', ['/a'], { tls: certificate('theirs') });
    const proxy = part('HTTPProxy', 'b', ['/b'], { tls });
    expect(mergeVirtualHost([gateway, proxy], true)).toMatchObject({ tls, routes: [{}, {}] });
  });

  test('routes of all sources share a host', () => {
    const merged = mergeVirtualHost([part('Ingress', 'a', ['/one']), part('HTTPProxy', 'b', ['/two'])], false);
    expect(merged?.routes).toHaveLength(2);
    expect(merged?.dropped).toEqual([]);
  });

  test('Gateway API wins over HTTPProxy, and HTTPProxy over Ingress', () => {
    const [ingress, proxy, gateway] = [part('Ingress', 'a', ['/']), part('HTTPProxy', 'b', ['/']), part('GatewayAPI', 'c', ['/'])];
    expect(winnerOf([ingress, proxy], '/')?.kind).toBe('HTTPProxy');
    expect(winnerOf([gateway, proxy, ingress], '/')?.kind).toBe('HTTPRoute');
  });

  test('of two objects of one source the older wins, then the first by name, and the loser is told', () => {
    const old = part('GatewayAPI', 'z', ['/'], { createdAt: '2025-01-01T00:00:00Z' });
    expect(winnerOf([part('GatewayAPI', 'a', ['/']), old], '/')?.name).toBe('z');
    const merged = mergeVirtualHost([part('GatewayAPI', 'b', ['/']), part('GatewayAPI', 'a', ['/'])], false);
    expect(merged?.dropped).toMatchObject([{ route: { origin: { name: 'b' } }, winner: { name: 'a' } }]);
  });

  test('the result does not depend on the order of the parts', () => {
    const parts = [part('Ingress', 'a', ['/', '/x']), part('HTTPProxy', 'b', ['/', '/y']), part('HTTPProxy', 'c', ['/y'])];
    expect(mergeVirtualHost([...parts].reverse(), false)).toEqual(mergeVirtualHost(parts, false));
  });

  test('within an object the last route of an Ingress wins, and the first rule of an HTTPRoute', () => {
    expect(winnerOf([part('Ingress', 'a', ['/', '/'])], '/')?.path).toBe('spec.rules[1]');
    expect(winnerOf([part('GatewayAPI', 'a', ['/', '/'])], '/')?.path).toBe('spec.rules[0]');
  });

  test('a plaintext host without routes is not served', () => {
    expect(mergeVirtualHost([part('HTTPProxy', 'a', [])], false)).toBeUndefined();
    expect(mergeVirtualHost([], false)).toBeUndefined();
  });

  test('a secure host needs a certificate and a route, or a TCP proxy', () => {
    const tls = certificate('cert');
    expect(mergeVirtualHost([part('HTTPProxy', 'a', ['/'])], true)).toBeUndefined();
    expect(mergeVirtualHost([part('HTTPProxy', 'a', [], { tls })], true)).toBeUndefined();
    expect(mergeVirtualHost([part('HTTPProxy', 'a', ['/'], { tls })], true)?.tls).toBe(tls);
    const tcpProxy = { clusters: [], origin: origin('HTTPProxy', 'a') };
    expect(mergeVirtualHost([part('HTTPProxy', 'a', [], { tls: { type: 'passthrough' }, tcpProxy })], true)?.tcpProxy).toBe(tcpProxy);
  });

  test('routes of an Ingress without TLS join a host that another Ingress secures, but not one of an HTTPProxy', () => {
    const plain = part('Ingress', 'plain', ['/plain']);
    const secured = mergeVirtualHost([plain, part('Ingress', 'tls', ['/tls'], { tls: certificate('a') })], true);
    expect(secured?.routes).toHaveLength(2);
    const foreign = mergeVirtualHost([plain, part('HTTPProxy', 'tls', ['/tls'], { tls: certificate('a') })], true);
    expect(foreign?.routes.map(({ origin }) => origin.name)).toEqual(['tls']);
  });
});
