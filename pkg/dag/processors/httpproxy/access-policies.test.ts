import { describe, expect, test } from '@jest/globals';
import { buildProxies, proxies } from '../../../../test/lib/httpproxies.ts';
import { object, service, tlsSecretObject } from '../../../../test/lib/memory-reader.ts';

const keySet = '{"keys": [{"kty": "RSA", "n": "x", "e": "AQAB"}]}';
const base = [
  service('ns/a'),
  tlsSecretObject('ns/tls'),
  object('Secret', 'ns/keys', { stringData: { jwks: keySet, text: 'not json', empty: '{"keys": []}', odd: '{"keys": [{}]}' } }),
  object('Secret', 'ns/encoded', { data: { jwks: btoa(keySet) } }),
  object('Secret', 'ns/ca', { data: { 'ca.crt': 'pem' } }),
  object('Secret', 'other/ca', { data: { 'ca.crt': 'pem' } }),
];
const one = 'services: [{name: a, port: 80}]';

const world = (host: string, route = '', more = '') =>
  buildProxies([...base, ...proxies(`app: {virtualhost: {fqdn: app.example.com, ${host}}, routes: [{${route} ${one}}] ${more}}`)]);
const secured = (providers: string, route = '') => world(`tls: {secretName: tls}, jwtProviders: [${providers}]`, route);
const onHttps = (built: ReturnType<typeof world>) => built.part('app.example.com', 'ingress_https');

describe('CORS', () => {
  const cors = (policy: string) => world(`corsPolicy: {allowMethods: [GET], ${policy}}`);

  test.each([
    { origin: '*', want: { type: 'any' } },
    { origin: 'https://A.example.com:8443', want: { type: 'exact', origin: 'https://A.example.com:8443' } },
    { origin: 'https://.*[.]example[.]com', want: { type: 'regex', regex: 'https://.*[.]example[.]com' } },
    { origin: 'https://a.example.com/', want: { type: 'regex', regex: 'https://a.example.com/' } },
  ])('the origin $origin', ({ origin, want }) => {
    expect(cors(`allowOrigin: ["${origin}"]`).part()?.cors?.origins).toEqual([want]);
  });

  test.each([
    { maxAge: '10m', want: 600 },
    { maxAge: '0', want: 0 },
    { maxAge: '1500ms', want: 1 },
  ])('a maxAge of $maxAge is $want s', ({ maxAge, want }) => {
    expect(cors(`allowOrigin: ["*"], maxAge: "${maxAge}"`).part()?.cors?.maxAgeSeconds).toBe(want);
  });

  test.each(['allowOrigin: ["*", "(x"]', 'allowOrigin: ["*"], maxAge: "-5s"', 'allowOrigin: ["*"], maxAge: "x"'])(
    '%s is refused',
    (policy) => {
      const built = cors(policy);
      expect(built.status('app')).toBe('CORSError/PolicyDidNotParse');
      expect(built.messages('app')).toMatch(/^Spec.VirtualHost.CORSPolicy: invalid .*"(?:\(x|-5s|x)"/);
      expect(built.parts).toEqual([]);
    },
  );
});

describe('IP filters', () => {
  const range = (cidr: string) => `ipAllowPolicy: [{source: Peer, cidr: "${cidr}"}]`;

  test.each([
    { cidr: '10.0.0.0/8', want: { address: '10.0.0.0', prefixLength: 8 } },
    { cidr: '192.0.2.1', want: { address: '192.0.2.1', prefixLength: 32 } },
    { cidr: '2001:db8::1', want: { address: '2001:db8::1', prefixLength: 128 } },
    { cidr: '::/0', want: { address: '::', prefixLength: 0 } },
    { cidr: '::ffff:192.0.2.1/96', want: { address: '::ffff:192.0.2.1', prefixLength: 96 } },
  ])('$cidr', ({ cidr, want }) => {
    const filter = { action: 'allow', ranges: [{ source: 'peer', ...want }] };
    expect(world(range(cidr)).part()?.ipFilter).toEqual(filter);
    expect(world('', `${range(cidr)},`).routes()[0]?.ipFilter).toEqual(filter);
  });

  test.each([
    '300.0.0.1',
    '10.0.0.0/33',
    '10.0.0/8',
    '010.0.0.1',
    '::1::2',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3',
    'fe80::1%eth0',
    '10.0.0.0/8/8',
    '',
    '::/129',
  ])('%j is none', (cidr) => {
    for (const built of [world(range(cidr)), world('', `${range(cidr)},`)]) {
      expect(built.status('app')).toBe('IPFilterError/InvalidCIDR');
      expect(built.messages('app')).toContain(`ipAllowPolicy[0]: ${cidr} failed to parse`);
      expect(built.parts).toEqual([]);
    }
  });

  test('all bad entries are told, and one of them is enough to close the host', () => {
    const built = world('ipDenyPolicy: [{source: Peer, cidr: x}, {source: Remote, cidr: y}, {source: Peer, cidr: 10.0.0.0/8}]');
    expect(built.status('app')).toBe('IPFilterError/InvalidCIDR IPFilterError/InvalidCIDR');
    expect(built.parts).toEqual([]);
  });
});

describe('local rate limits', () => {
  test('a bucket of requests and burst', () => {
    const policy =
      'rateLimitPolicy: {local: {requests: 3, burst: 2, unit: minute, responseStatusCode: 503, responseHeadersToAdd: [{name: x-a, value: 50%}]}}';
    const want = {
      maxTokens: 5,
      tokensPerFill: 3,
      fillIntervalMs: 60_000,
      status: 503,
      responseHeaders: [{ name: 'X-A', value: '50%%' }],
    };
    expect(world(policy).part()?.localRateLimit).toEqual(want);
    expect(world('', `${policy},`).routes()[0]?.localRateLimit).toEqual(want);
  });

  test.each([
    { local: 'requests: 0, unit: second', want: 'invalid requests value 0' },
    { local: 'requests: 1, unit: day', want: 'invalid unit "day"' },
    { local: 'requests: 1, unit: second, burst: -1', want: 'invalid burst value -1' },
    { local: 'requests: 1, unit: second, responseStatusCode: 420', want: 'invalid responseStatusCode 420' },
    { local: 'requests: 1, unit: second, responseHeadersToAdd: [{name: "a b", value: x}]', want: 'invalid set header "a b"' },
  ])('{$local} is refused', ({ local, want }) => {
    const policy = `rateLimitPolicy: {local: {${local}}}`;
    const [host, route] = [world(policy), world('', `${policy},`)];
    expect(host.status('app')).toBe('VirtualHostError/RateLimitPolicyNotValid');
    expect(route.status('app')).toBe('RouteError/RateLimitPolicyNotValid');
    for (const built of [host, route]) {
      expect(built.messages('app')).toContain(want);
      expect(built.parts).toEqual([]);
    }
  });
});

describe('JWT', () => {
  const local = 'name: p, localJWKS: {secretName: keys, key: jwks}';

  test('the default provider holds for a route without a word, and only behind TLS', () => {
    const built = secured(`{default: true, issuer: i, audiences: [x], forwardJWT: true, ${local}}`, 'permitInsecure: true,');
    const provider = { name: 'p', issuer: 'i', audiences: ['x'], forward: true, keys: { type: 'local', keys: keySet } };
    expect(onHttps(built)?.jwt).toEqual({ providers: [provider] });
    expect(onHttps(built)?.routes[0]?.jwt).toEqual({ provider: 'p' });
    expect(built.part()?.jwt).toBeUndefined();
    expect(built.routes()[0]?.httpsRedirect).toBe(true);
    expect(built.messages('app')).toContain('spec.routes[0].permitInsecure has no effect');
  });

  test.each([
    { providers: `{${local}}`, policy: '{}', want: undefined },
    { providers: `{default: true, ${local}}`, policy: '{disabled: true}', want: undefined },
    { providers: `{${local}}`, policy: '{require: p}', want: { provider: 'p' } },
    { providers: '{name: p, localJWKS: {secretName: encoded, key: jwks}}', policy: '{require: p}', want: { provider: 'p' } },
  ])('$providers with $policy', ({ providers, policy, want }) => {
    expect(onHttps(secured(providers, `jwtVerificationPolicy: ${policy},`))?.routes[0]?.jwt).toEqual(want);
  });

  test('a provider that is not defined closes the route on both listeners', () => {
    const built = secured(`{${local}}`, 'jwtVerificationPolicy: {require: other}, permitInsecure: true,');
    expect(built.status('app')).toBe('JWTVerificationError/JWTProviderNotDefined');
    for (const part of built.parts) expect(part.routes[0]?.action).toEqual({ type: 'direct-response', status: 403 });
  });

  test.each([
    { uri: 'http://keys.example.com/k', port: 80, scheme: 'http' },
    { uri: 'HTTPS://keys.example.com:8443/k?a=b', port: 8443, scheme: 'https' },
  ])('the key set at $uri', ({ uri, port, scheme }) => {
    const built = secured(`{name: p, remoteJWKS: {uri: "${uri}", timeout: 2s, cacheDuration: 1m, dnsLookupFamily: v4}}`);
    expect(onHttps(built)?.jwt?.providers[0]?.keys).toMatchObject({
      uri,
      timeoutMs: 2000,
      cacheDurationMs: 60_000,
      cluster: { service: { externalName: 'keys.example.com', port }, dnsScheme: scheme, dnsLookupFamily: 'v4' },
    });
  });

  const remote = (fields: string) => `{name: p, remoteJWKS: {${fields}}}`;
  const https = 'uri: "https://keys.example.com/k"';
  test.each([
    { providers: remote('uri: ":/bad"'), want: 'RemoteJWKSURIInvalid', names: '":/bad"' },
    { providers: remote('uri: "https://u@keys.example.com"'), want: 'RemoteJWKSURIInvalid', names: 'u@keys' },
    { providers: remote('uri: "ftp://keys.example.com"'), want: 'RemoteJWKSSchemeInvalid', names: '"ftp"' },
    { providers: remote('uri: "https://keys.example.com:70000"'), want: 'RemoteJWKSPortInvalid', names: '70000' },
    { providers: remote(`${https}, timeout: x`), want: 'RemoteJWKSTimeoutInvalid', names: '"x"' },
    { providers: remote(`${https}, cacheDuration: 0s`), want: 'RemoteJWKSCacheDurationInvalid', names: '"0s"' },
    { providers: remote(`${https}, dnsLookupFamily: v5`), want: 'RemoteJWKSDNSLookupFamilyInvalid', names: '"v5"' },
    {
      providers: remote('uri: "http://k.test/", validation: {caSecret: ca, subjectName: k.test}'),
      want: 'RemoteJWKSUpstreamValidationInvalid',
      names: 'http',
    },
    {
      providers: remote(`${https}, validation: {caSecret: no, subjectName: k}`),
      want: 'RemoteJWKSUpstreamValidationInvalid',
      names: 'ns/no',
    },
    {
      providers: remote(`${https}, validation: {caSecret: other/ca, subjectName: k}`),
      want: 'RemoteJWKSCACertificateNotDelegated',
      names: 'other/ca',
    },
    { providers: '{name: p, localJWKS: {secretName: no, key: jwks}}', want: 'LocalJWKSInvalid', names: 'ns/no' },
    { providers: '{name: p, localJWKS: {secretName: keys, key: toString}}', want: 'LocalJWKSInvalid', names: '"toString"' },
    { providers: '{name: p, localJWKS: {secretName: keys, key: text}}', want: 'LocalJWKSInvalid', names: 'no' },
    { providers: '{name: p, localJWKS: {secretName: keys, key: empty}}', want: 'LocalJWKSInvalid', names: '"keys"' },
    { providers: '{name: p, localJWKS: {secretName: keys, key: odd}}', want: 'LocalJWKSInvalid', names: 'keys[0]' },
    { providers: `{${local}, remoteJWKS: {${https}}}`, want: 'JWKSSourceConflict', names: '"p"' },
    { providers: '{name: p}', want: 'JWKSSourceMissing', names: '"p"' },
    { providers: `{${local}}, {${local}}`, want: 'DuplicateProviderName', names: 'duplicate name p' },
  ])('$providers: $want', ({ providers, want, names }) => {
    const built = secured(providers);
    expect(built.status('app')).toBe(`JWTVerificationError/${want}`);
    expect(built.messages('app')).toContain(names);
    expect(built.parts).toEqual([]);
  });

  test.each([
    { name: 'a plaintext host', host: `jwtProviders: [{${local}}]`, more: '' },
    { name: 'a tcpproxy', host: `tls: {secretName: tls}, jwtProviders: [{${local}}]`, more: `, tcpproxy: {${one}}` },
  ])('$name takes no tokens', ({ host, more }) => {
    const built = world(host, '', more);
    expect(built.status('app')).toBe('JWTVerificationError/JWTVerificationNotPermitted');
    expect(built.parts).toEqual([]);
  });
});

describe('over a tcpproxy', () => {
  test.each([
    { guard: 'ipAllowPolicy: [{source: Peer, cidr: 10.0.0.0/8}]', want: 'IPFilterError/IPFilterPolicyNotValid' },
    { guard: 'ipDenyPolicy: [{source: Peer, cidr: 10.0.0.0/8}]', want: 'IPFilterError/IPFilterPolicyNotValid' },
    { guard: 'rateLimitPolicy: {local: {requests: 1, unit: second}}', want: 'VirtualHostError/RateLimitPolicyNotValid' },
    {
      guard: 'rateLimitPolicy: {global: {descriptors: [{entries: [{remoteAddress: {}}]}]}}',
      want: 'VirtualHostError/RateLimitPolicyNotValid',
    },
  ])('nothing passes $guard by', ({ guard, want }) => {
    const built = world(`tls: {secretName: tls}, ${guard}`, '', `, tcpproxy: {${one}}`);
    expect(built.status('app')).toBe(want);
    expect(built.parts).toEqual([]);
  });
});

describe('on the way back', () => {
  const forwardOf = (route: string) => {
    const action = world('', route).routes()[0]?.action;
    return action?.type === 'forward' ? action : undefined;
  };

  test('the attributes of a service win over those of its route', () => {
    const route = 'cookieRewritePolicies: [{name: sid, pathRewrite: {value: /r}, sameSite: Lax}]';
    const its = '[{name: a, port: 80, cookieRewritePolicies: [{name: sid, pathRewrite: {value: /s}}, {name: b, secure: false}]}]';
    const built = buildProxies([
      ...base,
      ...proxies(`app: {virtualhost: {fqdn: app.example.com}, routes: [{${route}, services: ${its}}]}`),
    ]);
    expect(built.routes()[0]?.action).toMatchObject({
      clusters: [
        {
          cookieRewrites: [
            { name: 'b', secure: false },
            { name: 'sid', path: '/s', sameSite: 'Lax' },
          ],
        },
      ],
      forward: { cookieRewrites: [{ name: 'sid', path: '/r', sameSite: 'Lax' }] },
    });
  });

  test('internal redirects', () => {
    const all =
      'internalRedirectPolicy: {maxInternalRedirects: 2, redirectResponseCodes: [301], allowCrossSchemeRedirect: SafeOnly, denyRepeatedRouteRedirect: true},';
    expect(forwardOf(all)?.forward?.internalRedirect).toEqual({
      maxRedirects: 2,
      statusCodes: [301],
      crossScheme: 'safe-only',
      denyRepeatedRoute: true,
    });
    expect(forwardOf('internalRedirectPolicy: {},')?.forward?.internalRedirect).toEqual({
      statusCodes: [],
      crossScheme: 'never',
      denyRepeatedRoute: false,
    });
  });
});
