import { describe, expect, test } from '@jest/globals';
import { endpointSlice, servicePort } from '../../test/lib/dag.ts';
import type { EndpointSlice } from '../apis/discovery/v1/endpoint-slice.ts';
import { ClusterLoadAssignment } from '../envoy-api/envoy/config/endpoint/v3/endpoint.ts';
import { EndpointsTranslator, serviceEndpoints } from './endpoints-translator.ts';
import { typeUrls } from './resource.ts';
import { UpdateBuilder } from './update-builder.ts';

const port = servicePort('web');

/** `address:port` of each endpoint of the Service's port. */
function found(slices: readonly EndpointSlice[], of = port): readonly string[] {
  return serviceEndpoints(slices, of).map(
    ({ address, port: number, healthPort }) => `${address}:${number}${healthPort === undefined ? '' : ` health ${healthPort}`}`,
  );
}

/** A slice with one endpoint in some condition. */
const conditioned = (name: string, address: string, conditions: object | undefined) =>
  endpointSlice('web', [], { name, endpoints: [{ addresses: [address], ...(conditions && { conditions }) }] } as Partial<EndpointSlice> & {
    name: string;
  });

describe('serviceEndpoints', () => {
  test('joins slices of both families, each address and port once, in order', () => {
    const six = endpointSlice('web', ['2001:DB8::10'], { name: 'six', addressType: 'IPv6' });
    expect(found([endpointSlice('web', ['10.0.0.2', '10.0.0.1']), six, endpointSlice('web', ['10.0.0.2'], { name: 'again' })])).toEqual([
      '10.0.0.1:8000',
      '10.0.0.2:8000',
      '2001:db8::10:8000',
    ]);
  });

  test('takes the first of several addresses', () => {
    expect(found([endpointSlice('web', [], { endpoints: [{ addresses: ['10.0.0.3', '10.0.0.4'] }] })])).toEqual(['10.0.0.3:8000']);
  });

  test.each([
    { title: 'no conditions', conditions: undefined, want: true },
    { title: 'an unknown readiness', conditions: { ready: null }, want: true },
    { title: 'ready', conditions: { ready: true }, want: true },
    { title: 'not ready', conditions: { ready: false }, want: false },
    { title: 'not ready, though serving', conditions: { ready: false, serving: true }, want: false },
    { title: 'terminating and not serving', conditions: { ready: false, serving: false, terminating: true }, want: false },
  ])('an endpoint with $title counts: $want', ({ conditions, want }) => {
    expect(found([conditioned('x', '10.0.0.1', conditions)])).toEqual(want ? ['10.0.0.1:8000'] : []);
  });

  test('an endpoint that terminates and serves counts only where there is no other', () => {
    const leaving = conditioned('x', '10.0.0.1', { ready: false, serving: true, terminating: true });
    expect(found([leaving])).toEqual(['10.0.0.1:8000']);
    expect(found([leaving, conditioned('y', '10.0.0.2', { ready: true })])).toEqual(['10.0.0.2:8000']);
  });

  test('a named port takes slice ports of its name, and an unnamed one all', () => {
    const slice = endpointSlice('web', ['10.0.0.1'], {
      ports: [
        { name: 'http', port: 80 },
        { name: 'admin', port: 81 },
      ],
    });
    expect(found([slice], servicePort('web', { portName: 'admin' }))).toEqual(['10.0.0.1:81']);
    expect(found([slice], servicePort('web', { portName: 'other' }))).toEqual([]);
    expect(found([slice])).toEqual(['10.0.0.1:80', '10.0.0.1:81']);
  });

  test('ports of another protocol or without a number do not count', () => {
    const ports = [{ name: '', port: 53, protocol: 'UDP' }, { name: '' }, { port: 80 }] as EndpointSlice['ports'];
    expect(found([endpointSlice('web', ['10.0.0.1'], { ports: ports! })])).toEqual(['10.0.0.1:80']);
  });

  test('names and broken addresses are left out: Envoy takes addresses alone', () => {
    expect(found([endpointSlice('web', ['host.example', '10.0.0.999', '10.0.0.1'], { addressType: 'FQDN' })])).toEqual(['10.0.0.1:8000']);
  });

  test('health checks go to the port of the other name', () => {
    const slice = endpointSlice('web', ['10.0.0.1'], {
      ports: [
        { name: 'http', port: 80 },
        { name: 'health', port: 81 },
      ],
    });
    expect(found([slice], servicePort('web', { portName: 'http', healthPortName: 'health' }))).toEqual(['10.0.0.1:80 health 81']);
  });
});

describe('the translator', () => {
  /** What changes, as `name addresses`. */
  function taken(translator: EndpointsTranslator): Readonly<Record<string, readonly string[] | undefined>> {
    const update = new UpdateBuilder();
    translator.take(update);
    const changes = [...(update.update.get(typeUrls.endpoint) ?? [])];
    return Object.fromEntries(
      changes.map(([name, resource]) => [name, resource && addresses(ClusterLoadAssignment.decode(resource.encoded('ads').bytes))]),
    );
  }

  function addresses({ endpoints }: ClusterLoadAssignment): readonly string[] {
    const all = endpoints.flatMap(({ lbEndpoints }) => lbEndpoints);
    return all.map((one) => {
      const address = one.hostIdentifier?.$case === 'endpoint' ? one.hostIdentifier.value.address?.address : undefined;
      return address?.$case === 'socketAddress' ? address.value.address : '?';
    });
  }

  test('gives what is used only, and an empty assignment where there is nothing', () => {
    const translator = new EndpointsTranslator();
    translator.applyEndpointSlice(undefined, endpointSlice('other', ['10.0.0.9']));
    translator.acquire(port);
    expect(taken(translator)).toEqual({ 'ns/web': [] });
  });

  test('knows slices that came before they were used', () => {
    const translator = new EndpointsTranslator();
    translator.applyEndpointSlice(undefined, endpointSlice('web', ['10.0.0.1']));
    expect(taken(translator)).toEqual({});
    translator.acquire(port);
    expect(taken(translator)).toEqual({ 'ns/web': ['10.0.0.1'] });
  });

  test('an address in two slices stays when one of them goes', () => {
    const translator = new EndpointsTranslator();
    const [one, two] = [
      endpointSlice('web', ['10.0.0.1', '10.0.0.2'], { name: 'one' }),
      endpointSlice('web', ['10.0.0.1'], { name: 'two' }),
    ];
    translator.acquire(port);
    for (const slice of [one, two]) translator.applyEndpointSlice(undefined, slice);
    expect(taken(translator)).toEqual({ 'ns/web': ['10.0.0.1', '10.0.0.2'] });
    translator.applyEndpointSlice(one, undefined);
    expect(taken(translator)).toEqual({ 'ns/web': ['10.0.0.1'] });
  });

  test('a slice that moves to another Service leaves the first', () => {
    const translator = new EndpointsTranslator();
    for (const name of ['web', 'shop']) translator.acquire(servicePort(name));
    const before = endpointSlice('web', ['10.0.0.1'], { name: 'moving' });
    translator.applyEndpointSlice(undefined, before);
    taken(translator);
    translator.applyEndpointSlice(before, endpointSlice('shop', ['10.0.0.1'], { name: 'moving' }));
    expect(taken(translator)).toEqual({ 'ns/web': [], 'ns/shop': ['10.0.0.1'] });
  });

  test('a change without effect gives nothing', () => {
    const translator = new EndpointsTranslator();
    translator.acquire(port);
    const slice = endpointSlice('web', ['10.0.0.1', '10.0.0.2']);
    translator.applyEndpointSlice(undefined, slice);
    taken(translator);
    translator.applyEndpointSlice(slice, endpointSlice('web', ['10.0.0.2', '10.0.0.1']));
    expect(taken(translator)).toEqual({});
  });

  test('goes with its last user', () => {
    const translator = new EndpointsTranslator();
    for (let users = 0; users < 2; users += 1) translator.acquire(port);
    taken(translator);
    translator.release(port);
    expect(taken(translator)).toEqual({});
    translator.release(port);
    expect(taken(translator)).toEqual({ 'ns/web': undefined });
    expect(() => translator.release(port)).toThrow('ns/web');
  });

  test("a slice without the label of a Service is nobody's", () => {
    const translator = new EndpointsTranslator();
    translator.acquire(port);
    taken(translator);
    translator.applyEndpointSlice(undefined, { ...endpointSlice('web', ['10.0.0.1']), metadata: { namespace: 'ns', name: 'x' } });
    expect(taken(translator)).toEqual({});
  });
});

describe('the endpoints of several Services under one name', () => {
  const name = 'extension/default/ext';
  const parts = [
    { service: servicePort('web'), weight: 3 },
    { service: servicePort('other'), weight: 1 },
  ];
  const taken = (translator: EndpointsTranslator) => {
    const update = new UpdateBuilder();
    translator.take(update);
    const resource = update.update.get(typeUrls.endpoint)?.get(name);
    return resource && ClusterLoadAssignment.decode(resource.encoded('ads').bytes).endpoints;
  };

  test('are localities with a weight each; one without endpoints gets no requests', () => {
    const translator = new EndpointsTranslator();
    translator.acquireParts(name, parts);
    translator.applyEndpointSlice(undefined, endpointSlice('web', ['10.0.0.1']));
    expect(taken(translator)).toMatchObject([{ loadBalancingWeight: 3, lbEndpoints: [{}] }]);
    translator.applyEndpointSlice(undefined, endpointSlice('other', ['10.0.0.2', '10.0.0.3']));
    const both = taken(translator);
    expect(both).toMatchObject([{ loadBalancingWeight: 3 }, { loadBalancingWeight: 1, lbEndpoints: [{}, {}] }]);
    expect(new Set(both?.map(({ locality }) => locality?.subZone)).size).toBe(2);
  });

  test('follow the newest list of Services, and no longer the old one', () => {
    const translator = new EndpointsTranslator();
    translator.acquireParts(name, parts);
    translator.applyEndpointSlice(undefined, endpointSlice('web', ['10.0.0.1']));
    taken(translator);
    translator.releaseParts(name);
    translator.acquireParts(name, [parts[1]!]);
    expect(taken(translator)).toEqual([]);
    translator.applyEndpointSlice(undefined, endpointSlice('web', ['10.0.0.9'], { name: 'more' }));
    expect(taken(translator)).toBeUndefined();
  });
});
