import { describe, expect, test } from '@jest/globals';
import type { ContourConfiguration } from '../apis/projectcontour/v1alpha1/contour-configuration.ts';
import { type ConfigSources, formatProblem, type ResolvedConfig, resolveConfig } from './resolve.ts';
import { defaultConfig } from './to-config.ts';

const insecure = { insecure: true } as const;

function resolve(sources: Partial<ConfigSources>): ResolvedConfig {
  const resolved = resolveConfig({ flags: insecure, namespace: 'projectcontour', serving: true, ...sources });
  if (!resolved.ok) throw new Error(resolved.problems.map((problem) => formatProblem(problem)).join('\n'));
  return resolved.value;
}

function problems(sources: Partial<ConfigSources>): readonly string[] {
  const resolved = resolveConfig({ flags: insecure, namespace: 'projectcontour', serving: true, ...sources });
  return resolved.ok ? [] : resolved.problems.map((problem) => formatProblem(problem, 'contour.yaml'));
}

function contourConfiguration(spec: unknown): ContourConfiguration {
  return {
    apiVersion: 'projectcontour.io/v1alpha1',
    kind: 'ContourConfiguration',
    metadata: { name: 'c', namespace: 'n' },
    spec,
  } as ContourConfiguration;
}

describe('a configuration file', () => {
  test.each(['', '# nothing\n', '---\n', '{}', 'tls: {}\n', 'tls:\n', 'accesslog-format: ""\n'])('%j is the defaults', (file) => {
    expect(resolve({ file }).config).toEqual(defaultConfig);
  });

  test('defaults are those of the reference', () => {
    const { listener, cluster, timeouts, adminPort, envoyService, stats, health } = defaultConfig;
    expect([listener.http, listener.https]).toEqual([
      { address: '0.0.0.0', port: 8080, accessLog: '/dev/stdout' },
      { address: '0.0.0.0', port: 8443, accessLog: '/dev/stdout' },
    ]);
    expect(listener.tls).toMatchObject({ minVersion: '1.2', maxVersion: '1.3', ecdhCurves: [] });
    expect(listener.tls.cipherSuites).toHaveLength(4);
    expect(listener.httpVersions).toEqual(['HTTP/1.1', 'HTTP/2']);
    expect(listener).toMatchObject({ compression: 'gzip', serverHeaderTransformation: 'overwrite', numTrustedHops: 0 });
    expect(cluster).toMatchObject({ dnsLookupFamily: 'auto', connectTimeoutMs: 2_000, circuitBreakers: {} });
    expect(timeouts.connectionIdleMs).toBe(60_000);
    expect(timeouts.requestMs).toBeUndefined();
    expect(adminPort).toBe(9001);
    expect(envoyService).toEqual({ namespace: 'projectcontour', name: 'envoy' });
    expect([stats, health]).toEqual([
      { address: '0.0.0.0', port: 8002 },
      { address: '0.0.0.0', port: 8002 },
    ]);
  });

  test('an explicit zero replaces a default', () => {
    expect(resolve({ file: 'network: {admin-port: 0}' }).config.adminPort).toBe(0);
    expect(resolve({ file: 'timeouts: {connection-idle-timeout: 0s}' }).config.timeouts.connectionIdleMs).toBeUndefined();
    expect(resolve({ file: 'tracing: {extensionService: a/b, includePodDetail: false, overallSampling: 0}' }).config.tracing).toMatchObject(
      { includePodDetail: false, overallSampling: 0 },
    );
  });

  test('text is taken as it is written, numbers too', () => {
    const { config } = resolve({ file: 'tls: {minimum-protocol-version: 1.3}\npolicy: {request-headers: {set: {x-version: 1.20}}}' });
    expect(config.listener.tls.minVersion).toBe('1.3');
    expect(config.policy?.requestHeaders.set).toEqual({ 'x-version': '1.20' });
  });

  test('every group of keys reaches the Config', () => {
    const { config } = resolve({
      file: `
gateway: {gatewayRef: {namespace: gw-system, name: gw}}
ingress-status-address: "203.0.113.7, lb.example.com"
tls:
  fallback-certificate: {namespace: a, name: b}
  cipher-suites: [ECDHE-RSA-AES256-GCM-SHA384, ECDHE-RSA-AES256-GCM-SHA384]
cluster:
  circuit-breakers: {max-connections: 5, max-retries: 0}
  max-requests-per-connection: 7
default-http-versions: [http/2]
timeouts: {request-timeout: infinity, stream-idle-timeout: 5m, connect-timeout: 500ms}
rateLimitService: {extensionService: ns/rl, domain: shop, defaultGlobalRateLimitPolicy: {descriptors: [{entries: [{requestHeaderValueMatch: {value: v, headers: [{name: x, exact: y, ignorecase: true}]}}, {remoteAddress: {}}]}]}}
globalExtAuth: {extensionService: ns/auth, authPolicy: {disabled: true, context: {k: v}}, httpSettings: {pathprefix: /check}, withRequestBody: {}}
tracing: {extensionService: ns/tr, customTags: [{tagName: a, literal: b}]}
omEnforcedHealthListener: {address: 0.0.0.0, port: 8003}
runtime-settings: {a.b: 1}
`,
    });
    expect(config).toMatchObject({
      gatewayRef: { namespace: 'gw-system', name: 'gw' },
      statusAddresses: ['203.0.113.7', 'lb.example.com'],
      fallbackCertificate: { namespace: 'a', name: 'b' },
      listener: { httpVersions: ['HTTP/2'], tls: { cipherSuites: ['ECDHE-RSA-AES256-GCM-SHA384'] } },
      cluster: { circuitBreakers: { maxConnections: 5 }, maxRequestsPerConnection: 7, connectTimeoutMs: 500 },
      timeouts: { requestMs: 'disabled', streamIdleMs: 300_000 },
      globalExtAuth: {
        serviceType: 'grpc',
        authPolicy: { disabled: true },
        httpSettings: { pathPrefix: '/check' },
        withRequestBody: { maxRequestBytes: 1024 },
      },
      tracing: { overallSampling: 100, maxPathTagLength: 256, serviceName: 'contour', customTags: [{ tagName: 'a', literal: 'b' }] },
      omEnforcedHealth: { address: '0.0.0.0', port: 8003 },
      runtimeSettings: { 'a.b': '1' },
    });
    expect(config.cluster.circuitBreakers).not.toHaveProperty('maxRetries');
    const [descriptor] = config.rateLimitService?.defaultPolicy?.descriptors ?? [];
    expect(descriptor?.entries).toEqual([
      { requestHeaderValueMatch: { value: 'v', headers: [{ name: 'x', exact: 'y', ignoreCase: true }] } },
      { remoteAddress: {} },
    ]);
    expect(Object.isFrozen(config.listener.tls.cipherSuites)).toBe(true);
  });

  const refused: readonly { file: string; want: string }[] = [
    { file: 'no-such-key: 1', want: 'contour.yaml:1: no-such-key: unknown key' },
    { file: 'debug: true\ntls:\n  no-such-key: 1', want: 'contour.yaml:3: tls.no-such-key: unknown key' },
    { file: 'toString: 1', want: 'contour.yaml:1: toString: unknown key' },
    { file: 'server: {xds-server-type: envoy}', want: 'unknown key "xds-server-type"' },
    { file: 'tls: {minimum-protocol-version: "1.1"}', want: 'tls.minimum-protocol-version: "1.1": must be one of "1.2", "1.3"' },
    { file: 'tls: {minimum-protocol-version: "1.3", maximum-protocol-version: "1.2"}', want: '"1.3" is greater than the maximum "1.2"' },
    { file: 'tls: {cipher-suites: ["[AES128-SHA|NO]"]}', want: '"[AES128-SHA|NO]" is not a cipher suite' },
    { file: 'tls: {ecdh-curves: [P-1]}', want: 'tls.ecdh-curves: ["P-1"]: [0]: must be one of' },
    {
      file: 'tls: {fallback-certificate: {name: x}}',
      want: 'tls.fallback-certificate: {"name":"x"}: namespace: must be given with the name',
    },
    {
      file: 'globalExtAuth: {extensionService: a/b, serviceType: http, httpSettings: {pathPrefix: check}}',
      want: 'pathPrefix: "check" must start with /',
    },
    { file: 'gateway: {}', want: 'gateway: {}: gatewayRef: namespace and name must be given' },
    { file: 'accesslog-format-string: "%NO%\\n"', want: '%NO% is not a known operator' },
    { file: 'accesslog-format-string: "%PROTOCOL%"', want: 'must end with a newline' },
    { file: 'json-fields: [duration, nope]', want: '"nope" is neither a known field nor a simple operator' },
    { file: 'listener: {max-requests-per-connection: 0}', want: 'listener.max-requests-per-connection: 0: must be a whole number from 1' },
    { file: 'listener: {socket-options: {tos: 256}}', want: 'must be a whole number from 0 to 255' },
    { file: 'network: {admin-port: "9001"}', want: 'network.admin-port: "9001": must be a whole number' },
    { file: 'timeouts: {request-timeout: soon}', want: 'timeouts.request-timeout: "soon": must be a duration' },
    { file: 'timeouts: {connect-timeout: infinity}', want: 'timeouts.connect-timeout: "infinity": must be a duration' },
    { file: 'policy: {request-headers: {set: {"bad header": x}}}', want: '"bad header" is not a legal header name' },
    { file: 'tracing: {}', want: 'tracing.extensionService: must be given with tracing' },
    {
      file: 'tracing: {extensionService: a/b, customTags: [{tagName: t, literal: a, requestHeaderName: b}]}',
      want: '[0]: exactly one of literal and requestHeaderName',
    },
    { file: 'rateLimitService: {extensionService: nope}', want: 'must be namespace/name' },
    {
      file: 'metrics: {contour: {server-certificate-path: /c, ca-certificate-path: /ca}}',
      want: 'server-certificate-path and server-key-path must be given together',
    },
    { file: 'omEnforcedHealthListener: {address: 0.0.0.0, port: 8002}', want: 'must not be the endpoint of the stats listener' },
    { file: 'debug: maybe', want: 'debug: "maybe": must be true or false' },
    { file: 'tls: 3', want: 'tls: must be a map' },
    { file: '- a', want: 'must be a map' },
    { file: 'a: b: c', want: 'contour.yaml:1: ' },
    { file: 'debug: true\ndebug: false', want: 'contour.yaml:2: ' },
  ];
  test.each(refused)('$file is refused', ({ file, want }) => {
    const found = problems({ file });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(want);
  });

  test('all problems are told at once', () => {
    expect(problems({ file: 'a: 1\nb: 2\naccesslog-format: xml' })).toHaveLength(3);
  });
});

test('without a server there need be no TLS files', () => {
  expect(resolveConfig({ namespace: 'projectcontour' }).ok).toBe(true);
});

describe('flags', () => {
  test('a flag beats the file, but for the metrics sections', () => {
    const file = 'accesslog-format: json\nmetrics: {contour: {port: 9000}, envoy: {port: 9002}}';
    const { config, options } = resolve({ file, flags: { ...insecure, accessLogFormat: 'envoy', metricsPort: '1', statsPort: '2' } });
    expect([config.logging.format, options.metrics.port, config.stats.port]).toEqual(['envoy', 9000, 9002]);
  });

  const refused: readonly { name: string; flags: NonNullable<ConfigSources['flags']>; file?: string; want: string }[] = [
    {
      name: 'no TLS files and not insecure',
      flags: {},
      want: '--contour-cafile, --contour-cert-file and --contour-key-file: must be given',
    },
    { name: 'one TLS file of three', flags: { xdsCaFile: '/ca' }, want: 'must be given all three' },
    { name: 'one TLS file of three, though insecure', flags: { ...insecure, xdsCaFile: '/ca' }, want: 'must be given all three' },
    { name: 'a bad port', flags: { ...insecure, xdsPort: '70000' }, want: '--xds-port: "70000": must be a whole number from 0 to 65535' },
    {
      name: 'two configurations',
      flags: { ...insecure, configPath: 'a', contourConfigName: 'b' },
      want: '--contour-config-name: cannot be given with --config-path',
    },
    {
      name: 'an unknown feature',
      flags: { ...insecure, disabledFeatures: ['nope'] },
      want: '--disable-feature: ["nope"]: [0]: must be one of',
    },
    {
      name: 'a root namespace that is not watched',
      flags: { ...insecure, watchNamespaces: 'a', rootNamespaces: 'a,b' },
      want: '--watch-namespaces: must contain the root namespace "b"',
    },
    {
      name: 'a fallback certificate that is not watched',
      flags: { ...insecure, watchNamespaces: 'a' },
      file: 'tls: {fallback-certificate: {namespace: b, name: x}}',
      want: '--watch-namespaces: must contain the namespace of the fallback certificate "b"',
    },
  ];
  test.each(refused)('$name is refused', ({ flags, file, want }) => {
    const found = problems({ flags, ...(file !== undefined && { file }) });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(want);
  });
});

describe('a ContourConfiguration', () => {
  test('replaces the flags that it has fields for, with defaults of its own', () => {
    const { config, options } = resolve({
      flags: { statsPort: '1', leaseName: 'mine', xdsAddress: '127.0.0.1' },
      object: contourConfiguration({ envoy: { http: { port: 80 }, network: { adminPort: 0 } }, ingress: { classNames: ['a', 'b'] } }),
    });
    expect(config).toMatchObject({ listener: { http: { port: 80 } }, adminPort: 0, stats: { port: 8002 }, ingressClassNames: ['a', 'b'] });
    expect(config.timeouts.connectionIdleMs).toBeUndefined();
    expect(options.xds).toEqual({
      address: '0.0.0.0',
      port: 8001,
      tls: { caFile: '/certs/ca.crt', certFile: '/certs/tls.crt', keyFile: '/certs/tls.key' },
    });
    expect(options.leaderElection.name).toBe('mine');
  });

  test('problems name the field', () => {
    expect(problems({ flags: {}, object: contourConfiguration({ envoy: { logging: { accessLogFormat: 'xml' } } }) })).toEqual([
      'spec.envoy.logging.accessLogFormat: "xml": must be one of "envoy", "json"',
    ]);
  });
});
