import { beforeEach, describe, expect, test } from '@jest/globals';
import { cluster, endpoints, listener, resource, routes, update } from '../../test/lib/xds-fixtures.ts';
import { encodedResource, type Resource, type TypeUrl, typeUrls } from '../xdscache/resource.ts';
import { Snapshot } from '../xdscache/snapshot.ts';
import type { DeltaRequest } from './delta.ts';
import { edsServiceName } from './eds-service-name.ts';
import { StreamState } from './ordering.ts';
import type { Answer, Response } from './type-stream.ts';

let snapshot: Snapshot;
let stream: StreamState;

beforeEach(() => {
  snapshot = new Snapshot();
  stream = new StreamState({ source: 'ads', view: snapshot, stepMs: 1_000 });
  snapshot.subscribe((changes) => stream.update(changes));
});

const plain: DeltaRequest = { subscribe: [], unsubscribe: [], initialVersions: new Map(), nonce: '' };

function request(type: TypeUrl, fields: Partial<DeltaRequest> = {}): Answer {
  return stream.request(type, { protocol: 'delta', request: { ...plain, ...fields } });
}

const accept = ({ type, nonce }: Response): Answer => request(type, { nonce });
const refuse = ({ type, nonce }: Response, message = 'no'): Answer => request(type, { nonce, error: { code: 13, message } });

/** Every response that is due at a time. */
function due(nowMs = 0): readonly Response[] {
  const responses: Response[] = [];
  for (let response = stream.next(nowMs); response !== undefined; response = stream.next(nowMs)) responses.push(response);
  return responses;
}

/** A response in short: the type, and the names with a sign before those that go. */
function short({ type, resources, removed }: Response): string {
  const names = [...resources.map(({ name }) => name), ...removed.map((name) => `-${name}`)];
  return `${type.split('.').at(-1)} ${names.join(' ')}`.trim();
}

/** Accepts all that is due until nothing is; gives it in short. */
function settle(): readonly string[] {
  const all: string[] = [];
  for (let responses = due(); responses.length > 0; responses = due()) {
    for (const response of responses) {
      all.push(short(response));
      accept(response);
    }
  }
  return all;
}

/** A proxy that has a route to a cluster, and nothing on its way. */
function connected(): void {
  snapshot.apply(update({ cluster: [cluster('a')], endpoint: [endpoints('a')], listener: [listener('l')], route: [routes('r', 'to a')] }));
  request(typeUrls.cluster);
  request(typeUrls.endpoint, { subscribe: ['a'] });
  request(typeUrls.listener);
  request(typeUrls.route, { subscribe: ['r'] });
  settle();
}

describe('the order of one update', () => {
  beforeEach(connected);

  test('clusters and endpoints go at once, routes when the clusters are accepted, removals when the routes are', () => {
    request(typeUrls.endpoint, { subscribe: ['b'] });
    settle();
    snapshot.apply(
      update({
        cluster: [cluster('b'), { remove: 'a' }],
        endpoint: [endpoints('b'), { remove: 'a' }],
        listener: [listener('l', 81)],
        route: [routes('r', 'to b')],
      }),
    );
    const [clusters, assignments, ...early] = due();
    expect([clusters, assignments].map((response) => response && short(response))).toEqual(['Cluster b', 'ClusterLoadAssignment b']);
    expect(early).toEqual([]);
    accept(assignments!);
    expect(due()).toEqual([]);

    accept(clusters!);
    const referring = due();
    expect(referring.map(short)).toEqual(['RouteConfiguration r', 'Listener l']);
    accept(referring[0]!);
    expect(due()).toEqual([]);
    accept(referring[1]!);
    expect(settle()).toEqual(['Cluster -a', 'ClusterLoadAssignment -a']);
  });

  test('a route that is changed alone waits for nothing', () => {
    snapshot.apply(update({ route: [routes('r', 'changed')] }));
    expect(due().map(short)).toEqual(['RouteConfiguration r']);
  });

  test('endpoints do not wait for anything', () => {
    snapshot.apply(update({ cluster: [cluster('b')] }));
    due();
    snapshot.apply(update({ endpoint: [endpoints('a', 99)] }));
    expect(due().map(short)).toEqual(['ClusterLoadAssignment a']);
  });

  test('a listener that is replaced goes in the response that brings the new one', () => {
    snapshot.apply(update({ listener: [{ remove: 'l' }, listener('m')] }));
    expect(due().map(short)).toEqual(['Listener m -l']);
  });

  test('routes that wait are sent as they were when the clusters went, not with clusters that are still to come', () => {
    snapshot.apply(update({ cluster: [cluster('b')], route: [routes('r', 'to b')] }));
    const [first] = due();
    snapshot.apply(update({ cluster: [cluster('c')], route: [routes('r', 'to c')] }));
    expect(due()).toEqual([]);

    accept(first!);
    const [route, second] = due();
    expect([route, second].map((response) => response && short(response))).toEqual(['RouteConfiguration r', 'Cluster c']);
    expect(route?.resources[0]?.encoded.version).toBe(routes('r', 'to b').encoded('ads').version);
    accept(route!);
    expect(due()).toEqual([]);
    accept(second!);
    expect(due().map(({ resources }) => resources[0]?.encoded)).toEqual([snapshot.get(typeUrls.route, 'r')?.encoded('ads')]);
  });

  test('routes that wait are not sent when the cluster that they lead to has gone again', () => {
    snapshot.apply(update({ cluster: [cluster('b')], route: [routes('r', 'to b')] }));
    const [first] = due();
    snapshot.apply(update({ cluster: [{ remove: 'b' }], route: [routes('r', 'to a')] }));
    accept(first!);
    expect(settle()).toEqual(['Cluster -b']);
  });

  test('where routes still lead to a cluster that has gone again, it gets its endpoints', () => {
    snapshot.apply(update({ cluster: [cluster('b')], endpoint: [endpoints('b')], route: [routes('r', 'to b')] }));
    const [first] = due();
    const after = { cluster: [{ remove: 'b' }, cluster('c')], endpoint: [{ remove: 'b' }, endpoints('c')], route: [routes('r', 'to c')] };
    snapshot.apply(update(after));
    request(typeUrls.endpoint, { subscribe: ['b'] });
    const [assignment] = due();
    expect(assignment && short(assignment)).toBe('ClusterLoadAssignment b');
    accept(assignment!);
    accept(first!);
    expect(settle()).toEqual(['RouteConfiguration r', 'Cluster c', 'RouteConfiguration r', 'Cluster -b', 'ClusterLoadAssignment -b']);
  });

  test('a refusal of clusters lets the routes go on', () => {
    snapshot.apply(update({ cluster: [cluster('b')], route: [routes('r', 'to b')] }));
    refuse(due()[0]!);
    expect(due().map(short)).toEqual(['RouteConfiguration r']);
  });

  test('a cluster that goes and comes back before it was removed is not touched', () => {
    snapshot.apply(update({ route: [routes('r', 'elsewhere')], cluster: [{ remove: 'a' }] }));
    const [route] = due();
    snapshot.apply(update({ cluster: [cluster('a')] }));
    accept(route!);
    expect(settle()).toEqual([]);
  });
});

describe('deadlines', () => {
  beforeEach(connected);

  test('routes go without the answer for clusters when the step has taken too long', () => {
    snapshot.apply(update({ cluster: [cluster('b')], route: [routes('r', 'to b')] }));
    expect(due(100).map(short)).toEqual(['Cluster b']);
    expect(stream.deadlineMs).toBe(1_100);
    expect(due(1_099)).toEqual([]);
    expect(due(1_100).map(short)).toEqual(['RouteConfiguration r']);
    expect(stream.deadlineMs).toBeUndefined();
  });

  test('removals go without the answer for routes when the step has taken too long', () => {
    snapshot.apply(update({ cluster: [{ remove: 'a' }], route: [routes('r', 'elsewhere')] }));
    expect(due(100).map(short)).toEqual(['RouteConfiguration r']);
    expect(stream.deadlineMs).toBe(1_100);
    expect(due(1_100).map(short)).toEqual(['Cluster -a']);
    expect(stream.deadlineMs).toBeUndefined();
  });

  test('what was staged behind a type that is never answered does not stop clusters for ever', () => {
    snapshot.apply(update({ listener: [listener('l', 81)] }));
    due(0); // never answered
    snapshot.apply(update({ cluster: [cluster('b')], listener: [listener('l', 82)] }));
    accept(due(10)[0]!);
    snapshot.apply(update({ cluster: [cluster('c')] }));
    expect(due(20)).toEqual([]);
    expect(stream.deadlineMs).toBe(1_020);
    expect(due(1_020).map(short)).toEqual(['Cluster c']);
  });

  test('there is none while nothing waits', () => {
    expect(stream.deadlineMs).toBeUndefined();
  });
});

describe('a client that does not answer for clusters because one of them is slow', () => {
  const slow = (name: string): Resource => resource(typeUrls.cluster, name, { name, type: 'STRICT_DNS', connect_timeout: '1s' });

  beforeEach(() => {
    stream = new StreamState({ source: 'ads', view: snapshot });
    connected();
    snapshot.apply(update({ cluster: [slow('dns')], route: [routes('r', 'to dns')] }));
  });

  test('gets the routes after a second', () => {
    expect(due(100).map(short)).toEqual(['Cluster dns']);
    expect([stream.deadlineMs, due(1_099)]).toEqual([1_100, []]);
    expect(due(1_100).map(short)).toEqual(['RouteConfiguration r']);
  });

  test('gets later clusters, and the routes to them when it has their endpoints', () => {
    const [unanswered] = due(0);
    accept(due(1_000)[0]!);
    request(typeUrls.endpoint, { subscribe: ['b'] });
    snapshot.apply(update({ cluster: [cluster('b')], endpoint: [endpoints('b')], route: [routes('r', 'to b')] }));
    const [later, assignment] = due(1_010);
    expect([later, assignment].map((response) => response && short(response))).toEqual(['Cluster b', 'ClusterLoadAssignment b']);
    accept(assignment!);
    expect(due(1_030).map(short)).toEqual(['RouteConfiguration r']);
    expect(accept(unanswered!)).toMatchObject({ kind: 'accepted', names: ['dns'] });
    expect(accept(later!)).toMatchObject({ kind: 'accepted', names: ['b'] });
  });

  test('waits for answers again when it has given them', () => {
    const [unanswered] = due(0);
    accept(due(1_000)[0]!);
    accept(unanswered!);
    snapshot.apply(update({ cluster: [cluster('b', '1s', 'a')], route: [routes('r', 'to b')] }));
    const [clusters, assignment] = due(1_010);
    accept(assignment!);
    expect(due(1_020)).toEqual([]);
    accept(clusters!);
    expect(due(1_030).map(short)).toEqual(['RouteConfiguration r']);
  });
});

describe('the endpoints of a cluster that warms', () => {
  beforeEach(connected);

  test('a new cluster that shares them with another gets them', () => {
    snapshot.apply(update({ cluster: [cluster('b', '1s', 'a')] }));
    expect(due().map(short)).toEqual(['Cluster b', 'ClusterLoadAssignment a']);
  });

  test('they are sent after the answer for earlier ones', () => {
    snapshot.apply(update({ endpoint: [endpoints('a', 81)] }));
    const [earlier] = due();
    snapshot.apply(update({ cluster: [cluster('a', '2s')] }));
    expect(due().map(short)).toEqual(['Cluster a']);
    accept(earlier!);
    expect(due().map(short)).toEqual(['ClusterLoadAssignment a']);
  });

  test('a proxy that comes back with the same endpoints gets them with the changed cluster, once', () => {
    const again = new StreamState({ source: 'ads', view: snapshot });
    stream = again;
    request(typeUrls.cluster, { initialVersions: new Map([['a', 'older']]) });
    expect(due().map(short)).toEqual(['Cluster a']);
    const version = endpoints('a').encoded('ads').version;
    request(typeUrls.endpoint, { subscribe: ['a'], initialVersions: new Map([['a', version]]) });
    const [assignment, ...more] = due();
    expect([assignment && short(assignment), ...more]).toEqual(['ClusterLoadAssignment a']);
    accept(assignment!);
    expect(due()).toEqual([]);
  });
});

describe('a proxy that comes back while its clusters still wait for endpoints', () => {
  beforeEach(() => {
    connected();
    stream = new StreamState({ source: 'ads', view: snapshot, stepMs: 1_000 });
    request(typeUrls.endpoint, { subscribe: ['a'], initialVersions: new Map([['a', endpoints('a').encoded('ads').version]]) });
  });

  test('gets the endpoints that it has, for it speaks of no clusters before', () => {
    expect(due().map(short)).toEqual(['ClusterLoadAssignment a']);
  });

  test('gets no routes before it speaks of clusters, or a step has gone by', () => {
    accept(due()[0]!);
    request(typeUrls.route, { subscribe: ['r'], initialVersions: new Map([['r', 'older']]) });
    expect([due(), stream.deadlineMs]).toEqual([[], 1_000]);
    expect(due(1_000).map(short)).toEqual(['RouteConfiguration r']);
  });

  test('gets routes after the clusters that it lacks', () => {
    accept(due()[0]!);
    request(typeUrls.route, { subscribe: ['r'], initialVersions: new Map([['r', 'older']]) });
    request(typeUrls.cluster, { initialVersions: new Map([['a', 'older']]) });
    expect(settle()).toEqual(['Cluster a', 'ClusterLoadAssignment a', 'RouteConfiguration r']);
  });
});

describe('edsServiceName', () => {
  const cases = [
    { name: 'the service name', cluster: cluster('a', '1s', 'ns/svc'), want: 'ns/svc' },
    { name: 'the name, where there is no service name', cluster: cluster('a', '1s', ''), want: 'a' },
  ];
  test.each(cases)('$name', ({ cluster: { encoded }, want }) => {
    expect(edsServiceName(encoded('ads').bytes)).toBe(want);
  });

  test.each([new Uint8Array(), new Uint8Array([0xff]), listener('l').encoded('ads').bytes])('none in %j', (bytes) => {
    expect(edsServiceName(bytes)).toBeUndefined();
  });
});

test('the encoding is the one for the kind of the stream', () => {
  const encoded = { version: '1', bytes: new Uint8Array() };
  const byKind = { ...encodedResource('x', [], encoded), encoded: (kind: string) => ({ ...encoded, version: kind }) };
  snapshot.apply(update({ route: [byKind] }));
  stream = new StreamState({ source: 'grpc', view: snapshot });
  request(typeUrls.route);
  expect(due()[0]?.resources[0]?.encoded.version).toBe('grpc');
});
