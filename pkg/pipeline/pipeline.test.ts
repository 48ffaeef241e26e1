import { expect, test } from '@jest/globals';
import { testConfig } from '../../test/lib/config.ts';
import { lenientSecrets, object, tlsSecretObject } from '../../test/lib/memory-reader.ts';
import type { Change } from '../kubernetes-cache/changes.ts';
import { typeUrls } from '../xdscache/resource.ts';
import { Pipeline } from './pipeline.ts';
import { verifyIncremental } from './verify.ts';

const options = { config: testConfig(), secrets: lenientSecrets };
const service = object('Service', 'demo/app', { spec: { ports: [{ port: 80 }] } });
const proxy = (name: string) =>
  object('HTTPProxy', `demo/${name}`, {
    spec: { virtualhost: { fqdn: `${name}.example.com` }, routes: [{ services: [{ name: 'app', port: 80 }] }] },
  });

/** A pipeline that has built a Service and two HTTPProxies, and the changes since. */
function start(): { pipeline: Pipeline; pending: Change[] } {
  const pipeline = new Pipeline(options);
  for (const each of [service, proxy('a'), proxy('b')]) pipeline.cache.apply(each);
  pipeline.buildAll();
  const pending: Change[] = [];
  pipeline.cache.changes.subscribe((change) => pending.push(change));
  return { pipeline, pending };
}

const names = (pipeline: Pipeline): readonly string[] => [...pipeline.snapshot.all(typeUrls.scopedRoute).keys()];

test('what is built again from the start and comes out as it was is not served anew', () => {
  const { pipeline } = start();
  const { snapshot, withdrawn } = pipeline.buildAll();
  expect([...snapshot.values()].map(({ size }) => size)).toEqual(Object.values(typeUrls).map(() => 0));
  expect(withdrawn).toEqual([]);
});

test('a build from the start catches up with a batch that was lost, deletions as well', () => {
  const { pipeline } = start();
  pipeline.cache.remove('HTTPProxy', 'demo', 'a');
  pipeline.cache.apply(proxy('c'));
  const { withdrawn } = pipeline.buildAll();
  expect(names(pipeline).some((name) => name.includes('c.example.com'))).toBe(true);
  expect(names(pipeline).some((name) => name.includes('a.example.com'))).toBe(false);
  expect(withdrawn.map((status) => status.object.name)).toEqual(['a']);
  expect(verifyIncremental(pipeline, options)).toEqual([]);
});

test('changes after it are built step by step again', () => {
  const { pipeline, pending } = start();
  pipeline.buildAll();
  pipeline.cache.remove('HTTPProxy', 'demo', 'a');
  const { dirty, withdrawn } = pipeline.build(pending);
  expect(dirty).toBeLessThan(3);
  expect(withdrawn.map((status) => status.object.name)).toEqual(['a']);
  expect(verifyIncremental(pipeline, options)).toEqual([]);
});

test('what a route would do is of no account to its table where it sends the client to https', () => {
  const { pipeline, pending } = start();
  const secured = (route: object) =>
    object('HTTPProxy', 'demo/a', {
      spec: {
        virtualhost: { fqdn: 'a.example.com', tls: { secretName: 'tls' } },
        routes: [{ services: [{ name: 'app', port: 80 }], ...route }],
      },
    });
  pipeline.cache.apply(tlsSecretObject('demo/tls'));
  pipeline.cache.apply(secured({ internalRedirectPolicy: { maxInternalRedirects: 2 } }));
  pipeline.build(pending.splice(0));
  pipeline.cache.apply(secured({}));
  pipeline.build(pending.splice(0));
  expect(pipeline.dag.virtualHosts.get('ingress_http')?.get('a.example.com')?.routes).toMatchObject([{ httpsRedirect: true }]);
  expect(verifyIncremental(pipeline, options)).toEqual([]);
});
