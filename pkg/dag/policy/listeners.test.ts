import { describe, expect, test } from '@jest/globals';
import { testConfig } from '../../../test/lib/config.ts';
import { memoryReader, object } from '../../../test/lib/memory-reader.ts';
import type { GatewayListener } from '../../apis/gateway/gateway.ts';
import { checkListeners, containerPort, hostnameProblem } from './gateway-listeners.ts';
import { dagListeners, httpListener, httpsListener } from './listeners.ts';

const config = testConfig({ gatewayRef: { namespace: 'gw', name: 'main' } });
const gatewayClass = object('GatewayClass', 'gc', { spec: { controllerName: 'c' } });
const gateway = (...listeners: object[]) => object('Gateway', 'gw/main', { spec: { gatewayClassName: 'gc', listeners } });

describe('dagListeners', () => {
  test('without a Gateway in the configuration there are the two static ones', () => {
    expect(dagListeners(memoryReader([gateway(), gatewayClass]), testConfig())).toMatchObject([
      { name: 'ingress_http', protocol: 'http', address: '0.0.0.0', port: 8080 },
      { name: 'ingress_https', protocol: 'https', address: '0.0.0.0', port: 8443 },
    ]);
  });

  test.each([
    ['Gateway', [gatewayClass]],
    ['class', [gateway({ name: 'http', port: 80, protocol: 'HTTP' })]],
  ])('while the %s is absent there are none', (_what, objects) => {
    expect(dagListeners(memoryReader(objects), config)).toEqual([]);
  });

  test('listeners on one port share one', () => {
    const listeners = [
      { name: 'a', port: 443, protocol: 'HTTPS', hostname: 'a.example.com' },
      { name: 'b', port: 443, protocol: 'TLS', hostname: 'b.example.com' },
      { name: 'raw', port: 9000, protocol: 'TCP' },
    ];
    const found = dagListeners(memoryReader([gateway(...listeners), gatewayClass]), config);
    expect(found).toMatchObject([
      {
        name: 'https-443',
        protocol: 'https',
        port: 8443,
        origin: { kind: 'Gateway', namespace: 'gw', name: 'main', path: 'spec.listeners[0]' },
      },
      { name: 'tcp-9000', protocol: 'tcp', port: 17000 },
    ]);
  });
});

describe('the one listener', () => {
  const problem = { type: 'ListenerError', reason: 'ErrorIdentifyingListener' };

  test('is found by protocol', () => {
    const reader = memoryReader([gateway({ name: 'c', port: 443, protocol: 'projectcontour.io/https' }), gatewayClass]);
    expect(httpsListener(reader, config)).toMatchObject({ ok: true, value: { name: 'https-443' } });
    expect(httpListener(reader, config)).toMatchObject({ ok: false, problem: { ...problem, message: 'no HTTP listener configured' } });
  });

  test('is not one of two', () => {
    const reader = memoryReader([
      gateway({ name: 'a', port: 80, protocol: 'HTTP' }, { name: 'b', port: 81, protocol: 'HTTP' }),
      gatewayClass,
    ]);
    expect(httpListener(reader, config)).toMatchObject({
      ok: false,
      problem: { ...problem, message: 'more than one HTTP listener configured' },
    });
  });
});

describe('containerPort', () => {
  test.each([
    [80, 8080],
    [443, 8443],
    [57535, 65535],
    [57536, 1024],
    [58558, 1023 + 1023],
    [58559, 1024],
  ])('%i is %i', (port, want) => {
    expect(containerPort(port)).toBe(want);
  });
});

describe('checkListeners', () => {
  const listener = (name: string, port: number, protocol: string, hostname?: string): GatewayListener => ({
    name,
    port,
    protocol,
    ...(hostname !== undefined && { hostname }),
  });
  const first = listener('one', 80, 'HTTP');

  test.each([
    { name: 'unknown protocol', second: listener('two', 81, 'UDP'), want: { type: 'Accepted', reason: 'UnsupportedProtocol' } },
    {
      name: 'protocol of the object prototype',
      second: listener('two', 81, 'constructor'),
      want: { type: 'Accepted', reason: 'UnsupportedProtocol' },
    },
    { name: 'an address for a name', second: listener('two', 81, 'HTTP', '1.2.3.4'), want: { type: 'Programmed', reason: 'Invalid' } },
    {
      name: 'same port, other protocol',
      second: listener('two', 80, 'HTTPS', 'a.example.com'),
      want: { type: 'Conflicted', reason: 'ProtocolConflict' },
    },
    { name: 'same port, same hostname', second: listener('two', 80, 'HTTP'), want: { type: 'Conflicted', reason: 'HostnameConflict' } },
    { name: 'same port, other hostname', second: listener('two', 80, 'HTTP', 'a.example.com'), want: undefined },
    {
      name: 'other port, same port of Envoy',
      second: listener('two', 65535 - 8000 + 1, 'HTTP'),
      first: listener('one', 58559, 'HTTP'),
      want: { type: 'Accepted', reason: 'PortUnavailable' },
    },
  ])('$name', ({ second, want, first: before = first }) => {
    const [one, two] = checkListeners([before, second]);
    expect(one?.fault).toBeUndefined();
    if (want === undefined) expect(two?.place).toBeDefined();
    else expect(two?.fault).toMatchObject(want);
  });

  test('TLS and HTTPS share a port', () => {
    const checked = checkListeners([
      listener('a', 443, 'HTTPS', 'a.example.com'),
      listener('b', 443, 'TLS'),
      listener('c', 443, 'projectcontour.io/https', 'c.example.com'),
    ]);
    expect(checked.map(({ place }) => place?.name)).toEqual(['https-443', 'https-443', 'https-443']);
  });

  test('one that is not served takes nothing from a later one', () => {
    const checked = checkListeners([listener('bad', 80, 'UDP'), first]);
    expect(checked[1]?.place?.name).toBe('http-80');
  });
});

describe('hostnameProblem', () => {
  test.each(['', 'example.com', '*.example.com', 'EXAMPLE.com', 'a'])('%j is good', (hostname) => {
    expect(hostnameProblem(hostname)).toBeUndefined();
  });

  test.each(['10.0.0.1', '::1', 'a_b.com', '*', '*.*.com', 'a.*.com', '-a.com', `${'a'.repeat(64)}.com`, 'a..b', 'a.b.'])(
    '%j is not',
    (hostname) => {
      expect(hostnameProblem(hostname)).toContain(JSON.stringify(hostname));
    },
  );
});
