import { once } from 'node:events';
import { connect, type PeerCertificate } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { toJson } from '../../pkg/envoy/json.ts';
import { typeUrls } from '../../pkg/xdscache/resource.ts';
import { selfSigned } from '../lib/certificates.ts';
import { eventually } from '../lib/eventually.ts';
import { type FieldCase, FieldRig } from '../lib/field-case.ts';
import { httpProxy, manifest, tlsSecret } from '../lib/manifests.ts';

const toA = 'services: [{name: echo-a, port: 80}]';
const toB = 'services: [{name: echo-b, port: 80}]';

/** A root HTTPProxy with TLS. */
const secure = (name: string, host: string, tls: string, route: string): string =>
  httpProxy(name, `{virtualhost: {fqdn: ${host}, tls: ${tls}}, routes: [{${route}}]}`);

const delegation = (targets: string): string =>
  manifest(
    'projectcontour.io/v1',
    'TLSCertificateDelegation',
    'other/wild',
    `spec: {delegations: [{secretName: wild, targetNamespaces: ${targets}}]}`,
  );

const cases: readonly FieldCase[] = [
  {
    name: 'a key after its EC PARAMETERS block serves (projectcontour/contour#1702)',
    steps: [
      {
        apply: tlsSecret('tls-ec', 'ec') + secure('app', 'app.example.com', '{secretName: tls-ec}', toA),
        statuses: { app: 'valid' },
        answers: { 'https://app.example.com/': 'echo-a' },
      },
    ],
  },
  {
    name: 'a key that cannot be decoded is told, and never sent (projectcontour/contour#4544)',
    steps: [
      {
        apply:
          tlsSecret('tls-bad', 'bad') +
          secure('bad', 'bad.example.com', '{secretName: tls-bad}', toA) +
          secure('good', 'app.example.com', '{secretName: tls-a}', toB),
        statuses: { bad: 'TLSError/SecretNotValid', good: 'valid' },
        answers: { 'https://app.example.com/': 'echo-b', 'https://bad.example.com/': 'refused', 'bad.example.com/': '404' },
      },
      {
        apply: tlsSecret('tls-bad', 'leaf-a'),
        statuses: { bad: 'valid' },
        answers: { 'https://bad.example.com/': 'echo-a', 'bad.example.com/': '301 https://bad.example.com/' },
      },
    ],
  },
  {
    name: 'a certificate that is not delegated closes both ports, whether it exists or not (projectcontour/contour#1452, #1348)',
    steps: [
      {
        apply: secure('app', 'app.example.com', '{secretName: other/wild}', `permitInsecure: true, ${toA}`),
        statuses: { app: 'TLSError/DelegationNotPermitted' },
        answers: { 'app.example.com/': '404', 'https://app.example.com/': 'refused' },
      },
      {
        apply: tlsSecret('other/wild', 'leaf-a'),
        statuses: { app: 'TLSError/DelegationNotPermitted' },
        answers: { 'app.example.com/': '404', 'https://app.example.com/': 'refused' },
      },
      {
        apply: delegation('[demo]'),
        statuses: { app: 'valid' },
        answers: { 'app.example.com/': 'echo-a', 'https://app.example.com/': 'echo-a' },
      },
      {
        apply: delegation('[elsewhere]'),
        statuses: { app: 'TLSError/DelegationNotPermitted' },
        answers: { 'app.example.com/': '404', 'https://app.example.com/': 'refused' },
      },
    ],
  },
  {
    name: 'passthrough and a fallback certificate do not go together (projectcontour/contour#3197)',
    steps: [
      {
        apply: httpProxy(
          'app',
          `{virtualhost: {fqdn: app.example.com, tls: {passthrough: true, enableFallbackCertificate: true}}, tcpproxy: {${toA}}}`,
        ),
        statuses: { app: 'TLSError/TLSIncompatibleFeatures' },
        answers: { 'https://app.example.com/': 'refused' },
      },
    ],
  },
  {
    name: 'a tcpproxy needs TLS, and its services (projectcontour/contour#1958, #1951)',
    steps: [
      {
        apply:
          httpProxy('no-tls', `{virtualhost: {fqdn: tcp.example.com}, tcpproxy: {${toA}}}`) +
          httpProxy(
            'no-svc',
            '{virtualhost: {fqdn: tcp2.example.com, tls: {passthrough: true}}, tcpproxy: {services: [{name: missing, port: 443}]}}',
          ),
        statuses: { 'no-tls': 'TCPProxyError/TLSMustBeConfigured', 'no-svc': 'TCPProxyError/ServiceUnresolvedReference' },
        answers: { 'tcp.example.com/': '404', 'https://tcp.example.com/': 'refused', 'https://tcp2.example.com/': 'refused' },
      },
    ],
  },
  {
    name: 'Host is compared with SNI without its port and case; another host is 421 (projectcontour/contour#2568, #2347, #1493)',
    steps: [
      {
        apply: secure('app', 'app.example.com', '{secretName: tls-a}', toA) + secure('two', 'two.example.com', '{secretName: tls-a}', toB),
        statuses: { app: 'valid', two: 'valid' },
        answers: {
          'https://app.example.com/ | host: app.example.com:8443': 'echo-a',
          'https://app.example.com/ | host: APP.example.com': 'echo-a',
          'https://APP.example.com/ | host: app.example.com': 'echo-a',
          'https://app.example.com/ | host: two.example.com': '421',
          'https://two.example.com/': 'echo-b',
        },
      },
    ],
  },
  {
    name: 'the redirect to HTTPS drops the port of plain HTTP, which never proxies (projectcontour/contour#1300, #5161)',
    steps: [
      {
        apply: secure('app', 'app.example.com', '{secretName: tls-a}', toA),
        answers: {
          'app.example.com/x | host: app.example.com:8000': '301 https://app.example.com/x',
          'app.example.com/x?y=1': '301 https://app.example.com/x?y=1',
        },
      },
    ],
  },
];

describe('TLS', () => {
  let rig: FieldRig;
  beforeAll(async () => {
    rig = await FieldRig.start({ values: { ...(await ecMaterial()), ...(await badMaterial()) } });
  }, 30_000);
  afterEach(() => rig.clear());
  afterAll(() => rig[Symbol.asyncDispose]());

  test.each(cases)('$name', (fieldCase) => rig.run(fieldCase));

  test('what is said of a certificate that is not delegated does not tell whether it exists (projectcontour/contour#1452)', async () => {
    await rig.apply(secure('app', 'app.example.com', '{secretName: other/wild}', toA));
    const absent = rig.plane.messages('HTTPProxy demo/app');
    await rig.apply(tlsSecret('other/wild', 'leaf-a'));
    expect(rig.plane.messages('HTTPProxy demo/app')).toBe(absent);
    expect(absent).toContain('other/wild');
  });

  test('a CA may be in a Secret of type kubernetes.io/tls, with comments (projectcontour/contour#3889)', async () => {
    const { certificate } = await selfSigned({ commonName: 'ca' });
    rig.plane.values.set('ca.crt', `# the bundle of a distribution\n${certificate}\n# and after it\n`);
    await rig.apply(
      manifest(
        'v1',
        'Secret',
        'backend',
        'type: kubernetes.io/tls, stringData: {tls.crt: "${leaf-a.crt}", tls.key: "${leaf-a.key}", ca.crt: "${ca.crt}"}',
      ) +
        httpProxy(
          'app',
          '{virtualhost: {fqdn: app.example.com}, routes: [{services: [{name: echo-a, port: 80, protocol: tls, validation: {caSecret: backend, subjectName: b.example.com}}]}]}',
        ),
    );
    expect(rig.plane.status('HTTPProxy demo/app')).toBe('valid');
    const clusters = [...rig.plane.pipeline.snapshot.all(typeUrls.cluster).values()];
    const texts = clusters.map((cluster) => JSON.stringify(toJson(typeUrls.cluster, cluster.encoded('ads').bytes)));
    const validated = texts.filter((text) => text.includes('match_typed_subject_alt_names') && text.includes('b.example.com'));
    expect(validated).toHaveLength(1);
    expect(validated[0]).toContain(Buffer.from(certificate).toString('base64').slice(0, 40));
    // Nobody there speaks TLS, so it must fail: the answer comes from Envoy.
    await rig.expectAnswers({ 'app.example.com/': '503' });
    expect(await rig.rejections()).toEqual([]);
  });

  test('a renewed certificate reaches new connections and ends none', async () => {
    await rig.apply(tlsSecret('tls-b', 'leaf-a') + secure('app', 'app.example.com', '{secretName: tls-b}', toA));
    await rig.expectAnswers({ 'https://app.example.com/': 'echo-a' });
    const before = await peerOf(rig, 'app.example.com');
    const updates = async () => Object.fromEntries(await rig.plane.envoy.stats('listener_(modified|in_place_updated|added|removed)$'));
    const updated = await updates();
    const renewed = await selfSigned({ commonName: 'renewed', dnsNames: ['app.example.com'] });
    rig.plane.values.set('renewed.crt', renewed.certificate).set('renewed.key', renewed.privateKey);
    await rig.apply(tlsSecret('tls-b', 'renewed'));
    await eventually('the new certificate', async () => (await peerOf(rig, 'app.example.com')).fingerprint !== before.fingerprint);
    expect((await peerOf(rig, 'app.example.com')).subject.CN).toBe('renewed');
    // A listener that changes ends the connections of the chains that changed.
    expect(await updates()).toEqual(updated);
    expect(await rig.rejections()).toEqual([]);
  });
});

async function peerOf(rig: FieldRig, servername: string): Promise<PeerCertificate> {
  const socket = connect({ host: '127.0.0.1', port: rig.plane.ports.https, servername, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const peer = socket.getPeerCertificate();
  socket.destroy();
  return peer;
}

/** As OpenSSL writes them: parameters of the curve before the key. */
async function ecMaterial(): Promise<Readonly<Record<string, string>>> {
  const { certificate, privateKey } = await selfSigned({ commonName: 'app.example.com', dnsNames: ['app.example.com'] });
  // The object identifier of P-256.
  const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
  return { 'ec.crt': certificate, 'ec.key': parameters + privateKey };
}

async function badMaterial(): Promise<Readonly<Record<string, string>>> {
  const { certificate } = await selfSigned({ commonName: 'bad.example.com', dnsNames: ['bad.example.com'] });
  return { 'bad.crt': certificate, 'bad.key': '-----BEGIN RSA PRIVATE KEY-----\nAAAAAAAA\n-----END RSA PRIVATE KEY-----\n' };
}
