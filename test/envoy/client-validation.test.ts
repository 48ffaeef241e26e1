import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type KeyMaterial, makeKeyMaterial } from '../behaviour/lib/key-material.ts';
import { FieldRig } from '../lib/field-case.ts';
import { httpProxy, manifest, tlsSecret } from '../lib/manifests.ts';

const host = 'app.example.com';
const routes = 'routes: [{services: [{name: echo-a, port: 80}]}]';
const fallbackCertificate = { namespace: 'other', name: 'fallback' };

/** A Secret of the namespace `demo` with one text. */
const secret = (name: string, key: string, text: string): string =>
  manifest('v1', 'Secret', name, `type: Opaque, stringData: {${key}: ${JSON.stringify(text)}}`);

const app = (validation: string, more = ''): string =>
  httpProxy('app', `{virtualhost: {fqdn: ${host}, tls: {secretName: tls-a, clientValidation: ${validation}}}, ${more || routes}}`);

describe('clients behind TLS', () => {
  let rig: FieldRig;
  let material: KeyMaterial;

  beforeAll(async () => {
    material = await makeKeyMaterial();
    const values = { 'fallback.crt': material.file('fallback.crt'), 'fallback.key': material.file('fallback.key') };
    const objects = [
      secret('ca', 'ca.crt', `# ours\n${material.file('ca.crt')}\n# end\n`),
      secret('crl-empty', 'crl.pem', material.file('crl-empty.pem')),
      secret('crl-bad', 'crl.pem', `a list\n${material.file('crl-bad.pem')}`),
      tlsSecret('other/fallback', 'fallback'),
      manifest(
        'projectcontour.io/v1',
        'TLSCertificateDelegation',
        'other/fallback',
        'spec: {delegations: [{secretName: fallback, targetNamespaces: ["*"]}]}',
      ),
    ];
    rig = await FieldRig.start({ values, config: () => ({ fallbackCertificate }) }, objects.join(''));
  }, 60_000);
  afterEach(() => rig?.clear());
  afterAll(() => rig?.[Symbol.asyncDispose]());

  /** The answer to a client with a certificate: the details that the backend got of it, or `refused`. */
  async function answer(client: string | undefined, headers: Record<string, string> = {}): Promise<string> {
    const identity = client === undefined ? {} : { cert: material.file(`${client}.crt`), key: material.file(`${client}.key`) };
    const call = request({
      host: '127.0.0.1',
      port: rig.plane.ports.https,
      servername: host,
      agent: false,
      rejectUnauthorized: false,
      headers: { ...headers, host },
      ...identity,
    });
    call.end();
    try {
      const [response] = (await once(call, 'response')) as [IncomingMessage];
      let body = '';
      for await (const chunk of response) body += String(chunk);
      const got = JSON.parse(body) as Readonly<Record<string, string>>;
      return `${response.statusCode} ${got['x-forwarded-client-cert'] ?? ''}`.trim();
    } catch {
      return 'refused';
    }
  }

  test.each([
    { validation: '{caSecret: ca}', want: { none: 'refused', good: '200', bad: '200', other: 'refused' } },
    { validation: '{caSecret: ca, optionalClientCertificate: true}', want: { none: '200', good: '200', bad: '200', other: 'refused' } },
    { validation: '{skipClientCertValidation: true}', want: { none: '200', good: '200', bad: '200', other: '200' } },
    { validation: '{caSecret: ca, skipClientCertValidation: true}', want: { none: 'refused', good: '200', bad: '200', other: '200' } },
    {
      validation: '{caSecret: ca, skipClientCertValidation: true, optionalClientCertificate: true}',
      want: { none: '200', good: '200', bad: '200', other: '200' },
    },
    { validation: '{caSecret: ca, crlSecret: crl-empty}', want: { none: 'refused', good: '200', bad: '200', other: 'refused' } },
    { validation: '{caSecret: ca, crlSecret: crl-bad}', want: { none: 'refused', good: '200', bad: 'refused', other: 'refused' } },
    {
      validation: '{caSecret: ca, crlSecret: crl-bad, crlOnlyVerifyLeafCert: true, optionalClientCertificate: true}',
      want: { none: '200', good: '200', bad: 'refused', other: 'refused' },
    },
  ])('$validation', async ({ validation, want }) => {
    await rig.apply(app(validation));
    await rig.expectAnswers({ 'https://keep.example.com/': 'echo-a' });
    const got = {
      none: await answer(undefined),
      good: await answer('client'),
      bad: await answer('client-bad'),
      other: await answer('client-other'),
    };
    expect(got).toEqual(want);
    expect(await rig.rejections()).toEqual([]);
  });

  const forged = { 'x-forwarded-client-cert': 'Subject=forged' };
  test.each([
    { details: '', want: /^200$/ },
    { details: 'forwardClientCertificate: {}', want: /^200 Hash=[0-9a-f]{64}$/ },
    { details: 'forwardClientCertificate: {subject: true}', want: /^200 Hash=[0-9a-f]{64};Subject="CN=client-good"$/ },
    {
      details: 'forwardClientCertificate: {uri: true, dns: true}',
      want: /^200 Hash=[0-9a-f]{64};URI=spiffe:\/\/test\/client;DNS=client-good$/,
    },
    { details: 'forwardClientCertificate: {cert: true}', want: /^200 Hash=[0-9a-f]{64};Cert="-----BEGIN%20CERTIFICATE/ },
    { details: 'forwardClientCertificate: {chain: true}', want: /^200 Hash=[0-9a-f]{64};Chain="-----BEGIN%20CERTIFICATE/ },
  ])('the backend gets what $details says, and nothing that the client makes up', async ({ details, want }) => {
    await rig.apply(app(`{caSecret: ca, ${details}}`));
    await rig.expectAnswers({ 'https://keep.example.com/': 'echo-a' });
    expect(await answer('client', forged)).toMatch(want);
  });

  test('no other way leads to the host: not another name, not no name, not plaintext', async () => {
    const other = `{virtualhost: {fqdn: fb.example.com, tls: {secretName: tls-a, enableFallbackCertificate: true}}, ${routes}}`;
    await rig.apply(app('{caSecret: ca}') + httpProxy('fb', other));
    await rig.expectAnswers({
      'https://app.example.com/': 'refused',
      'https://app.example.com/ | sni: keep.example.com': '421',
      'https://app.example.com/ | sni: fb.example.com': '421',
      'https://app.example.com/ | sni: nobody.com': '404',
      'https://app.example.com/ | sni: ': '404',
      'app.example.com/': '301',
      'https://fb.example.com/ | sni: ': 'echo-a',
      'https://fb.example.com/ | sni: nobody.com': 'echo-a',
      'https://fb.example.com/': 'echo-a',
      'https://keep.example.com/ | sni: ': '404',
    });
    expect(await rig.rejections()).toEqual([]);
  });

  test('the fallback certificate is shown where the server name leads nowhere, and only while a host wants it', async () => {
    const shown = async (servername: string): Promise<string> => {
      const socket = connect({ host: '127.0.0.1', port: rig.plane.ports.https, servername, rejectUnauthorized: false });
      try {
        await once(socket, 'secureConnect');
        return String(socket.getPeerCertificate().subject.CN);
      } catch {
        return 'refused';
      } finally {
        socket.destroy();
      }
    };
    const fb = (more: string): string =>
      httpProxy('fb', `{virtualhost: {fqdn: fb.example.com, tls: {secretName: tls-a, ${more}}}, ${routes}}`);
    await rig.apply(fb('enableFallbackCertificate: true'));
    await rig.expectAnswers({ 'https://fb.example.com/ | sni: ': 'echo-a' });
    expect([await shown('nobody.com'), await shown(''), await shown('fb.example.com')]).toEqual(['fallback', 'fallback', host]);
    await rig.apply(fb('enableFallbackCertificate: false'));
    await rig.expectAnswers({ 'https://fb.example.com/ | sni: ': 'refused', 'https://fb.example.com/': 'echo-a' });
    expect(await rig.rejections()).toEqual([]);
  });

  test('a wildcard with the fallback certificate answers for no host that has not asked for it', async () => {
    const wild = `{virtualhost: {fqdn: "*.example.com", tls: {secretName: tls-a, enableFallbackCertificate: true}}, ${routes}}`;
    await rig.apply(app('{caSecret: ca}') + httpProxy('wild', wild));
    await rig.expectAnswers({
      'https://x.example.com/ | sni: ': 'echo-a',
      'https://app.example.com/ | sni: ': '421',
      'https://keep.example.com/ | sni: ': '421',
    });
    expect(await rig.rejections()).toEqual([]);
  });
});
