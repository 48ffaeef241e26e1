import { describe, expect, test } from '@jest/globals';
import { buildProxies, proxies } from '../../../../test/lib/httpproxies.ts';
import { object, service, tlsSecretObject } from '../../../../test/lib/memory-reader.ts';
import type { KubeObject } from '../../../apis/meta.ts';
import type { Config } from '../../../config/config.ts';
import { defaultConfig } from '../../../config/to-config.ts';

const delegation = (id: string, secretName: string, ...targetNamespaces: string[]) =>
  object('TLSCertificateDelegation', id, { spec: { delegations: [{ secretName, targetNamespaces }] } });

const base = [
  service('ns/a'),
  tlsSecretObject('ns/tls'),
  tlsSecretObject('ns/old', 'expired'),
  object('Secret', 'ns/broken', { data: { 'tls.crt': 'c' } }),
  object('Secret', 'ns/ca', { data: { 'ca.crt': 'pem' } }),
  object('Secret', 'ns/crl', { data: { 'crl.pem': 'list' } }),
  object('Secret', 'other/ca', { data: { 'ca.crt': 'other pem' } }),
  object('Secret', 'other/crl', { data: { 'crl.pem': 'other list' } }),
  tlsSecretObject('other/tls'),
  tlsSecretObject('sys/fallback'),
];

function world(
  tls: string,
  { more = '', objects = [], changes = {} }: { more?: string; objects?: readonly KubeObject[]; changes?: Partial<Config> } = {},
) {
  const yaml = `app: {virtualhost: {fqdn: app.example.com, tls: ${tls}, ${more}}, routes: [{permitInsecure: true, services: [{name: a, port: 80}]}]}`;
  return buildProxies([...base, ...objects, ...proxies(yaml)], changes);
}

describe('termination', () => {
  test('uses the Secret, from TLS 1.2 to 1.3', () => {
    const { part, status } = world('{secretName: tls}');
    expect(status('app')).toBe('valid');
    expect(part('app.example.com', 'ingress_https')?.tls).toEqual({
      type: 'terminate',
      minVersion: '1.2',
      maxVersion: '1.3',
      secrets: [
        {
          namespace: 'ns',
          name: 'tls',
          certificate: 'cert of ns/tls',
          privateKey: 'key of ns/tls',
          origin: { kind: 'HTTPProxy', namespace: 'ns', name: 'app', path: 'spec.virtualhost.tls.secretName' },
        },
      ],
    });
  });

  test('an expired certificate is served, with a warning', () => {
    const { parts, status, warnings } = world('{secretName: old}');
    expect(status('app')).toBe('valid');
    expect(warnings('app')).toEqual(['TLSError/CertificateExpired']);
    expect(parts).toHaveLength(2);
  });

  test.each([
    { tls: '{minimumProtocolVersion: "1.3", secretName: tls}', changes: {}, want: { minVersion: '1.3', maxVersion: '1.3' } },
    { tls: '{maximumProtocolVersion: "1.2", secretName: tls}', changes: {}, want: { minVersion: '1.2', maxVersion: '1.2' } },
    { tls: '{minimumProtocolVersion: "1.1", secretName: tls}', changes: {}, want: { minVersion: '1.2', maxVersion: '1.3' } },
    {
      tls: '{minimumProtocolVersion: "1.2", secretName: tls}',
      changes: { minVersion: '1.3' },
      want: { minVersion: '1.3', maxVersion: '1.3' },
    },
    { tls: '{secretName: tls}', changes: { maxVersion: '1.2' }, want: { minVersion: '1.2', maxVersion: '1.2' } },
  ] as const)('$tls within $changes', ({ tls, changes, want }) => {
    const { listener } = defaultConfig;
    const { part } = world(tls, { changes: { listener: { ...listener, tls: { ...listener.tls, ...changes } } } });
    expect(part('app.example.com', 'ingress_https')?.tls).toMatchObject(want);
  });

  test('a delegated Secret of another namespace is used', () => {
    const { part } = world('{secretName: other/tls}', { objects: [delegation('other/d', 'tls', 'ns')] });
    expect(part('app.example.com', 'ingress_https')?.tls).toMatchObject({ secrets: [{ namespace: 'other', name: 'tls' }] });
  });
});

describe('passthrough', () => {
  const yaml =
    'app: {virtualhost: {fqdn: app.example.com, tls: {passthrough: true}}, routes: [{services: [{name: a, port: 80}]}], tcpproxy: {services: [{name: a, port: 80}]}}';

  test('hands connections on, and sends plaintext to HTTPS', () => {
    const { part, routes, status } = buildProxies([...base, ...proxies(yaml)]);
    expect(status('app')).toBe('valid');
    expect(part('app.example.com', 'ingress_https')).toMatchObject({ tls: { type: 'passthrough' }, routes: [], tcpProxy: {} });
    expect(routes()).toMatchObject([{ httpsRedirect: true }]);
  });

  test('without a tcpproxy there is nothing on TLS', () => {
    const { parts, status } = world('{passthrough: true}');
    expect(status('app')).toBe('valid');
    expect(parts.map(({ listener }) => listener)).toEqual(['ingress_http']);
  });

  test('with a fallback certificate is an error that is told', () => {
    const tls = 'tls: {passthrough: true, enableFallbackCertificate: true}';
    const { status } = buildProxies([...base, ...proxies(yaml.replace('tls: {passthrough: true}', tls))]);
    expect(status('app')).toBe('TLSError/TLSIncompatibleFeatures');
  });
});

const fallback = { fallbackCertificate: { namespace: 'sys', name: 'fallback' } };

describe('what is refused leaves the host unserved, in plaintext too', () => {
  const refusals: readonly { tls: string; want: string; options?: Parameters<typeof world>[1] }[] = [
    { tls: '{secretName: tls, passthrough: true}', want: 'TLSConfigNotValid' },
    { tls: '{}', want: 'TLSConfigNotValid' },
    { tls: '{passthrough: true, clientValidation: {caSecret: ca}}', want: 'TLSIncompatibleFeatures' },
    { tls: '{secretName: nope}', want: 'SecretNotValid' },
    { tls: '{secretName: broken}', want: 'SecretNotValid' },
    { tls: '{secretName: other/tls}', want: 'DelegationNotPermitted' },
    { tls: '{secretName: other/nope}', want: 'DelegationNotPermitted' },
    { tls: '{secretName: tls, minimumProtocolVersion: "1.3", maximumProtocolVersion: "1.2"}', want: 'TLSConfigNotValid' },
    {
      tls: '{secretName: tls, enableFallbackCertificate: true, clientValidation: {caSecret: ca}}',
      want: 'TLSIncompatibleFeatures',
      options: { changes: fallback },
    },
    {
      tls: '{secretName: tls, enableFallbackCertificate: true}',
      want: 'TLSIncompatibleFeatures',
      options: { more: 'jwtProviders: [{name: p}]' },
    },
    {
      tls: '{secretName: tls, enableFallbackCertificate: true}',
      want: 'TLSIncompatibleFeatures',
      options: { more: 'authorization: {authPolicy: {disabled: true}}' },
    },
    { tls: '{secretName: tls, enableFallbackCertificate: true}', want: 'FallbackNotPresent' },
    { tls: '{secretName: tls, enableFallbackCertificate: true}', want: 'FallbackNotDelegated', options: { changes: fallback } },
    {
      tls: '{secretName: tls, enableFallbackCertificate: true}',
      want: 'FallbackNotValid',
      options: { changes: { fallbackCertificate: { namespace: 'sys', name: 'nope' } }, objects: [delegation('sys/d', 'nope', '*')] },
    },
    { tls: '{secretName: tls, clientValidation: {}}', want: 'ClientValidationInvalid' },
    { tls: '{secretName: tls, clientValidation: {caSecret: nope}}', want: 'ClientValidationInvalid' },
    { tls: '{secretName: tls, clientValidation: {caSecret: other/ca}}', want: 'DelegationNotPermitted' },
    { tls: '{secretName: tls, clientValidation: {caSecret: ca, crlSecret: nope}}', want: 'ClientValidationInvalid' },
    { tls: '{secretName: tls, clientValidation: {caSecret: ca, crlSecret: ca}}', want: 'ClientValidationInvalid' },
    { tls: '{secretName: tls, clientValidation: {caSecret: ca, crlSecret: other/crl}}', want: 'DelegationNotPermitted' },
    { tls: '{secretName: tls, clientValidation: {skipClientCertValidation: true, crlSecret: crl}}', want: 'ClientValidationInvalid' },
    { tls: '{secretName: tls, clientValidation: {skipClientCertValidation: true, caSecret: nope}}', want: 'ClientValidationInvalid' },
  ];
  test.each(refusals)('$tls: $want', ({ tls, want, options }) => {
    const { parts, status } = world(tls, options);
    expect(status('app')).toBe(`TLSError/${want}`);
    expect(parts).toEqual([]);
  });

  test('a Secret that may not be used is not even looked at', () => {
    expect([...world('{secretName: other/tls}').keys]).not.toContain('Secret/other/tls');
  });

  test.each([
    { validation: '{caSecret: nope}', want: 'CA Secret "ns/nope" is invalid: Secret not found' },
    { validation: '{caSecret: ca, crlSecret: nope}', want: 'CRL Secret "ns/nope" is invalid: Secret not found' },
    { validation: '{caSecret: ca, crlSecret: other/crl}', want: 'CRL Secret "other/crl" certificate delegation not permitted' },
    { validation: '{}', want: 'caSecret must be set, unless skipClientCertValidation is true' },
    { validation: '{skipClientCertValidation: true, crlSecret: crl}', want: 'crlSecret "crl" needs a caSecret' },
  ])('the message names what is wrong with $validation', ({ validation, want }) => {
    expect(world(`{secretName: tls, clientValidation: ${validation}}`).messages('app')).toContain(want);
  });
});

describe('the fallback certificate', () => {
  const delegated = { changes: fallback, objects: [delegation('sys/d', 'fallback', 'ns')] };

  test('is served beside that of the host', () => {
    const { status, warnings, part } = world('{secretName: tls, enableFallbackCertificate: true}', delegated);
    expect(status('app')).toBe('valid');
    expect(warnings('app')).toEqual([]);
    expect(part('app.example.com', 'ingress_https')?.tls).toMatchObject({
      secrets: [{ namespace: 'ns', name: 'tls' }],
      fallback: { namespace: 'sys', name: 'fallback' },
    });
  });

  test('of a host that does not ask for it is not there', () => {
    expect(world('{secretName: tls}', delegated).part('app.example.com', 'ingress_https')?.tls).not.toHaveProperty('fallback');
  });

  test('is of no use to a tcpproxy: a warning', () => {
    const yaml =
      'app: {virtualhost: {fqdn: app.example.com, tls: {secretName: tls, enableFallbackCertificate: true}}, tcpproxy: {services: [{name: a, port: 80}]}}';
    const { part, status, warnings } = buildProxies([...base, ...delegated.objects, ...proxies(yaml)], fallback);
    expect(status('app')).toBe('valid');
    expect(warnings('app')).toEqual(['SpecError/IgnoredField']);
    expect(part('app.example.com', 'ingress_https')?.tls).not.toHaveProperty('fallback');
  });
});

describe('client validation', () => {
  const validationOf = (validation: string, objects: readonly KubeObject[] = []) => {
    const built = world(`{secretName: tls, clientValidation: ${validation}}`, { objects });
    const tls = built.part('app.example.com', 'ingress_https')?.tls;
    return { ...built, validation: tls?.type === 'terminate' ? tls.clientValidation : undefined };
  };

  test.each([
    { validation: '{caSecret: ca}', want: { caCertificates: 'pem', skipVerification: false, optional: false } },
    {
      validation: '{caSecret: ca, optionalClientCertificate: true}',
      want: { caCertificates: 'pem', skipVerification: false, optional: true },
    },
    { validation: '{skipClientCertValidation: true}', want: { skipVerification: true, optional: true } },
    {
      validation: '{skipClientCertValidation: true, caSecret: ca}',
      want: { caCertificates: 'pem', skipVerification: true, optional: false },
    },
    {
      validation: '{caSecret: ca, crlSecret: crl}',
      want: { caCertificates: 'pem', skipVerification: false, optional: false, revocation: { crl: 'list', leafOnly: false } },
    },
    {
      validation: '{caSecret: ca, crlSecret: crl, crlOnlyVerifyLeafCert: true}',
      want: { caCertificates: 'pem', skipVerification: false, optional: false, revocation: { crl: 'list', leafOnly: true } },
    },
    {
      validation: '{caSecret: ca, forwardClientCertificate: {subject: true, uri: true}}',
      want: {
        caCertificates: 'pem',
        skipVerification: false,
        optional: false,
        forward: { subject: true, cert: false, chain: false, dns: false, uri: true },
      },
    },
  ])('$validation', ({ validation, want }) => {
    const built = validationOf(validation);
    expect(built.status('app')).toBe('valid');
    expect(built.warnings('app')).toEqual([]);
    expect(built.validation).toEqual(want);
  });

  test('takes Secrets of other namespaces that delegate them', () => {
    const objects = [delegation('other/ca', 'ca', 'ns'), delegation('other/crl', 'crl', '*')];
    const { status, validation } = validationOf('{caSecret: other/ca, crlSecret: other/crl}', objects);
    expect(status('app')).toBe('valid');
    expect(validation).toMatchObject({ caCertificates: 'other pem', revocation: { crl: 'other list' } });
  });

  test.each([
    { validation: '{caSecret: ca, crlOnlyVerifyLeafCert: true}', want: 'CRLOnlyVerifyLeafCert has no effect without a crlSecret' },
    {
      validation: '{caSecret: ca, crlSecret: crl, skipClientCertValidation: true}',
      want: 'CRLSecret "crl" has no effect with skipClientCertValidation',
    },
  ])('warns of $validation', ({ validation, want }) => {
    const built = validationOf(validation);
    expect(built.status('app')).toBe('valid');
    expect(built.warnings('app')).toEqual(['SpecError/IgnoredField']);
    expect(built.messages('app')).toContain(want);
  });

  test('holds for a tcpproxy, which forwards no details: a warning', () => {
    const yaml =
      'app: {virtualhost: {fqdn: app.example.com, tls: {secretName: tls, clientValidation: {caSecret: ca, forwardClientCertificate: {dns: true}}}}, tcpproxy: {services: [{name: a, port: 80}]}}';
    const built = buildProxies([...base, ...proxies(yaml)]);
    expect(built.warnings('app')).toEqual(['SpecError/IgnoredField']);
    expect(built.part('app.example.com', 'ingress_https')).toMatchObject({ tcpProxy: {}, tls: { clientValidation: {} } });
  });
});
