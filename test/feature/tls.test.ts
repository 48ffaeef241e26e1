import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { selfSigned } from '../lib/certificates.ts';
import { ControlPlane } from '../lib/control-plane.ts';
import { endpointSlice, httpProxy, manifest, service, tlsSecret } from '../lib/manifests.ts';
import { XdsFollower } from '../lib/xds-follower.ts';

const app = (tls: string, route = 'services: [{name: web, port: 80}]'): string =>
  httpProxy('app', `{virtualhost: {fqdn: app.example.com, tls: ${tls}}, routes: [{${route}}]}`);
const delegation = (targets: string): string =>
  manifest(
    'projectcontour.io/v1',
    'TLSCertificateDelegation',
    'certs/d',
    `spec: {delegations: [{secretName: wild, targetNamespaces: ${targets}}]}`,
  );

let plane: ControlPlane;
let follower: XdsFollower;

beforeEach(async () => {
  const [leaf, renewed] = await Promise.all([selfSigned({ commonName: 'leaf' }), selfSigned({ commonName: 'renewed' })]);
  const values = {
    'leaf.crt': leaf.certificate,
    'leaf.key': leaf.privateKey,
    'renewed.crt': renewed.certificate,
    'renewed.key': renewed.privateKey,
    'mixed.crt': leaf.certificate,
    'mixed.key': renewed.privateKey,
  };
  plane = await ControlPlane.start({ values }, service('web') + endpointSlice('web', 8080));
  follower = await XdsFollower.start(plane);
});

afterEach(() => plane[Symbol.asyncDispose]());

const status = (): string => plane.status('HTTPProxy demo/app');

/** What a proxy has for the host: `plain` routes, a `secure` chain, and the certificates. */
async function served(): Promise<string> {
  await follower.sent();
  const isPlain = follower.names('scopedRoute').includes('ingress_http|app.example.com');
  const isSecure =
    follower.names('listener').includes('ingress_https') && follower.text('listener', 'ingress_https').includes('"app.example.com"');
  return [...(isPlain ? ['plain'] : []), ...(isSecure ? ['secure'] : []), ...follower.names('secret')].join(' ') || 'nothing';
}

describe('a certificate', () => {
  test('opens its host when it comes, is followed, and closes both ports when it goes', async () => {
    await plane.apply(app('{secretName: tls}'));
    expect([await served(), status()]).toEqual(['nothing', 'TLSError/SecretNotValid']);
    await plane.apply(tlsSecret('tls', 'leaf'));
    expect([await served(), status()]).toEqual(['plain secure demo/tls', 'valid']);
    const first = follower.text('secret', 'demo/tls');
    await plane.apply(tlsSecret('tls', 'renewed'));
    expect(await served()).toBe('plain secure demo/tls');
    expect(follower.text('secret', 'demo/tls')).not.toBe(first);
    await plane.remove('Secret demo/tls');
    expect([await served(), status()]).toEqual(['nothing', 'TLSError/SecretNotValid']);
  });

  test('that does not fit its key is never sent, and what was served before is closed', async () => {
    await plane.apply(tlsSecret('tls', 'leaf') + app('{secretName: tls}'));
    expect(await served()).toBe('plain secure demo/tls');
    await plane.apply(tlsSecret('tls', 'mixed'));
    expect([await served(), status()]).toEqual(['nothing', 'TLSError/SecretNotValid']);
    expect(plane.messages('HTTPProxy demo/app')).toContain('demo/tls');
    await plane.apply(tlsSecret('tls', 'leaf'));
    expect([await served(), status()]).toEqual(['plain secure demo/tls', 'valid']);
  });

  test('of another namespace is sent while it is delegated', async () => {
    await plane.apply(tlsSecret('certs/wild', 'leaf') + app('{secretName: certs/wild}'));
    expect([await served(), status()]).toEqual(['nothing', 'TLSError/DelegationNotPermitted']);
    for (const targets of ['[demo]', '["*"]', '[other, demo]']) {
      await plane.apply(delegation(targets));
      expect([targets, await served(), status()]).toEqual([targets, 'plain secure certs/wild', 'valid']);
    }
    await plane.apply(delegation('[other]'));
    expect([await served(), status()]).toEqual(['nothing', 'TLSError/DelegationNotPermitted']);
    await plane.apply(delegation('[demo]'));
    expect(await served()).toBe('plain secure certs/wild');
    await plane.remove('TLSCertificateDelegation certs/d');
    expect([await served(), status()]).toEqual(['nothing', 'TLSError/DelegationNotPermitted']);
  });

  test('goes to proxies in full, and into no status', async () => {
    await plane.apply(tlsSecret('tls', 'leaf') + app('{secretName: tls}'));
    await follower.sent();
    const inBytes = (text: string): string => JSON.stringify(Buffer.from(text).toString('base64'));
    expect(follower.text('secret', 'demo/tls')).toContain(inBytes(String(plane.values.get('leaf.key'))));
    const statuses = JSON.stringify(plane.pipeline.statuses());
    expect(statuses).not.toContain('PRIVATE KEY');
  });
});

test('plain HTTP is redirected, or served where a route permits it and the configuration does not forbid it', async () => {
  const redirects = async (): Promise<boolean> => {
    await follower.sent();
    return follower.text('route', 'ingress_http').includes('https_redirect');
  };
  const permitted = app('{secretName: tls}', 'permitInsecure: true, services: [{name: web, port: 80}]');
  await plane.apply(tlsSecret('tls', 'leaf') + app('{secretName: tls}'));
  expect(await redirects()).toBe(true);
  await plane.apply(permitted);
  expect(await redirects()).toBe(false);

  await using strict = await ControlPlane.start(
    { values: Object.fromEntries(plane.values), config: () => ({ disablePermitInsecure: true }) },
    service('web'),
  );
  await strict.apply(tlsSecret('tls', 'leaf') + permitted);
  const other = await XdsFollower.start(strict);
  expect(other.text('route', 'ingress_http')).toContain('https_redirect');
});

test('a host that passes TLS through has a chain to its Service and no certificate', async () => {
  const passing = httpProxy(
    'app',
    '{virtualhost: {fqdn: app.example.com, tls: {passthrough: true}}, tcpproxy: {services: [{name: web, port: 80}]}}',
  );
  await plane.apply(passing);
  expect([await served(), status()]).toEqual(['secure', 'valid']);
  expect(follower.text('listener', 'ingress_https')).toContain('demo/web/80/');
  expect(follower.names('endpoint')).toEqual(['demo/web/http']);
  await plane.remove('Service demo/web');
  expect([await served(), status()]).toEqual(['nothing', 'TCPProxyError/ServiceUnresolvedReference']);
});
