import { describe, expect, test } from '@jest/globals';
import { testConfig } from '../../test/lib/config.ts';
import { proxies } from '../../test/lib/httpproxies.ts';
import { lenientSecrets, object, service, tlsSecretObject } from '../../test/lib/memory-reader.ts';
import type { Config } from '../config/config.ts';
import { DagBuilder } from '../dag/builder.ts';
import type { Dag } from '../dag/model/dag.ts';
import type { Listener } from '../dag/model/listener.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
import { Statuses } from '../status/statuses.ts';
import { Snapshot } from '../xdscache/snapshot.ts';
import { createXdsCache } from '../xdscache/xds-cache.ts';
import { guardViolations } from './guard-violations.ts';
import { Pipeline } from './pipeline.ts';
import { verifyIncremental } from './verify.ts';
import { withholdUnguarded } from './withhold.ts';

const keys = object('Secret', 'ns/keys', { type: 'Opaque', stringData: { jwks: '{"keys": [{"kty": "RSA"}]}' } });
const extensionService = { namespace: 'ns', name: 'ext' };
const globalExtAuth = { extensionService, serviceType: 'grpc', responseTimeoutMs: undefined, failOpen: false } as const;
const rateLimitService = {
  extensionService,
  domain: '',
  failOpen: false,
  enableXRateLimitHeaders: false,
  enableResourceExhaustedCode: false,
};

function build(yaml: string, changes: Partial<Config> = {}): { readonly pipeline: Pipeline; readonly config: Config } {
  const config = testConfig({ ...changes, fallbackCertificate: { namespace: 'ns', name: 'tls' } });
  const pipeline = new Pipeline({ config, secrets: lenientSecrets });
  const extension = object('ExtensionService', 'ns/ext', { spec: { protocol: 'h2c', services: [{ name: 'a', port: 80 }] } });
  for (const each of [service('ns/a'), tlsSecretObject('ns/tls'), extension, keys, ...proxies(yaml)]) pipeline.cache.apply(each);
  pipeline.buildAll();
  return { pipeline, config };
}

const routes = 'routes: [{permitInsecure: true, services: [{name: a, port: 80}]}]';
const app = (more: string, tls = 'tls: {secretName: tls},') => `app: {virtualhost: {fqdn: app.example.com, ${tls} ${more}}, ${routes}}`;
const own = app('authorization: {extensionRef: {name: ext}}');
const descriptors = 'rateLimitPolicy: {global: {descriptors: [{entries: [{remoteAddress: {}}]}]}}';

/** A DAG with one host of one listener changed. */
function changed(dag: Dag, listener: string, change: (host: VirtualHost) => VirtualHost): Dag {
  const hosts = dag.virtualHosts.get(listener)!;
  const host = hosts.get('app.example.com')!;
  return { ...dag, virtualHosts: new Map([...dag.virtualHosts, [listener, new Map([...hosts, [host.host, change(host)]])]]) };
}

/** What is made of a DAG by itself. */
function snapshotOf(dag: Dag, config: Config): Snapshot {
  const snapshot = new Snapshot();
  const listeners = [...dag.listeners.values()].map((after) => ({ name: after.name, before: undefined, after }));
  snapshot.apply(createXdsCache(config).update(dag, { listeners, virtualHosts: [] }));
  return snapshot;
}

const withoutGuards = (dag: Dag): Dag => ({
  ...dag,
  listeners: new Map([...dag.listeners].map(([name, { guards: _, ...listener }]): [string, Listener] => [name, listener])),
});

describe('what is served without its guards', () => {
  test.each([
    { name: 'own authorization', yaml: own, config: {} },
    { name: 'global authorization', yaml: app(''), config: { globalExtAuth } },
    {
      name: 'global authorization with a fallback certificate',
      yaml: app('', 'tls: {secretName: tls, enableFallbackCertificate: true},'),
      config: { globalExtAuth },
    },
    { name: 'rate limits', yaml: app(descriptors), config: { rateLimitService } },
    {
      name: 'client certificates',
      yaml: app('', 'tls: {secretName: tls, clientValidation: {skipClientCertValidation: true}},'),
      config: {},
    },
  ])('is nothing with $name as it is built', ({ yaml, config: changes }) => {
    const { pipeline, config } = build(yaml, changes);
    expect(pipeline.dag.virtualHosts.size).toBe(2);
    expect(guardViolations(pipeline.dag, pipeline.snapshot)).toEqual([]);
    expect(verifyIncremental(pipeline, { config, secrets: lenientSecrets })).toEqual([]);
  });

  test.each([
    { listener: 'ingress_http', yaml: app('', ''), config: { globalExtAuth }, missing: 'external authorization' },
    { listener: 'ingress_https', yaml: app(''), config: { globalExtAuth }, missing: 'external authorization' },
    { listener: 'ingress_http', yaml: app(descriptors, ''), config: { rateLimitService }, missing: 'global rate limit' },
    { listener: 'ingress_https', yaml: app(descriptors), config: { rateLimitService }, missing: 'global rate limit' },
  ])('is what a chain of $listener lacks: $missing', ({ listener, yaml, config: changes, missing }) => {
    const { pipeline, config } = build(yaml, changes);
    const found = guardViolations(pipeline.dag, snapshotOf(withoutGuards(pipeline.dag), config));
    expect(found).toContainEqual(expect.stringMatching(new RegExp(`^${listener}, .*HTTPProxy ns/app spec.routes.0. .*${missing}`)));
  });

  test('is a host behind the chain for unknown names', () => {
    const { pipeline, config } = build(app('', 'tls: {secretName: tls, enableFallbackCertificate: true},'), { globalExtAuth });
    const found = guardViolations(pipeline.dag, snapshotOf(withoutGuards(pipeline.dag), config));
    expect(found).toContainEqual(expect.stringContaining('chain for all names'));
  });

  test.each([
    { name: 'without its server', change: ({ authorization: _, ...host }: VirtualHost) => host },
    { name: 'in the hands of another', change: (host: VirtualHost) => ({ ...host, authorization: server(host, 'other') }) },
    {
      name: 'with a server that is open',
      change: (host: VirtualHost) => ({ ...host, authorization: { ...host.authorization!, failOpen: true } }),
    },
  ])('is a host $name', ({ change }) => {
    const { pipeline, config } = build(own);
    const broken = snapshotOf(changed(pipeline.dag, 'ingress_https', change), config);
    expect(guardViolations(pipeline.dag, broken)).toEqual([
      'ingress_https, chain for app.example.com: HTTPProxy ns/app spec.routes[0] is served without its external authorization',
    ]);
  });
});

const server = ({ authorization }: VirtualHost, name: string) => ({ ...authorization!, target: { namespace: 'ns', name } });

test('tokens are looked for in the chain that is served', () => {
  const { pipeline, config } = build(app('jwtProviders: [{name: p, default: true, localJWKS: {secretName: keys, key: jwks}}]'));
  expect(guardViolations(pipeline.dag, pipeline.snapshot)).toEqual([]);
  const broken = snapshotOf(
    changed(pipeline.dag, 'ingress_https', ({ jwt: _, ...host }) => host),
    config,
  );
  expect(guardViolations(pipeline.dag, broken)).toEqual([expect.stringContaining('JWT verification')]);
});

describe('a route that would be served without its guards', () => {
  /** A host that lost its server on the way to the DAG. */
  function broken() {
    const { pipeline, config } = build(own);
    const { authorization: _, ...part } = pipeline.dag.virtualHosts.get('ingress_https')!.get('app.example.com')!;
    const listener = pipeline.dag.listeners.get('ingress_https')!;
    return { config, listener, part: { ...part, source: 'HTTPProxy', createdAt: '', origin: part.origins[0]! } as const };
  }

  test('answers 503 as long as it would, and its status says why', () => {
    const { config, listener, part } = broken();
    const builder = new DagBuilder(withholdUnguarded(config));
    const statuses = new Statuses();
    const object = { kind: 'HTTPProxy', namespace: 'ns', name: 'app' } as const;
    const word = { type: 'detailed', object, generation: 1, errors: [], warnings: [] } as const;
    const contribution = { listeners: [listener], virtualHosts: [part], statuses: [word], attachments: [] };
    const changes = [{ root: 'HTTPProxy/ns/app', before: undefined, after: contribution }] as const;
    const { changed: said } = statuses.update(changes as never, builder.update(changes as never));
    expect(builder.dag.virtualHosts.get('ingress_https')?.get('app.example.com')?.routes).toMatchObject([
      { action: { type: 'direct-response', status: 503 } },
    ]);
    const error = {
      type: 'GuardError',
      reason: 'NotEnforced',
      message: 'spec.routes[0] answers 503: it would be served without its external authorization',
    };
    expect(said).toMatchObject([{ status: { conditions: [{ status: 'False', errors: [error] }] } }]);
  });

  test('is let be where it asks for nothing', () => {
    const { config, listener, part } = broken();
    const builder = new DagBuilder(withholdUnguarded(config));
    const open = { ...part, routes: part.routes.map((route) => ({ ...route, authorization: { type: 'disabled' } as const })) };
    const contribution = { listeners: [listener], virtualHosts: [open], statuses: [], attachments: [] };
    builder.update([{ root: 'HTTPProxy/ns/app' as never, before: undefined, after: contribution }]);
    expect(builder.dag.virtualHosts.get('ingress_https')?.get('app.example.com')?.withheld).toBeUndefined();
  });
});
