import { describe, expect, test } from '@jest/globals';
import { testConfig } from '../../../test/lib/config.ts';
import { memoryReader, object, service } from '../../../test/lib/memory-reader.ts';
import type { KubeObject } from '../../apis/meta.ts';
import { serviceCluster } from './cluster.ts';
import { resolveService } from './service.ts';

const resolve = (found: KubeObject, port: number | string = 80, changes = {}) =>
  resolveService(memoryReader([found]), testConfig(changes), { namespace: 'ns', name: 'web', port });

const resolved = (found: KubeObject, port?: number | string) => {
  const outcome = resolve(found, port);
  if (!outcome.ok) throw new Error(outcome.problem.message);
  return outcome.value;
};

describe('ports', () => {
  test.each([80, '80', 'http'])('%j finds the port', (port) => {
    expect(resolved(service('ns/web'), port).service).toEqual({ namespace: 'ns', name: 'web', port: 80, portName: 'http' });
  });

  test('a port without a name has the name ""', () => {
    expect(resolved(object('Service', 'ns/web', { spec: { ports: [{ port: 80 }] } })).service.portName).toBe('');
  });

  test('of ports with one number the TCP one is meant', () => {
    const ports = [
      { name: 'dns', port: 53, protocol: 'UDP' },
      { name: 'dns-tcp', port: 53, protocol: 'TCP' },
    ];
    expect(resolved(object('Service', 'ns/web', { spec: { ports } }), 53).service.portName).toBe('dns-tcp');
  });

  test.each([
    { name: 'no service', found: service('ns/other'), port: 80, want: 'service "ns/web" not found' },
    { name: 'another number', found: service('ns/web'), port: 81, want: 'port "81" on service "ns/web" not matched' },
    { name: 'another name', found: service('ns/web'), port: 'x', want: 'port "x" on service "ns/web" not matched' },
    { name: 'UDP', found: service('ns/web', { protocol: 'UDP' }), port: 80, want: 'unsupported service protocol "UDP"' },
    {
      name: 'no ports at all',
      found: object('Service', 'ns/web', { spec: {} }),
      port: 80,
      want: 'port "80" on service "ns/web" not matched',
    },
  ])('$name is a problem', ({ found, port, want }) => {
    expect(resolve(found, port)).toEqual({
      ok: false,
      problem: { type: 'ServiceError', reason: 'ServiceUnresolvedReference', message: want },
    });
  });
});

describe('protocol', () => {
  const annotations = (protocol: string, ports: string) => ({
    annotations: { [`projectcontour.io/upstream-protocol.${protocol}`]: ports },
  });
  test.each([
    { name: 'none', found: service('ns/web'), want: undefined },
    { name: 'annotation by port name', found: service('ns/web', {}, annotations('h2c', 'other, http')), want: 'h2c' },
    { name: 'annotation by number', found: service('ns/web', {}, annotations('h2', '80')), want: 'h2' },
    { name: 'annotation of another port', found: service('ns/web', {}, annotations('tls', '443')), want: undefined },
    { name: 'appProtocol h2c', found: service('ns/web', { appProtocol: 'kubernetes.io/h2c' }), want: 'h2c' },
    { name: 'appProtocol https', found: service('ns/web', { appProtocol: 'https' }), want: 'tls' },
    {
      name: 'appProtocol hides annotations',
      found: service('ns/web', { appProtocol: 'http' }, annotations('h2c', 'http')),
      want: undefined,
    },
    {
      name: 'an odd appProtocol is none',
      found: service('ns/web', { appProtocol: 'toString' }, annotations('h2c', 'http')),
      want: undefined,
    },
  ])('$name: $want', ({ found, want }) => expect(resolved(found).protocol).toBe(want));

  test('the later of h2, h2c, tls wins', () => {
    const all = { annotations: { ...annotations('h2', '80').annotations, ...annotations('tls', '80').annotations } };
    expect(resolved(service('ns/web', {}, all)).protocol).toBe('tls');
  });

  test('a port name beats its number', () => {
    const both = { annotations: { ...annotations('h2', 'http').annotations, ...annotations('tls', '80').annotations } };
    expect(resolved(service('ns/web', {}, both)).protocol).toBe('h2');
  });

  test('appProtocol is handed on as it is', () => {
    expect(resolved(service('ns/web', { appProtocol: 'example.com/odd' })).appProtocol).toBe('example.com/odd');
  });
});

describe('circuit breakers', () => {
  const found = service(
    'ns/web',
    {},
    {
      annotations: {
        'projectcontour.io/max-connections': '9',
        'projectcontour.io/max-pending-requests': '0',
        'projectcontour.io/max-requests': '-1',
        'projectcontour.io/max-retries': '4294967296',
        'projectcontour.io/per-host-max-connections': 'many',
      },
    },
  );

  test('only numbers above 0 that fit 32 bits count', () => {
    expect(resolved(found).circuitBreakers).toEqual({ maxConnections: 9 });
  });

  const origin = { kind: 'HTTPProxy', namespace: 'ns', name: 'app', path: '' };
  const { cluster } = testConfig();
  const config = testConfig({ cluster: { ...cluster, circuitBreakers: { maxConnections: 1, maxRetries: 2 } } });

  test('the configuration fills in what the Service lacks', () => {
    expect(serviceCluster(resolved(found), { origin }, config).circuitBreakers).toEqual({ maxConnections: 9, maxRetries: 2 });
  });

  test('unless the cluster is without defaults', () => {
    expect(serviceCluster(resolved(found), { origin, defaultCircuitBreakers: false }, config).circuitBreakers).toEqual({
      maxConnections: 9,
    });
  });
});

describe('ExternalName', () => {
  const external = (externalName?: string) =>
    object('Service', 'ns/web', { spec: { type: 'ExternalName', externalName, ports: [{ port: 80 }] } });

  test('is refused where it is not enabled', () => {
    expect(resolve(external('a.example.com'))).toMatchObject({
      ok: false,
      problem: { message: expect.stringContaining('not currently enabled') },
    });
  });

  test('is resolved where it is', () => {
    const outcome = resolve(external('a.example.com'), 80, { enableExternalNameService: true });
    expect(outcome).toMatchObject({ ok: true, value: { service: { externalName: 'a.example.com' } } });
  });

  test.each(['localhost', '127.1', ''])('to %j is refused even there', (name) => {
    expect(resolve(external(name), 80, { enableExternalNameService: true }).ok).toBe(false);
  });
});
