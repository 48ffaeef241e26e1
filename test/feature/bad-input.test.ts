import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Material, selfSigned } from '../lib/certificates.ts';
import { ControlPlane } from '../lib/control-plane.ts';
import { endpointSlice, httpProxy, ingress, manifest, service, tlsSecret } from '../lib/manifests.ts';
import { XdsFollower } from '../lib/xds-follower.ts';

/** What is wrong with one object is told on it, with the field, and another host goes on being served and edited. */
const gatewayApi = 'gateway.networking.k8s.io/v1';
const toWeb = 'services: [{name: web, port: 80}]';
const neighbour = (name: string): string =>
  httpProxy('neighbour', `{virtualhost: {fqdn: neighbour.example.com}, routes: [{services: [{name: ${name}, port: 80}]}]}`);
const gateway = (listener = ''): string =>
  manifest(gatewayApi, 'GatewayClass', '/gc', 'spec: {controllerName: projectcontour.io/gateway-controller}') +
  manifest(gatewayApi, 'Gateway', 'gw', `spec: {gatewayClassName: gc, listeners: [{name: l, port: 80, protocol: HTTP}${listener}]}`);
const httpRoute = (match: string): string =>
  manifest(
    gatewayApi,
    'HTTPRoute',
    'r',
    `spec: {parentRefs: [{name: gw}], hostnames: [bad.example.com], rules: [{matches: [${match}], backendRefs: [{name: web, port: 80}]}]}`,
  );

let leaf: Material;
let plane: ControlPlane;
let follower: XdsFollower;

async function start(withGateway = false): Promise<void> {
  const other = await selfSigned();
  const expired = await selfSigned({ notAfter: new Date('2025-12-31T00:00:00Z') });
  leaf = await selfSigned();
  const values = {
    'expired.crt': expired.certificate,
    'expired.key': expired.privateKey,
    'leaf.crt': leaf.certificate,
    'leaf.key': leaf.privateKey,
    'mixed.crt': leaf.certificate,
    'mixed.key': other.privateKey,
    'cut.crt': leaf.certificate.slice(0, 200),
    'cut.key': leaf.privateKey,
    'garbled.crt': leaf.certificate.replace(/^M.*$/m, 'MIIBlaBlaBla'),
    'garbled.key': leaf.privateKey,
    'keyless.crt': leaf.certificate,
    'keyless.key': leaf.privateKey.replace(/^M.*$/m, 'TWFu'),
  };
  const config = withGateway ? { config: () => ({ gatewayRef: { namespace: 'demo', name: 'gw' } }) } : {};
  plane = await ControlPlane.start(
    { values, ...config },
    ['web', 'other'].map((name) => service(name) + endpointSlice(name, 8080)).join('') + neighbour('web'),
  );
  follower = await XdsFollower.start(plane);
}

afterEach(() => plane[Symbol.asyncDispose]());

/** The neighbour is served still, and an edit of it arrives. */
async function expectNeighbourUnharmed(): Promise<void> {
  const clusters = () => follower.names('cluster').map((name) => name.split('/').slice(0, 2).join('/'));
  await plane.apply(neighbour('other'));
  await follower.sent();
  expect(plane.status('HTTPProxy demo/neighbour')).toBe('valid');
  expect(follower.names('scopedRoute').some((scope) => scope.endsWith('|neighbour.example.com'))).toBe(true);
  expect(clusters()).toContain('demo/other');
  expect(plane.refused()).toEqual([]);
}

const notices = (): readonly string[] =>
  plane.builds.flatMap((build) =>
    build.notices.map(
      ({ object, problem }) => `${object.kind} ${object.namespace}/${object.name} ${problem.type}/${problem.reason}: ${problem.message}`,
    ),
  );

interface BadProxy {
  readonly name: string;
  readonly yaml: string;
  /** Default: `bad`. */
  readonly object?: string;
  readonly status: string;
  /** In the messages of its status: the field, and what is wrong. */
  readonly told: readonly string[];
}

const bad = (rest: string): string => httpProxy('bad', `{virtualhost: {fqdn: bad.example.com}, ${rest}}`);
const secure = httpProxy('bad', `{virtualhost: {fqdn: bad.example.com, tls: {secretName: tls}}, routes: [{${toWeb}}]}`);

describe('a bad HTTPProxy', () => {
  beforeEach(() => start());

  const material: readonly BadProxy[] = [
    { name: 'cut', told: ['TLS certificate: failed to locate certificate'] },
    { name: 'garbled', told: ['TLS certificate'] },
    { name: 'keyless', told: ['TLS private key'] },
    { name: 'mixed', told: ['private key: it does not belong to the certificate in tls.crt'] },
  ].map(({ name, told }) => ({
    name: `${name} key material`,
    yaml: tlsSecret('tls', name) + secure,
    status: 'TLSError/SecretNotValid',
    told: ['Spec.VirtualHost.TLS Secret "demo/tls" is invalid', ...told],
  }));

  const cases: readonly BadProxy[] = [
    ...material,
    {
      name: 'a path that is no regular expression',
      yaml: bad(`routes: [{${toWeb}}, {conditions: [{regex: "/a["}], ${toWeb}}]`),
      status: 'RouteError/PathMatchConditionsNotValid',
      told: ['spec.routes[1].conditions', '"/a["', 'missing closing ]'],
    },
    {
      name: 'a header that is none',
      yaml: bad(`routes: [{conditions: [{header: {name: x-a, regex: "(?=b)"}}], ${toWeb}}]`),
      status: 'RouteError/HeaderMatchConditionsNotValid',
      told: ['spec.routes[0].conditions', 'x-a', '(?='],
    },
    {
      name: 'a query parameter that is none',
      yaml: bad(`routes: [{conditions: [{queryParameter: {name: q, regex: "a**"}}], ${toWeb}}]`),
      status: 'RouteError/QueryParameterMatchConditionsNotValid',
      told: ['spec.routes[0].conditions', 'q', '**'],
    },
    {
      name: 'an expression that Envoy cannot hold',
      yaml: bad(`routes: [{conditions: [{regex: "/${'(a|bb){500}'.repeat(330)}"}], ${toWeb}}]`),
      status: 'RouteError/PathMatchConditionsNotValid',
      told: ['spec.routes[0].conditions', 'too large'],
    },
    {
      name: 'an expression that is one only by itself',
      yaml:
        bad('includes: [{name: child, conditions: [{prefix: /team}]}]') +
        httpProxy('child', `{routes: [{conditions: [{regex: "/a\\\\Qb|c"}], ${toWeb}}]}`),
      object: 'child',
      status: 'RouteError/PathMatchConditionsNotValid',
      told: ['spec.routes[0].conditions', 'behind the prefix of its include', 'missing closing )'],
    },
  ];

  test.each(cases)('with $name says so, and harms nobody', async ({ yaml, object = 'bad', status, told }) => {
    await plane.apply(yaml);
    expect(plane.status(`HTTPProxy demo/${object}`)).toBe(status);
    for (const text of told) expect(plane.messages(`HTTPProxy demo/${object}`)).toContain(text);
    await expectNeighbourUnharmed();
  });

  test('whose certificate ran out is served, with a warning', async () => {
    await plane.apply(tlsSecret('tls', 'expired') + secure);
    expect(plane.status('HTTPProxy demo/bad')).toBe('valid');
    expect(plane.wanted('HTTPProxy demo/bad')).toMatchObject({
      conditions: [{ type: 'Valid', status: 'True', warnings: [{ type: 'TLSError', reason: 'CertificateExpired' }] }],
    });
    expect(plane.messages('HTTPProxy demo/bad')).toContain('Secret "demo/tls" expired on 2025-12-31T00:00:00.000Z');
    await expectNeighbourUnharmed();
    expect(follower.names('secret')).toEqual(['demo/tls']);
    await plane.apply(tlsSecret('tls', 'leaf'));
    expect(plane.messages('HTTPProxy demo/bad')).not.toContain('expired');
  });

  test('whose includes go round in a circle is told so on the one that closes it', async () => {
    await plane.apply(
      bad('includes: [{name: one}]') + httpProxy('one', '{includes: [{name: two}]}') + httpProxy('two', '{includes: [{name: one}]}'),
    );
    expect(plane.status('HTTPProxy demo/one')).toBe('IncludeError/IncludeCreatesCycle');
    expect(plane.messages('HTTPProxy demo/one')).toContain('demo/bad -> demo/one -> demo/two -> demo/one');
    await expectNeighbourUnharmed();
  });

  test.each(['bad.example.com', 'BAD.Example.com'])('whose host another has as %s: both are told, both are closed', async (fqdn) => {
    await plane.apply(bad(`routes: [{${toWeb}}]`));
    await plane.applyUnchecked(httpProxy('second', `{virtualhost: {fqdn: ${fqdn}}, routes: [{${toWeb}}]}`));
    for (const name of ['bad', 'second']) {
      expect(plane.status(`HTTPProxy demo/${name}`)).toBe('VirtualHostError/DuplicateVhost');
      expect(plane.messages(`HTTPProxy demo/${name}`)).toContain('demo/bad, demo/second');
    }
    await expectNeighbourUnharmed();
    expect(follower.names('scopedRoute')).toEqual(['ingress_http|neighbour.example.com']);
  });

  test('of 2 MiB, where an API server takes that, is served like any other', async () => {
    const path = (i: number): string => `/${i}/${'x'.repeat(1000)}`;
    const routes = Array.from({ length: 2_000 }, (_, i) => ({ conditions: [{ prefix: path(i) }], services: [{ name: 'web', port: 80 }] }));
    const spec = JSON.stringify({ virtualhost: { fqdn: 'bad.example.com' }, routes });
    expect(spec.length).toBeGreaterThan(2 * 1024 * 1024);
    await plane.applyUnchecked(httpProxy('bad', spec));
    expect(plane.status('HTTPProxy demo/bad')).toBe('valid');
    await expectNeighbourUnharmed();
    expect(follower.names('scopedRoute')).toContain('ingress_http|bad.example.com');
  }, 20_000);
});

describe('a bad Ingress', () => {
  const rule = (path: string, pathType: string): string =>
    `{host: bad.example.com, http: {paths: [{path: "${path}", pathType: ${pathType}, backend: {service: {name: web, port: {number: 80}}}}]}}`;
  const withTls = ingress(
    'bad',
    `{ingressClassName: contour, tls: [{hosts: [bad.example.com], secretName: tls}], rules: [${rule('/', 'Prefix')}]}`,
  );
  beforeEach(() => start());

  test.each(['cut', 'mixed'])('with %s key material is told of in the log, and stays as it was in plaintext', async (material) => {
    await plane.apply(tlsSecret('tls', material) + withTls);
    expect(notices()).toEqual([
      expect.stringMatching(
        /^Ingress demo\/bad TLSError\/SecretNotValid: spec\.tls\[0\]\.secretName: Secret "demo\/tls" is invalid: invalid TLS/,
      ),
    ]);
    await expectNeighbourUnharmed();
    expect(follower.names('scopedRoute')).toContain('ingress_http|bad.example.com');
    expect(follower.names('secret')).toEqual([]);
  });

  test('whose certificate ran out is served, and told of', async () => {
    await plane.apply(tlsSecret('tls', 'expired') + withTls);
    expect(notices()).toEqual([
      expect.stringContaining('TLSError/CertificateExpired: the certificate in Secret "demo/tls" expired on 2025'),
    ]);
    await expectNeighbourUnharmed();
    expect(follower.names('secret')).toEqual(['demo/tls']);
  });

  test('with a bad expression is told of, with the path', async () => {
    await plane.apply(
      ingress('bad', `{ingressClassName: contour, rules: [${rule('/ok', 'Prefix')}, ${rule('/a[', 'ImplementationSpecific')}]}`),
    );
    expect(notices()).toEqual([expect.stringMatching(/^Ingress demo\/bad RuleError\/PathNotValid: spec\.rules\[1\].*missing closing \]/)]);
    await expectNeighbourUnharmed();
    expect(follower.names('scopedRoute')).toContain('ingress_http|bad.example.com');
  });
});

describe('of the Gateway API', () => {
  const https = ', {name: s, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: tls}]}}';
  beforeEach(() => start(true));

  test.each(['cut', 'mixed'])('a listener with %s key material is told so; the other listener serves', async (material) => {
    await plane.apply(tlsSecret('tls', material) + gateway(https) + httpRoute('{}'));
    expect(plane.messages('Gateway demo/gw')).toMatch(/certificateRefs\[0\]: Secret "demo\/tls" is invalid: invalid TLS/);
    expect(plane.wanted('Gateway demo/gw')).toMatchObject({
      listeners: [
        { name: 'l', attachedRoutes: 1 },
        { name: 's', attachedRoutes: 1 },
      ],
    });
    await expectNeighbourUnharmed();
    expect(follower.names('scopedRoute')).toContain('http-80|bad.example.com');
    expect(follower.names('listener')).not.toContain('https-443');
  });

  test('a listener whose certificate ran out serves, and is told so', async () => {
    await plane.apply(tlsSecret('tls', 'expired') + gateway(https) + httpRoute('{}'));
    expect(plane.messages('Gateway demo/gw')).toContain('the certificate in Secret "demo/tls" expired on 2025');
    await expectNeighbourUnharmed();
    expect(follower.names('listener')).toContain('https-443');
  });

  test.each([
    { match: '{path: {type: RegularExpression, value: "/a["}}', told: 'missing closing ]' },
    { match: '{path: {type: RegularExpression, value: ""}}', told: 'it is empty' },
    { match: '{headers: [{type: RegularExpression, name: x, value: "(?=a)"}]}', told: '(?=' },
    { match: '{queryParams: [{type: RegularExpression, name: q, value: "\\\\x{100}"}]}', told: 'is above' },
  ])('an HTTPRoute with the match $match is told so; its other matches are served', async ({ match, told }) => {
    await plane.apply(gateway() + httpRoute(`${match}, {path: {value: /good}}`));
    expect(plane.status('HTTPRoute demo/r')).not.toBe('Accepted ResolvedRefs');
    expect(plane.messages('HTTPRoute demo/r')).toContain('spec.rules[0].matches[0]');
    expect(plane.messages('HTTPRoute demo/r')).toContain(told);
    await expectNeighbourUnharmed();
    expect(follower.names('scopedRoute')).toContain('http-80|bad.example.com');
  });
});
