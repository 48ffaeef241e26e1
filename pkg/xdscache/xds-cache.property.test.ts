import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { testConfig } from '../../test/lib/config.ts';
import {
  cluster,
  endpointSlice,
  forward,
  listener,
  origin,
  route,
  secretNode,
  servicePort,
  TestDag,
  virtualHost,
} from '../../test/lib/dag.ts';
import type { EndpointSlice } from '../apis/discovery/v1/endpoint-slice.ts';
import type { Cluster } from '../dag/model/cluster.ts';
import type { Listener } from '../dag/model/listener.ts';
import type { Route } from '../dag/model/route.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
import { type SnapshotView, typeUrls } from './resource.ts';
import { Snapshot } from './snapshot.ts';
import { createXdsCache, type XdsCache } from './xds-cache.ts';

const base = testConfig();
const config = { ...base, listener: { ...base.listener, maxConnectionsPerListener: 9 } };
const names = ['ingress_http', 'ingress_https', 'http-81', 'tcp-9000'] as const;
const hosts = ['a.com', 'b.a.com', 'c.a.com', '*.a.com', '*.com', 'd.org', '*'] as const;
const services = ['s1', 's2'] as const;

const anyOrigin = fc.integer({ min: 0, max: 3 }).map((n) => origin(`o${n}`, `spec.routes[${n}]`));

/** A few settings, so that clusters are shared; a port's name changes the cluster and not its name. */
const anyCluster: fc.Arbitrary<Cluster> = fc
  .record({
    service: fc.record({ name: fc.constantFrom(...services), portName: fc.constantFrom('', 'web'), external: fc.boolean() }),
    secure: fc.boolean(),
    by: anyOrigin,
  })
  .map(({ service: { name, portName, external }, secure, by }) => {
    const service = servicePort(name, { portName, ...(external && { externalName: 'x.example' }) });
    return cluster(name, {
      service,
      origin: by,
      ...(secure && { protocol: 'tls', clientCertificate: secretNode('client', { origin: by }) }),
    });
  });

const anyRoute: fc.Arbitrary<Route> = fc
  .record({
    to: anyCluster,
    prefix: fc.constantFrom('/', '/x'),
    httpsRedirect: fc.boolean(),
    by: anyOrigin,
    errorWeight: fc.constantFrom(0, 1),
  })
  .map(({ to, prefix, httpsRedirect, by, errorWeight }) =>
    route(prefix, { action: { ...forward(to), errorWeight } as Route['action'], httpsRedirect, origin: by }),
  );

const anyHost: fc.Arbitrary<VirtualHost> = fc
  .record({
    // Most that can go wrong goes wrong behind TLS.
    name: fc.constantFrom(...names, 'ingress_https', 'ingress_https'),
    host: fc.constantFrom(...hosts),
    routes: fc.oneof(
      { weight: 4, arbitrary: fc.array(anyRoute, { minLength: 1, maxLength: 2 }) },
      { weight: 1, arbitrary: fc.constant([]) },
    ),
    tls: fc.constantFrom('terminate', 'terminate', 'terminate', 'passthrough', undefined),
    // Certificates of one name with different keys are on their way from one version of a Secret to the next.
    key: fc.constantFrom('k1', 'k2'),
    proxy: fc.option(anyCluster, { nil: undefined, freq: 1 }),
    by: anyOrigin,
  })
  .map(({ name, host, routes, tls, key, proxy, by }) => {
    const secrets = [secretNode('serving', { privateKey: key, origin: by })];
    const ending =
      tls === 'terminate'
        ? ({ type: 'terminate', secrets, minVersion: '1.2', maxVersion: '1.3' } as const)
        : ({ type: 'passthrough' } as const);
    const tcpProxy = proxy && { clusters: [{ cluster: proxy, weight: 0 }], origin: by };
    return virtualHost(name, host, { routes, origins: [by], ...(tls && { tls: ending }), ...(tcpProxy && { tcpProxy }) });
  });

const anyListener: fc.Arbitrary<Listener> = fc
  .record({ name: fc.constantFrom(...names), port: fc.constantFrom(80, 81), other: fc.boolean() })
  .map(({ name, port, other }) => listener(name, { port, ...(other && { protocol: 'http' as const }) }));

const anySlice = fc
  .record({
    service: fc.constantFrom(...services),
    name: fc.constantFrom('x', 'y'),
    addresses: fc.subarray(['10.0.0.1', '10.0.0.2', '2001:db8::1']),
    portName: fc.constantFrom('', 'web'),
  })
  .map(({ service, name, addresses, portName }) => endpointSlice(service, addresses, { name, ports: [{ name: portName, port: 80 }] }));

const anyStep = fc.record({
  hosts: fc.array(anyHost, { maxLength: 3 }),
  listeners: fc.oneof({ weight: 3, arbitrary: fc.constant<readonly Listener[]>([]) }, { weight: 1, arbitrary: fc.tuple(anyListener) }),
  withoutHosts: fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...hosts)), { maxLength: 2 }),
  withoutListeners: fc.oneof({ weight: 5, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...names)) }),
  slices: fc.array(fc.record({ slice: anySlice, gone: fc.boolean() }), { maxLength: 2 }),
});

type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never;

/** One cache that is told of each step. */
class World {
  readonly dag = new TestDag();
  readonly slices = new Map<string, EndpointSlice>();
  readonly snapshot = new Snapshot();
  readonly #cache: XdsCache = createXdsCache(config);

  apply(step: Step): void {
    for (const { slice, gone } of step.slices) {
      const before = this.slices.get(slice.metadata.name);
      const after = gone ? undefined : slice;
      this.#cache.applyEndpointSlice(before, after);
      if (after) this.slices.set(slice.metadata.name, after);
      else this.slices.delete(slice.metadata.name);
    }
    const changes = this.dag.change({
      hosts: step.hosts,
      listeners: step.listeners,
      without: [...step.withoutHosts, ...step.withoutListeners],
    });
    this.snapshot.apply(this.#cache.update(this.dag, changes));
  }
}

/** What a cache makes of the same DAG and slices when it is told of them at once. */
function fromScratch({ dag, slices }: World): Snapshot {
  const cache = createXdsCache(config);
  const snapshot = new Snapshot();
  for (const slice of [...slices.values()].reverse()) cache.applyEndpointSlice(undefined, slice);
  const fresh = new TestDag();
  const all = { listeners: [...dag.listeners.values()], hosts: [...dag.virtualHosts.values()].flatMap((byHost) => [...byHost.values()]) };
  snapshot.apply(cache.update(fresh, fresh.change({ listeners: all.listeners.reverse(), hosts: all.hosts.reverse() })));
  return snapshot;
}

/** Everything of a snapshot, comparable. */
function contents(view: SnapshotView): unknown {
  return Object.values(typeUrls).map((type) => {
    const resources = [...view.all(type).values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return resources.map((resource) => ({
      name: resource.name,
      origins: resource.origins,
      forms: (['ads', 'grpc'] as const).map((source) => {
        const { version, bytes } = resource.encoded(source);
        return { version, bytes: Buffer.from(bytes).toString('base64') };
      }),
    }));
  });
}

describe('the cache', () => {
  test('gives the same resources step by step and at once', () => {
    const steps = fc.array(anyStep, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(steps, (list) => {
        const world = new World();
        world.apply({ hosts: [], listeners: names.map((name) => listener(name)), withoutHosts: [], withoutListeners: [], slices: [] });
        for (const step of list) {
          world.apply(step);
          // Encoded now, as a server would: what is encoded later must not depend on it.
          contents(world.snapshot);
        }
        expect(contents(world.snapshot)).toEqual(contents(fromScratch(world)));
      }),
      { numRuns: 150 },
    );
  });

  test('an update names nothing whose bytes stay, and an empty one nothing at all', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 2, maxLength: 5 }), (list) => {
        const cache = createXdsCache(config);
        const dag = new TestDag();
        const snapshot = new Snapshot();
        for (const step of list) {
          snapshot.apply(cache.update(dag, dag.change({ hosts: step.hosts, listeners: step.listeners })));
          const again = cache.update(dag, dag.change({ hosts: step.hosts.map((host) => structuredClone(host)), listeners: [] }));
          const same = [...again].flatMap(([type, changes]) =>
            [...changes].map(([name, resource]) => ({
              name,
              before: snapshot.get(type, name)?.encoded('ads').version,
              after: resource?.encoded('ads').version,
            })),
          );
          expect(same).toEqual([]);
          expect([...cache.update(dag, { listeners: [], virtualHosts: [] })]).toEqual([]);
        }
      }),
      { numRuns: 100 },
    );
  });
});
