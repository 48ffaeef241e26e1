import { describe, expect, test } from '@jest/globals';
import { testConfig } from '../../../test/lib/config.ts';
import { listener } from '../../../test/lib/dag.ts';
import type { Config, ListenerConfig } from '../../config/config.ts';
import { HttpConnectionManager } from '../../envoy-api/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.ts';
import { httpConnectionManager, type RouteSource } from './http-connection-manager.ts';

const named = { type: 'named', name: 'r' } as const;

function manager(changes: Partial<Config> = {}, routes: RouteSource = named, name = 'ingress_http'): HttpConnectionManager {
  const filter = httpConnectionManager({ listener: listener(name), routes, config: testConfig(changes), source: 'ads' });
  if (filter.configType?.$case !== 'typedConfig') throw new Error('no typed_config');
  return HttpConnectionManager.decode(filter.configType.value.value);
}

const withListener = (changes: Partial<ListenerConfig>) => manager({ listener: { ...testConfig().listener, ...changes } });
const withTimeouts = (changes: Partial<Config['timeouts']>) => manager({ timeouts: { ...testConfig().timeouts, ...changes } });

describe('the connection manager', () => {
  test('has what is always so', () => {
    expect(manager()).toMatchObject({
      statPrefix: 'ingress_http',
      useRemoteAddress: true,
      normalizePath: true,
      mergeSlashes: true,
      preserveExternalRequestId: true,
      stripTrailingHostDot: false,
      httpProtocolOptions: { acceptHttp10: true, allowChunkedLength: true },
      upgradeConfigs: [],
    });
  });

  const order = [
    'envoy.filters.http.compressor',
    'envoy.filters.http.grpc_web',
    'envoy.filters.http.grpc_stats',
    'envoy.filters.http.cors',
    'envoy.filters.http.local_ratelimit',
    'envoy.filters.http.rbac',
    'envoy.filters.http.router',
  ];
  const filters = ({ httpFilters }: HttpConnectionManager) => httpFilters.map(({ name }) => name);

  test('has its filters in order, the router last', () => {
    expect(filters(manager())).toEqual(order);
  });

  test('with scopes, settles the route first', () => {
    const scoped = filters(manager({}, { type: 'scoped', rest: 'REST' }));
    expect(scoped.slice(-order.length)).toEqual(order);
    expect(scoped.slice(0, -order.length)).toEqual(scoped.filter((name) => name.startsWith('isoline.scope.')));
  });

  test('without compression has no compressor', () => {
    expect(filters(withListener({ compression: 'disabled' }))).toEqual(order.slice(1));
  });

  test.each([
    { versions: ['HTTP/1.1', 'HTTP/2'], want: 0 },
    { versions: ['HTTP/1.1'], want: 1 },
    { versions: ['HTTP/2'], want: 2 },
  ] as const)('$versions is codec $want', ({ versions, want }) => {
    expect(withListener({ httpVersions: versions }).codecType).toBe(want);
  });

  test("timeouts: absent is Envoy's default, disabled is 0", () => {
    expect(withTimeouts({ requestMs: 'disabled', streamIdleMs: 2000, connectionIdleMs: 3000 })).toMatchObject({
      requestTimeout: { seconds: 0 },
      streamIdleTimeout: { seconds: 2 },
      commonHttpProtocolOptions: { idleTimeout: { seconds: 3 } },
      delayedCloseTimeout: undefined,
    });
  });

  test('the life of a connection is bounded by a real duration only', () => {
    expect(withTimeouts({ maxConnectionDurationMs: 'disabled' }).commonHttpProtocolOptions?.maxConnectionDuration).toBeUndefined();
    expect(withTimeouts({ maxConnectionDurationMs: 1000 }).commonHttpProtocolOptions?.maxConnectionDuration).toEqual({
      seconds: 1,
      nanos: 0,
    });
  });

  test('a listener name that could end an expression is refused', () => {
    expect(() => manager({}, { type: 'scoped', rest: 'REST' }, "x'")).toThrow(RangeError);
  });
});
