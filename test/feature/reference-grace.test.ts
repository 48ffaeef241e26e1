import { afterEach, describe, expect, test } from '@jest/globals';
import { typeUrls } from '../../pkg/xdscache/resource.ts';
import { selfSigned } from '../lib/certificates.ts';
import { ControlPlane } from '../lib/control-plane.ts';
import { eventually } from '../lib/eventually.ts';
import { endpointSlice, httpProxy, ingress, manifest, service, tlsSecret } from '../lib/manifests.ts';

/** Longer than any test. */
const farMs = 600_000;
const to = (name: string): string => `routes: [{services: [{name: ${name}, port: 80}]}]`;
const app = (rest: string): string => httpProxy('app', `{virtualhost: {fqdn: app.example.com}, ${rest}}`);
const both = (id: string): string => service(id) + endpointSlice(id, 8080);
const brokenReference = 'ServiceError/ServiceUnresolvedReference';

let plane: ControlPlane;

afterEach(() => plane[Symbol.asyncDispose]());

async function start(referenceGraceMs: number, yaml: string): Promise<void> {
  plane = await ControlPlane.start({ referenceGraceMs }, manifest('v1', 'Namespace', '/demo', '') + both('web') + yaml);
}

const status = (): string => plane.status('HTTPProxy demo/app');
/** The Services that a host leads to. */
const served = (host = 'app.example.com', listener = 'ingress_http'): string => {
  const routes = plane.pipeline.dag.virtualHosts.get(listener)?.get(host)?.routes ?? [];
  return routes
    .flatMap(({ action }) => (action.type === 'forward' ? action.clusters.map(({ cluster }) => cluster.service.name) : [action.type]))
    .join(' ');
};

describe('what an object had is kept up', () => {
  test('while the Service that its new version names is on its way, and that its endpoints', async () => {
    await start(farMs, app(to('web')));
    await plane.apply(app(to('next')));
    expect([served(), status()]).toEqual(['web', 'valid']);
    await plane.apply(service('next'));
    expect([served(), status()]).toEqual(['web', 'valid']);
    await plane.apply(endpointSlice('next', 8080));
    expect([served(), status()]).toEqual(['next', 'valid']);
  });

  test('while a Service is made anew', async () => {
    await start(farMs, app(to('web')) + ingress('other', '{defaultBackend: {service: {name: web, port: {number: 80}}}}'));
    await plane.remove('Service demo/web');
    expect([served(), served('*'), status()]).toEqual(['web', 'web', 'valid']);
    await plane.apply(service('web'));
    expect([served(), status(), plane.pipeline.holds.size]).toEqual(['web', 'valid', 0]);
  });

  test('while a Service is made anew whose endpoints go and come with it', async () => {
    await start(farMs, app(to('web')));
    const endpoints = (): string =>
      JSON.stringify([...plane.pipeline.snapshot.all(typeUrls.endpoint).values()].map((one) => one.encoded('ads').version));
    const before = endpoints();
    await plane.remove('Service demo/web');
    await plane.remove('EndpointSlice demo/web-1');
    expect([served(), endpoints()]).toEqual(['web', before]);
    await plane.apply(service('web'));
    expect([served(), endpoints(), plane.pipeline.holds.size]).toEqual(['web', before, 1]);
    await plane.apply(endpointSlice('web', 8080, { name: 'web-2' }));
    expect([served(), endpoints(), plane.pipeline.holds.size]).toEqual(['web', before, 0]);
    expect(plane.pipeline.kept.slices.size).toBe(0);
    await plane.remove('EndpointSlice demo/web-2');
    expect(endpoints()).not.toBe(before);
  });

  test('while a certificate is made anew', async () => {
    const material = await selfSigned({ dnsNames: ['app.example.com'] });
    plane = await ControlPlane.start(
      { referenceGraceMs: farMs, values: { 'tls.crt': material.certificate, 'tls.key': material.privateKey } },
      both('web') +
        tlsSecret('cert', 'tls') +
        httpProxy('app', `{virtualhost: {fqdn: app.example.com, tls: {secretName: cert}}, ${to('web')}}`),
    );
    expect(served('app.example.com', 'ingress_https')).toBe('web');
    await plane.remove('Secret demo/cert');
    expect([served('app.example.com', 'ingress_https'), status()]).toEqual(['web', 'valid']);
    await plane.apply(tlsSecret('cert', 'tls'));
    expect([status(), plane.pipeline.holds.size]).toEqual(['valid', 0]);
  });

  test('while a proxy that it includes is made anew, whose own status is not told of', async () => {
    const child = httpProxy('child', `{${to('web')}}`);
    await start(farMs, app('includes: [{name: child}]') + child);
    await plane.remove('HTTPProxy demo/child');
    expect([served(), status()]).toEqual(['web', 'valid']);
    await plane.apply(child);
    expect([served(), status(), plane.pipeline.holds.size]).toEqual(['web', 'valid', 0]);
  });

  test('for no longer than the grace', async () => {
    await start(30, app(to('web')));
    await plane.apply(app(to('nowhere')));
    await eventually('the truth', () => status() === brokenReference);
    await plane.settled();
    expect(served()).toBe('direct-response');
  });
});

describe('there is nothing to wait for', () => {
  test('for an object that is new', async () => {
    await start(farMs, app(to('nowhere')));
    expect(status()).toBe(brokenReference);
    await plane.apply(app(to('web')));
    expect([served(), status()]).toEqual(['web', 'valid']);
  });

  test('for an edit that is wrong in itself', async () => {
    await start(farMs, app(to('web')));
    await plane.apply(app('routes: [{conditions: [{prefix: api}], services: [{name: web, port: 80}]}]'));
    expect(status()).not.toBe('valid');
  });

  test('for a Service that the object led to before, and that has lost its endpoints', async () => {
    await start(farMs, app(to('web')));
    await plane.apply(endpointSlice('web', 8080, { endpoints: '' }));
    await plane.apply(app('routes: [{conditions: [{prefix: /api}], services: [{name: web, port: 80}]}]'));
    expect(plane.pipeline.holds.size).toBe(0);
  });

  test('without a grace', async () => {
    await start(0, app(to('web')));
    await plane.apply(app(to('nowhere')));
    expect(status()).toBe(brokenReference);
  });
});
