import { describe, expect, test } from '@jest/globals';
import { RouteConfiguration } from '../envoy-api/envoy/config/route/v3/route.ts';
import { VirtualHost } from '../envoy-api/envoy/config/route/v3/route_components.ts';
import { duration, encode, timeout, withMessages } from './protobuf.ts';

test.each([
  { ms: 0, want: { seconds: 0, nanos: 0 } },
  { ms: 1500, want: { seconds: 1, nanos: 500_000_000 } },
  { ms: 0.5, want: { seconds: 0, nanos: 500_000 } },
])('$ms ms is $want', ({ ms, want }) => {
  expect(duration(ms)).toEqual(want);
});

describe('timeout', () => {
  test('absent is absent, disabled is zero', () => {
    expect(timeout(undefined)).toBeUndefined();
    expect(timeout('disabled')).toEqual({ seconds: 0, nanos: 0 });
  });

  test('a part of a millisecond is one: zero would mean none', () => {
    expect(timeout(0.5)).toEqual({ seconds: 0, nanos: 1_000_000 });
  });
});

test.each([0, 1, 200, 20_000])('messages of %d bytes and more join to what one encoding gives', (size) => {
  const virtualHosts = ['a', 'b'].map((name) => VirtualHost.fromPartial({ name: name + 'x'.repeat(size), domains: [name] }));
  const head = encode(RouteConfiguration, RouteConfiguration.fromPartial({ name: 'r', ignorePortInHostMatching: true }));
  const joined = withMessages(
    head,
    2,
    virtualHosts.map((host) => encode(VirtualHost, host)),
  );
  expect(RouteConfiguration.decode(joined)).toEqual(
    RouteConfiguration.fromPartial({ name: 'r', ignorePortInHostMatching: true, virtualHosts }),
  );
});
