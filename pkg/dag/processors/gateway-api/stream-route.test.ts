import { describe, expect, test } from '@jest/globals';
import { contributionOf, gateway, gatewayClass, listener, route, routeConditions } from '../../../../test/lib/gateway.ts';
import { service, tlsSecretObject } from '../../../../test/lib/memory-reader.ts';
import type { KubeObject } from '../../../apis/meta.ts';
import type { Contribution } from '../../contribution.ts';

const passthrough = listener('tls', 443, 'TLS', { tls: { mode: 'Passthrough' } });
const terminate = listener('tls', 443, 'TLS', { tls: { certificateRefs: [{ name: 'cert' }] } });
const tcp = listener('raw', 9000, 'TCP');
const rule = (...backendRefs: object[]) => ({ backendRefs });
const backend = (name = 'web', more: object = {}) => ({ name, port: 80, ...more });

function attach(root: KubeObject, one: object): Contribution {
  return contributionOf(root, [gatewayClass, gateway([one]), service('demo/web'), service('demo/other'), tlsSecretObject('gw/cert')]);
}

const shares = ({ virtualHosts }: Contribution) =>
  virtualHosts.map(({ listener: name, host, tcpProxy }) => [
    name,
    host,
    tcpProxy?.clusters.map(({ cluster, weight }) => [cluster.service.name, weight]),
  ]);
const accepted = ['Accepted=True/Accepted', 'ResolvedRefs=True/ResolvedRefs'];

describe('TLSRoute', () => {
  const tlsRoute = (...rules: object[]) => route('TLSRoute', 'demo/r', { hostnames: ['one.example.com', 'two.example.com'], rules });

  test('passes each host through', () => {
    const contribution = attach(tlsRoute(rule(backend())), passthrough);
    expect(shares(contribution)).toEqual([
      ['https-443', 'one.example.com', [['web', 1]]],
      ['https-443', 'two.example.com', [['web', 1]]],
    ]);
    expect(contribution.virtualHosts[0]).toMatchObject({
      tls: { type: 'passthrough' },
      routes: [],
      tcpProxy: { origin: { kind: 'TLSRoute', path: 'spec.rules[0]' } },
    });
    expect(routeConditions(contribution)).toEqual(accepted);
  });

  test('sends on what the listener decrypted', () => {
    const { virtualHosts } = attach(tlsRoute(rule(backend())), terminate);
    expect(virtualHosts[0]?.tls).toMatchObject({
      type: 'terminate',
      secrets: [{ name: 'cert', origin: { path: 'spec.listeners[0].tls.certificateRefs[0]' } }],
    });
  });

  test('weights: none gets nothing, all none is told of and not served', () => {
    expect(shares(attach(tlsRoute(rule(backend(), backend('other', { weight: 0 }))), passthrough))[0]).toEqual([
      'https-443',
      'one.example.com',
      [['web', 1]],
    ]);
    const zero = attach(tlsRoute(rule(backend('web', { weight: 0 }))), passthrough);
    expect(zero.virtualHosts).toEqual([]);
    expect(routeConditions(zero)).toContain('ValidBackendRefs=False/AllBackendRefsHaveZeroWeights');
  });

  test('a backend that is missing is told of; the others are served', () => {
    const contribution = attach(tlsRoute(rule(backend(), backend('none'))), passthrough);
    expect(shares(contribution)[0]).toEqual(['https-443', 'one.example.com', [['web', 1]]]);
    expect(routeConditions(contribution)).toEqual(['ResolvedRefs=False/BackendNotFound', 'Accepted=True/Accepted']);
  });

  test('of several rules the last holds', () => {
    expect(shares(attach(tlsRoute(rule(backend()), rule(backend('other'))), passthrough))[0]?.[2]).toEqual([['other', 1]]);
  });

  test('without backends is degraded', () => {
    expect(routeConditions(attach(tlsRoute(rule()), passthrough))).toContain('ResolvedRefs=False/Degraded');
  });
});

describe('TCPRoute', () => {
  const tcpRoute = (...rules: object[]) => route('TCPRoute', 'demo/r', { rules });

  test('takes a whole TCP listener', () => {
    const contribution = attach(tcpRoute(rule(backend())), tcp);
    expect(shares(contribution)).toEqual([['tcp-9000', '*', [['web', 1]]]]);
    expect(contribution.virtualHosts[0]?.tls).toBeUndefined();
    expect(routeConditions(contribution)).toEqual(accepted);
  });

  test('takes everything that a TLS listener decrypts', () => {
    const { virtualHosts } = attach(tcpRoute(rule(backend())), terminate);
    expect(virtualHosts).toMatchObject([{ listener: 'https-443', host: '*', tls: { type: 'terminate' } }]);
  });

  test.each([[], [rule(backend()), rule(backend())]])('with rules %j is refused', (...rules) => {
    const contribution = attach(tcpRoute(...rules), tcp);
    expect(contribution.virtualHosts).toEqual([]);
    expect(routeConditions(contribution)).toContain('Accepted=False/InvalidRouteRules');
  });
});
