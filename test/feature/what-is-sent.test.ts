import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { allRouteName, scopeKey, shardName } from '../../pkg/envoy/route/scopes.ts';
import { selfSigned } from '../lib/certificates.ts';
import { ControlPlane } from '../lib/control-plane.ts';
import { endpointSlice, httpProxy, manifest, service, tlsSecret } from '../lib/manifests.ts';
import { XdsFollower } from '../lib/xds-follower.ts';

/** A change sends what it changes and nothing else: a proxy with thousands of hosts must not notice that of one. */

const shard = (host: string): string => `route ${shardName('ingress_http', host)}`;
const scope = (host: string): string => `scopedRoute ${scopeKey('ingress_http', host)}`;
/** For proxies without scopes; Envoy with our bootstrap does not ask for it. */
const whole = `route ${allRouteName('ingress_http')}`;

const to = (name: string): string => `services: [{name: ${name}, port: 80}]`;
const plain = (name: string, backend: string): string =>
  httpProxy(name, `{virtualhost: {fqdn: ${name}.example.com}, routes: [{${to(backend)}}]}`);
const secure = (name: string, backend: string, secret: string): string =>
  httpProxy(name, `{virtualhost: {fqdn: ${name}.example.com, tls: {secretName: ${secret}}}, routes: [{${to(backend)}}]}`);

const world = [
  manifest('v1', 'Namespace', '/demo', ''),
  ...['web', 'other', 'idle'].map((name) => service(name) + endpointSlice(name, 8080)),
  tlsSecret('tls', 'one'),
  plain('one', 'web'),
  plain('two', 'other'),
  secure('safe', 'web', 'tls'),
].join('');

/** The cluster of a Service with default settings. */
const cluster = (name: string): string => `cluster demo/${name}/80/da39a3ee5e`;

let plane: ControlPlane;
let follower: XdsFollower;

beforeEach(async () => {
  const [one, two] = [await selfSigned({ commonName: 'one' }), await selfSigned({ commonName: 'two' })];
  const values = { 'one.crt': one.certificate, 'one.key': one.privateKey, 'two.crt': two.certificate, 'two.key': two.privateKey };
  plane = await ControlPlane.start({ values }, world);
  follower = await XdsFollower.start(plane);
});

afterEach(() => plane[Symbol.asyncDispose]());

async function sentBy(yaml: string): Promise<readonly string[]> {
  await plane.apply(yaml);
  return follower.sent();
}

describe('at first', () => {
  test('all that is referred to comes, and nothing that is not', () => {
    expect(follower.names('cluster')).toEqual(['demo/other/80/da39a3ee5e', 'demo/web/80/da39a3ee5e']);
    expect(follower.names('endpoint')).toEqual(['demo/other/http', 'demo/web/http']);
    expect(follower.names('secret')).toEqual(['demo/tls']);
    expect(follower.names('route')).toContain('https/safe.example.com');
    expect(follower.names('listener')).toEqual(expect.arrayContaining(['ingress_http', 'ingress_https']));
  });
});

describe('nothing is sent, and no status changes, for', () => {
  test.each([
    { what: 'a Service that nothing refers to', yaml: service('unused') + endpointSlice('unused', 8080) },
    { what: 'endpoints of a Service that nothing refers to', yaml: endpointSlice('idle', 9090) },
    { what: 'a Secret that nothing refers to', yaml: tlsSecret('unused', 'two') },
    { what: 'a Secret of another namespace', yaml: tlsSecret('elsewhere/tls', 'two') },
    { what: 'a Service of another namespace', yaml: service('elsewhere/web') + endpointSlice('elsewhere/web', 9090) },
    { what: 'the labels of a Service', yaml: service('web').replace('name: web,', 'name: web, labels: {a: b},') },
    { what: 'a port of a Service that nothing refers to', yaml: service('web', '[{name: http, port: 80}, {name: more, port: 81}]') },
    { what: 'a Namespace', yaml: manifest('v1', 'Namespace', '/demo', '').replace('name: demo', 'name: demo, labels: {a: b}') },
    {
      what: 'an endpoint that is not ready',
      yaml: endpointSlice('web', 8080, { name: 'web-2', endpoints: '{addresses: [192.0.2.7], conditions: {ready: false}}' }),
    },
    { what: 'an address that is there twice', yaml: endpointSlice('web', 8080, { name: 'web-2' }) },
    {
      what: 'a delegation of a certificate that nothing needs',
      yaml: manifest(
        'projectcontour.io/v1',
        'TLSCertificateDelegation',
        'd',
        'spec: {delegations: [{secretName: tls, targetNamespaces: ["*"]}]}',
      ),
    },
    {
      what: 'an HTTPProxy of another class',
      yaml: plain('foreign', 'idle').replace('name: foreign,', 'name: foreign, annotations: {projectcontour.io/ingress.class: other},'),
    },
    { what: 'the labels of an HTTPProxy', yaml: plain('one', 'web').replace('name: one,', 'name: one, labels: {a: b},') },
    { what: 'an object that is written again as it was', yaml: plain('one', 'web') },
  ])('$what', async ({ yaml }) => {
    const statuses = JSON.stringify(plane.pipeline.statuses());
    expect(await sentBy(yaml)).toEqual([]);
    expect(JSON.stringify(plane.pipeline.statuses())).toBe(statuses);
  });
});

describe('endpoints', () => {
  test('a slice that changes sends the endpoints of its Service alone', async () => {
    expect(await sentBy(endpointSlice('web', 9090))).toEqual(['endpoint demo/web/http']);
    expect(follower.text('endpoint', 'demo/web/http')).toContain('9090');
  });

  test('slices come and go', async () => {
    expect(
      await sentBy(endpointSlice('web', 8080, { name: 'web-2', endpoints: '{addresses: [192.0.2.7], conditions: {ready: true}}' })),
    ).toEqual(['endpoint demo/web/http']);
    expect(follower.text('endpoint', 'demo/web/http')).toContain('192.0.2.7');
    await plane.remove('EndpointSlice demo/web-1', 'EndpointSlice demo/web-2');
    expect(await follower.sent()).toEqual(['endpoint demo/web/http']);
    expect(follower.text('endpoint', 'demo/web/http')).not.toContain('address');
  });

  test('a slice that is given to another Service sends the endpoints of both', async () => {
    const moved = endpointSlice('other', 8080, { name: 'web-1' });
    expect(await sentBy(moved)).toEqual(['endpoint demo/web/http']);
    expect(await sentBy(moved.replace('port: 8080', 'port: 9090'))).toEqual(['endpoint demo/other/http']);
  });
});

describe('routes', () => {
  test('an edit of one host sends the shard of that host', async () => {
    expect(await sentBy(plain('one', 'other'))).toEqual([whole, shard('one.example.com')].sort());
    expect(await sentBy(plain('two', 'web'))).toEqual([whole, shard('two.example.com')].sort());
  });

  test('an edit of a host with TLS sends its routes', async () => {
    // The table of the host alone is for proxies without scopes.
    expect(await sentBy(secure('safe', 'other', 'tls'))).toEqual(['route https/safe.example.com', 'route ingress_https/TLS-17']);
  });

  test('a new host sends its scope and shard, and goes with them', async () => {
    expect(await sentBy(plain('three', 'web'))).toEqual([whole, shard('three.example.com'), scope('three.example.com')].sort());
    await plane.remove('HTTPProxy demo/three');
    expect(await follower.sent()).toEqual([`-${scope('three.example.com')}`, `-${shard('three.example.com')}`, whole].sort());
  });

  test('a first user of a Service sends its cluster and endpoints, the last takes them away', async () => {
    expect(await sentBy(plain('three', 'idle'))).toEqual(
      [cluster('idle'), 'endpoint demo/idle/http', whole, shard('three.example.com'), scope('three.example.com')].sort(),
    );
    expect(await sentBy(plain('four', 'idle'))).toEqual([whole, shard('four.example.com'), scope('four.example.com')].sort());
    await plane.remove('HTTPProxy demo/three');
    expect(await follower.sent()).not.toContain(`-${cluster('idle')}`);
    await plane.remove('HTTPProxy demo/four');
    expect(await follower.sent()).toEqual(expect.arrayContaining([`-${cluster('idle')}`, '-endpoint demo/idle/http']));
  });

  test('a Service that goes and comes back changes the hosts that refer to it alone', async () => {
    await plane.remove('Service demo/other');
    expect(await follower.sent()).toEqual([`-${cluster('other')}`, '-endpoint demo/other/http', whole, shard('two.example.com')].sort());
    expect(await sentBy(service('other'))).toEqual([cluster('other'), 'endpoint demo/other/http', whole, shard('two.example.com')].sort());
  });

  test('a port that gets another name changes where the cluster finds its endpoints, not the routes', async () => {
    expect(await sentBy(service('other', '[{name: web, port: 80}]'))).toEqual(
      ['-endpoint demo/other/http', cluster('other'), 'endpoint demo/other/web'].sort(),
    );
  });
});

describe('certificates', () => {
  test('a certificate that is renewed sends the secret alone', async () => {
    expect(await sentBy(tlsSecret('tls', 'two'))).toEqual(['secret demo/tls']);
  });

  test('a host that uses another certificate sends the listener and the secrets', async () => {
    await plane.apply(tlsSecret('new', 'two'));
    expect(await sentBy(secure('safe', 'web', 'new'))).toEqual(['-secret demo/tls', 'listener ingress_https', 'secret demo/new']);
  });

  test('of several hosts that share a certificate the last takes it away', async () => {
    await plane.apply(secure('safe-too', 'web', 'tls'));
    await follower.sent();
    await plane.remove('HTTPProxy demo/safe');
    expect(await follower.sent()).not.toContain('-secret demo/tls');
    await plane.remove('HTTPProxy demo/safe-too');
    expect(await follower.sent()).toEqual(expect.arrayContaining(['-listener ingress_https', '-secret demo/tls']));
  });
});
