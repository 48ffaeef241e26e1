import { describe, expect, test } from '@jest/globals';
import { buildProxies, proxies } from '../../../../test/lib/httpproxies.ts';
import { object, service, tlsSecretObject } from '../../../../test/lib/memory-reader.ts';
import type { Config } from '../../../config/config.ts';

const extension = (id: string, more: object = {}) =>
  object('ExtensionService', id, { spec: { protocol: 'h2c', services: [{ name: 'a', port: 80 }], ...more } });
const base = [
  service('ns/a'),
  service('sys/a'),
  tlsSecretObject('ns/tls'),
  extension('ns/ext', { timeoutPolicy: { response: '7s' } }),
  extension('ns/broken', { services: [{ name: 'nope', port: 80 }] }),
  extension('sys/auth'),
];
const world = (yaml: string, changes: Partial<Config> = {}) => buildProxies([...base, ...proxies(yaml)], changes);
const host = (authorization: string, route = '') =>
  `app: {virtualhost: {fqdn: app.example.com, tls: {secretName: tls}, authorization: {${authorization}}}, routes: [{${route} services: [{name: a, port: 80}]}]}`;
const secure = (yaml: string, changes: Partial<Config> = {}) => world(yaml, changes).part('app.example.com', 'ingress_https');

describe('the authorization server of a host', () => {
  test('is asked by its own chain, with what the stanza says', () => {
    const part = secure(host('extensionRef: {name: ext}, failOpen: true, withRequestBody: {maxRequestBytes: 10, packAsBytes: true}'));
    expect(part?.authorization).toEqual({
      target: { namespace: 'ns', name: 'ext', timeoutMs: 7000 },
      serviceType: 'grpc',
      failOpen: true,
      requestBody: { maxRequestBytes: 10, allowPartialMessage: false, packAsBytes: true },
    });
    expect(part?.routes).toMatchObject([{ authorization: { type: 'required', by: 'host', context: {} } }]);
  });

  test.each([
    { text: '2s', want: 2000 },
    { text: 'infinity', want: 'disabled' },
    { text: '0', want: 7000 },
  ])('has $text for an answer, in place of what the ExtensionService says', ({ text, want }) => {
    expect(secure(host(`extensionRef: {name: ext}, responseTimeout: "${text}"`))?.authorization?.target.timeoutMs).toBe(want);
  });

  test('over HTTP has its path and headers', () => {
    const settings = 'serviceType: http, httpSettings: {pathPrefix: /check, allowedUpstreamHeaders: [{prefix: x-, ignoreCase: true}]}';
    expect(secure(host(`extensionRef: {name: ext}, ${settings}`))?.authorization).toMatchObject({
      serviceType: 'http',
      http: { pathPrefix: '/check', allowedAuthorizationHeaders: [], allowedUpstreamHeaders: [{ prefix: 'x-', ignoreCase: true }] },
    });
  });

  test.each([
    { stanza: 'extensionRef: {name: nope}', want: 'AuthError/ExtensionServiceNotFound' },
    { stanza: 'extensionRef: {name: broken}', want: 'AuthError/ExtensionServiceNotFound' },
    { stanza: 'extensionRef: {apiVersion: x/v9, name: ext}', want: 'AuthError/AuthBadResourceVersion' },
    { stanza: 'extensionRef: {name: ext}, serviceType: http, httpSettings: {pathPrefix: check}', want: 'AuthError/AuthBadPathPrefix' },
    { stanza: 'extensionRef: {name: ext}, withRequestBody: {maxRequestBytes: 4294967296}', want: 'AuthError/AuthRequestBodyInvalid' },
    { stanza: 'extensionRef: {name: ext}, responseTimeout: 3', want: 'AuthError/AuthResponseTimeoutInvalid' },
    {
      stanza: 'extensionRef: {name: ext}, serviceType: http, authPolicy: {context: {a: b}}',
      want: 'AuthError/AuthContextForHTTP',
    },
    {
      stanza: 'extensionRef: {name: ext}, serviceType: http, httpSettings: {allowedAuthorizationHeaders: [{exact: a, prefix: b}]}',
      want: 'AuthError/AuthBadAllowedHeader',
    },
    {
      stanza: 'extensionRef: {name: ext}, serviceType: http, httpSettings: {allowedUpstreamHeaders: [{ignoreCase: true}]}',
      want: 'AuthError/AuthBadAllowedHeader',
    },
  ])('that cannot be asked as {$stanza} leaves the host unserved on both listeners', ({ stanza, want }) => {
    const { status, parts } = world(host(stanza, 'permitInsecure: true,'));
    expect(status('app')).toBe(want);
    expect(parts).toEqual([]);
  });

  test('is not for bytes that are passed on: the host is not served', () => {
    const spec = '{virtualhost: {fqdn: app.example.com, tls: {passthrough: true}, authorization: {extensionRef: {name: ext}}}';
    const { status, parts } = world(`app: ${spec}, tcpproxy: {services: [{name: a, port: 80}]}}`);
    expect(status('app')).toBe('AuthError/AuthNotPermitted');
    expect(parts).toEqual([]);
  });

  test('is never passed by in plaintext: permitInsecure is told to have no effect', () => {
    const { routes, status, warnings } = world(host('extensionRef: {name: ext}', 'permitInsecure: true,'));
    expect(status('app')).toBe('valid');
    expect(warnings('app')).toEqual(['SpecError/IgnoredField']);
    expect(routes()).toMatchObject([{ httpsRedirect: true }]);
  });

  test('need not be asked where a route says no, also in plaintext', () => {
    const { routes, warnings } = world(host('extensionRef: {name: ext}', 'permitInsecure: true, authPolicy: {disabled: true},'));
    expect(warnings('app')).toEqual([]);
    expect(routes()).toMatchObject([{ httpsRedirect: false, authorization: { type: 'disabled' } }]);
  });

  test('is asked for a route that says yes although the host says no, and told what both say', () => {
    const stanza = 'extensionRef: {name: ext}, authPolicy: {disabled: true, context: {level: low, site: main}}';
    const part = secure(host(stanza, 'authPolicy: {disabled: false, context: {level: high}},'));
    expect(part?.routes).toMatchObject([{ authorization: { type: 'required', context: { level: 'high', site: 'main' } } }]);
  });

  test('goes with no fallback certificate', () => {
    const yaml = host('extensionRef: {name: ext}').replace('secretName: tls', 'secretName: tls, enableFallbackCertificate: true');
    expect(world(yaml).status('app')).toBe('TLSError/TLSIncompatibleFeatures');
  });
});

describe('the authorization of the configuration', () => {
  const global = {
    extensionService: { namespace: 'sys', name: 'auth' },
    serviceType: 'grpc',
    responseTimeoutMs: undefined,
    failOpen: false,
    authPolicy: { context: { who: 'all' } },
  } as const;
  const off = { ...global, authPolicy: { disabled: true } };
  const plain = (stanza = '', route = '') =>
    `app: {virtualhost: {fqdn: app.example.com${stanza}}, routes: [{${route} services: [{name: a, port: 80}]}]}`;
  const required = (context: object) => ({ type: 'required', by: 'listener', context });
  const disabled = { type: 'disabled' };
  const no = ', authorization: {authPolicy: {disabled: true}}';
  test.each([
    { name: 'on', yaml: plain(), config: global, want: required({ who: 'all' }) },
    { name: 'off', yaml: plain(), config: off, want: disabled },
    { name: 'off, on for the host', yaml: plain(', authorization: {authPolicy: {}}'), config: off, want: required({}) },
    { name: 'on, off for the host', yaml: plain(no), config: global, want: disabled },
    { name: 'off for the host, on for the route', yaml: plain(no, 'authPolicy: {disabled: false},'), config: off, want: required({}) },
    { name: 'on, off for the route', yaml: plain('', 'authPolicy: {disabled: true},'), config: global, want: disabled },
    {
      name: 'on, with a word of the route',
      yaml: plain('', 'authPolicy: {context: {path: x}},'),
      config: global,
      want: required({ path: 'x', who: 'all' }),
    },
  ])('$name', ({ yaml, config, want }) => {
    const { routes, status } = world(yaml, { globalExtAuth: config });
    expect(status('app')).toBe('valid');
    expect(routes()[0]?.authorization).toEqual(want);
  });

  test('that names no good ExtensionService is told, and asked for all the same', () => {
    const config = { ...global, extensionService: { namespace: 'ns', name: 'broken' } };
    const { routes, status } = world(plain(), { globalExtAuth: config });
    expect(status('app')).toBe('AuthError/ExtensionServiceNotFound');
    expect(routes()).toMatchObject([{ authorization: { type: 'required', by: 'listener' } }]);
    expect(world(plain(no), { globalExtAuth: config }).status('app')).toBe('valid');
  });

  test('stands back where the host has its own', () => {
    const part = secure(host('extensionRef: {name: ext}'), { globalExtAuth: global });
    expect(part?.routes).toMatchObject([{ authorization: { type: 'required', by: 'host', context: {} } }]);
  });
});

test('a policy for a server that there is none of is told', () => {
  const { warnings } = world(
    'app: {virtualhost: {fqdn: app.example.com}, routes: [{authPolicy: {context: {a: b}}, services: [{name: a, port: 80}]}]}',
  );
  expect(warnings('app')).toEqual(['SpecError/IgnoredField']);
});

describe('global rate limits', () => {
  const rateLimitService = {
    extensionService: { namespace: 'sys', name: 'auth' },
    domain: 'shop',
    failOpen: false,
    enableXRateLimitHeaders: false,
    enableResourceExhaustedCode: false,
    defaultPolicy: { descriptors: [{ entries: [{ genericKey: { value: 'everyone' } }] }] },
  };
  const limited = (policy: string, route = '') =>
    world(`app: {virtualhost: {fqdn: app.example.com${policy}}, routes: [{${route} services: [{name: a, port: 80}]}]}`, {
      rateLimitService,
    });
  const policy = (entry: string) => `rateLimitPolicy: {global: {descriptors: [{entries: [${entry}]}]}}`;
  const everyone = { descriptors: [{ entries: [{ type: 'generic-key', key: '', value: 'everyone' }] }] };

  test('of the configuration hold for a host that has none and does not say no', () => {
    expect(limited('').part()?.globalRateLimit).toEqual(everyone);
    expect(limited(', rateLimitPolicy: {global: {disabled: true}}').part()?.globalRateLimit).toBeUndefined();
    expect(limited(`, ${policy('{remoteAddress: {}}')}`).part()?.globalRateLimit).toEqual({
      descriptors: [{ entries: [{ type: 'remote-address' }] }],
    });
  });

  test.each([
    { entry: '{genericKey: {key: k, value: v}}', want: { type: 'generic-key', key: 'k', value: 'v' } },
    { entry: '{requestHeader: {headerName: X-Who, descriptorKey: who}}', want: { type: 'request-header', header: 'x-who', key: 'who' } },
    {
      entry: '{requestHeaderValueMatch: {headers: [{name: x, exact: bot}], value: deny}}',
      want: { type: 'header-match', headers: [{ name: 'x', type: 'exact', value: 'bot' }], expectMatch: true, value: 'deny' },
    },
  ])('of a route are asked for as $entry', ({ entry, want }) => {
    expect(limited('', `${policy(entry)},`).routes()).toMatchObject([
      { globalRateLimit: { ignoreHost: false, descriptors: [{ entries: [want] }] } },
    ]);
  });

  test('of the host do not count for a route that says no', () => {
    expect(limited('', 'rateLimitPolicy: {global: {disabled: true}},').routes()).toMatchObject([{ globalRateLimit: { ignoreHost: true } }]);
  });

  test.each([
    '{genericKey: {value: a}, remoteAddress: {}}',
    '{}',
    '{genericKey: {value: ""}}',
    '{requestHeader: {headerName: "", descriptorKey: k}}',
    '{requestHeaderValueMatch: {value: v}}',
    '{requestHeaderValueMatch: {headers: [{name: x, regex: "("}], value: v}}',
  ])('that Envoy could not ask for, as %s, are errors', (entry) => {
    expect(limited('', `${policy(entry)},`).status('app')).toBe('RouteError/RateLimitPolicyNotValid');
    expect(limited(`, ${policy(entry)}`).status('app')).toBe('VirtualHostError/RateLimitPolicyNotValid');
  });

  test('without a service that keeps them are errors: who set them counts on them', () => {
    const { status, parts } = world(
      `app: {virtualhost: {fqdn: app.example.com, ${policy('{remoteAddress: {}}')}}, routes: [{services: [{name: a, port: 80}]}]}`,
    );
    expect(status('app')).toBe('VirtualHostError/RateLimitPolicyNotValid');
    expect(parts).toEqual([]);
  });
});
