import { describe, expect, test } from '@jest/globals';
import { testConfig } from '../../../test/lib/config.ts';
import { cluster, listener, origin, secretNode, secureHost, virtualHost } from '../../../test/lib/dag.ts';
import type { Config } from '../../config/config.ts';
import type { TlsTermination, VirtualHost } from '../../dag/model/virtual-host.ts';
import { TcpProxy } from '../../envoy-api/envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy.ts';
import { DownstreamTlsContext } from '../../envoy-api/envoy/extensions/transport_sockets/tls/v3/tls.ts';
import { hasSecureChain, ownFilterChain } from './filter-chain.ts';

const name = 'ingress_https';
const proxy = {
  clusters: [
    { cluster: cluster('web'), weight: 0 },
    { cluster: cluster('shop'), weight: 2 },
  ],
  origin: origin('tcp'),
};

const chain = (host: VirtualHost, config: Config = testConfig()) =>
  ownFilterChain({ listener: listener(name), config, source: 'ads' }, host);

function context(host: VirtualHost, config?: Config) {
  const socket = chain(host, config).transportSocket;
  return socket?.configType && DownstreamTlsContext.decode(socket.configType.value.value).commonTlsContext;
}

const ending = (fields: Partial<TlsTermination> = {}): TlsTermination => ({
  type: 'terminate',
  secrets: [secretNode()],
  minVersion: '1.2',
  maxVersion: '1.3',
  ...fields,
});

describe('a chain for a host', () => {
  test.each([
    { host: 'a.com', want: { serverNames: ['a.com'], transportProtocol: '' } },
    { host: '*.a.com', want: { serverNames: ['*.a.com'], transportProtocol: '' } },
    { host: '*', want: { serverNames: [], transportProtocol: 'tls' } },
  ])('$host matches $want', ({ host, want }) => {
    expect(chain(secureHost(name, host)).filterChainMatch).toMatchObject(want);
  });

  test.each([
    { own: ['1.2', '1.3'], global: ['1.2', '1.3'], want: [3, 4] },
    { own: ['1.2', '1.3'], global: ['1.3', '1.3'], want: [4, 4] },
    { own: ['1.2', '1.2'], global: ['1.2', '1.3'], want: [3, 3] },
    { own: ['1.3', '1.3'], global: ['1.2', '1.3'], want: [4, 4] },
  ] as const)('versions $own within $global are $want', ({ own, global, want }) => {
    const base = testConfig();
    const config = { ...base, listener: { ...base.listener, tls: { ...base.listener.tls, minVersion: global[0], maxVersion: global[1] } } };
    const host = secureHost(name, 'a.com', { tls: ending({ minVersion: own[0], maxVersion: own[1] }) });
    const parameters = context(host, config)?.tlsParams;
    expect([parameters?.tlsMinimumProtocolVersion, parameters?.tlsMaximumProtocolVersion]).toEqual(want);
  });

  test('offers HTTP/2 first, and one version alone where it is the only one', () => {
    const base = testConfig();
    expect(context(secureHost(name, 'a.com'))?.alpnProtocols).toEqual(['h2', 'http/1.1']);
    const config = { ...base, listener: { ...base.listener, httpVersions: ['HTTP/1.1'] as const } };
    expect(context(secureHost(name, 'a.com'), config)?.alpnProtocols).toEqual(['http/1.1']);
  });

  test('offers no protocol where bytes pass', () => {
    expect(context(secureHost(name, 'a.com', { tcpProxy: proxy }))?.alpnProtocols).toEqual([]);
  });

  test('has all its certificates', () => {
    const host = secureHost(name, 'a.com', { tls: ending({ secrets: [secretNode('one'), secretNode('two')] }) });
    expect(context(host)?.tlsCertificateSdsSecretConfigs).toHaveLength(2);
  });

  test('that passes TLS through ends none, and its proxy leaves out weights of 0', () => {
    const made = chain(virtualHost(name, 'a.com', { tls: { type: 'passthrough' }, tcpProxy: proxy }));
    expect(made.transportSocket).toBeUndefined();
    const { configType } = made.filters[0]!;
    expect(configType?.$case === 'typedConfig' && TcpProxy.decode(configType.value.value)).toMatchObject({
      statPrefix: name,
      idleTimeout: { seconds: 9001 },
      clusterSpecifier: { $case: 'cluster', value: 'ns/shop/80/da39a3ee5e' },
    });
  });

  test('does not depend on routes or on whose they are', () => {
    expect(chain(secureHost(name, 'a.com', { routes: [], origins: [origin('x')] }))).toEqual(chain(secureHost(name, 'a.com')));
  });
});

test.each([
  { title: 'with TLS and routes', host: secureHost(name, 'a.com'), want: true },
  { title: 'with TLS and no routes', host: secureHost(name, 'a.com', { routes: [] }), want: false },
  { title: 'with TLS and a proxy', host: secureHost(name, 'a.com', { routes: [], tcpProxy: proxy }), want: true },
  {
    title: 'that passes TLS through',
    host: virtualHost(name, 'a.com', { routes: [], tls: { type: 'passthrough' }, tcpProxy: proxy }),
    want: true,
  },
  { title: 'that passes TLS through to nobody', host: virtualHost(name, 'a.com', { tls: { type: 'passthrough' } }), want: false },
  { title: 'without TLS', host: virtualHost(name, 'a.com'), want: false },
])('a host $title has a chain: $want', ({ host, want }) => {
  expect(hasSecureChain(host)).toBe(want);
});
