import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { toJson } from '../../pkg/envoy/json.ts';
import { typeUrls } from '../../pkg/xdscache/resource.ts';
import { type FieldCase, FieldRig } from '../lib/field-case.ts';
import { httpProxy } from '../lib/manifests.ts';

const toA = 'services: [{name: echo-a, port: 80}]';
const toB = 'services: [{name: echo-b, port: 80}]';

/** The root HTTPProxy `app` of `app.example.com` with these routes. */
const app = (...routes: readonly string[]): string =>
  httpProxy('app', `{virtualhost: {fqdn: app.example.com}, routes: [${routes.map((route) => `{${route}}`).join(', ')}]}`);

const rewrite = (prefix: string, to: string): string =>
  `conditions: [{prefix: ${prefix}}], pathRewritePolicy: {replacePrefix: [{replacement: ${to}}]}, ${toA}`;

const cases: readonly FieldCase[] = [
  {
    name: 'a prefix that is cut off leaves one slash (projectcontour/contour#899)',
    steps: [
      {
        apply: app(rewrite('/app', '/')),
        statuses: { app: 'valid' },
        answers: {
          'app.example.com/app': 'echo-a /',
          'app.example.com/app/': 'echo-a /',
          'app.example.com/app/x?q=1': 'echo-a /x?q=1',
          'app.example.com/app?q=1': 'echo-a /?q=1',
        },
      },
      { apply: app(rewrite('/app/', '/')), answers: { 'app.example.com/app': 'echo-a /', 'app.example.com/app/x': 'echo-a /x' } },
      { apply: app(rewrite('/app', '/new/')), answers: { 'app.example.com/app': 'echo-a /new', 'app.example.com/app/x': 'echo-a /new/x' } },
    ],
  },
  {
    name: 'a rewritten prefix with a slash at its end takes no siblings (projectcontour/contour#6981)',
    steps: [
      {
        apply:
          httpProxy(
            'root',
            `{virtualhost: {fqdn: app.example.com}, includes: [{name: docs, conditions: [{prefix: /app/docs/}]}], routes: [{${toA}}]}`,
          ) + httpProxy('docs', `{routes: [{pathRewritePolicy: {replacePrefix: [{prefix: /app/docs/, replacement: /v1/}]}, ${toB}}]}`),
        statuses: { root: 'valid', docs: 'valid' },
        answers: {
          'app.example.com/app/docs/p': 'echo-b /v1/p',
          'app.example.com/app/docs': 'echo-b /v1',
          'app.example.com/app/docsXyz/p': 'echo-a /app/docsXyz/p',
        },
      },
    ],
  },
  {
    name: 'slashes and dot segments are no way around a route (projectcontour/contour#2344)',
    steps: [
      {
        apply: app('conditions: [{prefix: /admin}], directResponsePolicy: {statusCode: 403}', toA),
        answers: {
          'app.example.com//admin': '403',
          'app.example.com/x/../admin': '403',
          'app.example.com/./admin': '403',
          'app.example.com///admin//x': '403',
          'app.example.com/a//b': 'echo-a /a/b',
        },
      },
    ],
  },
  {
    name: 'authorization that is not enforced leaves its host closed (projectcontour/contour#5237)',
    steps: [
      {
        apply:
          httpProxy(
            'plain',
            `{virtualhost: {fqdn: plain.example.com, authorization: {extensionRef: {name: nope, namespace: demo}}}, routes: [{${toA}}]}`,
          ) +
          httpProxy(
            'tls',
            `{virtualhost: {fqdn: app.example.com, tls: {secretName: tls-a}, authorization: {extensionRef: {name: nope, namespace: demo}}}, routes: [{permitInsecure: true, ${toA}}]}`,
          ),
        statuses: { plain: 'AuthError/AuthNotPermitted', tls: 'AuthError/ExtensionServiceNotFound' },
        answers: { 'plain.example.com/': '404', 'app.example.com/': '404', 'https://app.example.com/': 'refused' },
      },
    ],
  },
  {
    name: 'JWT rules that are not enforced leave their host closed, without SNI too (GHSA-g3xr-5w5j-w4q4)',
    steps: [
      {
        apply: httpProxy(
          'app',
          `{virtualhost: {fqdn: app.example.com, tls: {secretName: tls-a, enableFallbackCertificate: true}, jwtProviders: [{name: p, default: true, issuer: issuer.example.com, remoteJWKS: {uri: "https://issuer.example.com/jwks.json"}}]}, routes: [{permitInsecure: true, ${toA}}]}`,
        ),
        answers: { 'app.example.com/': '404', 'https://app.example.com/': 'refused', 'https://app.example.com/ | sni: ': 'refused' },
      },
    ],
  },
];

describe('what routes ask for', () => {
  let rig: FieldRig;
  beforeAll(async () => {
    rig = await FieldRig.start();
  }, 30_000);
  afterEach(() => rig.clear());
  afterAll(() => rig[Symbol.asyncDispose]());

  test.each(cases)('$name', (fieldCase) => rig.run(fieldCase));

  /** How often each backend is asked when a path is asked for so often. */
  async function shares(path: string, times: number): Promise<Readonly<Record<string, number>>> {
    const before = new Map(Array.from(rig.backends, ([name, { requests }]) => [name, requests]));
    await Promise.all(Array.from({ length: times }, () => rig.ask(`app.example.com${path}`)));
    return Object.fromEntries(Array.from(rig.backends, ([name, { requests }]) => [name, requests - before.get(name)!]));
  }

  test.each(['Host', 'hOsT'])('a rewrite of %s for one service reaches it (projectcontour/contour#3565, #5632)', async (name) => {
    await rig.apply(app(`services: [{name: echo-a, port: 80, requestHeadersPolicy: {set: [{name: ${name}, value: new.example.org}]}}]`));
    expect(rig.plane.status('HTTPProxy demo/app')).toBe('valid');
    await rig.expectAnswers({ 'app.example.com/': 'echo-a' });
    expect((await rig.ask('app.example.com/')).json()).toMatchObject({ host: 'new.example.org' });

    await rig.apply(app(`services: [{name: echo-a, port: 80, requestHeadersPolicy: {set: [{name: ${name}, value: "%REQ(x-other)%"}]}}]`));
    expect(rig.plane.messages('HTTPProxy demo/app')).toContain('works on the route only');
  });

  test.each([
    { count: '-1', want: 1 },
    { count: '0', want: 2 },
    { count: '2', want: 3 },
  ])('retries: a count of $count means $want requests (projectcontour/contour#5944)', async ({ count, want }) => {
    await rig.apply(app(`retryPolicy: {count: ${count}, retryOn: [5xx]}, ${toA}`));
    await rig.expectAnswers({ 'app.example.com/?status=503': '503' });
    expect(await shares('/?status=503', 1)).toMatchObject({ 'echo-a': want });
  });

  test('a share without a weight gets nothing beside one with a weight, all without one get the same (projectcontour/contour#3779)', async () => {
    await rig.apply(
      app(
        `conditions: [{prefix: /w}], services: [{name: echo-a, port: 80, weight: 100}, {name: echo-b, port: 80}]`,
        `conditions: [{prefix: /e}], services: [{name: echo-a, port: 80}, {name: echo-b, port: 80}]`,
      ),
    );
    await rig.expectAnswers({ 'app.example.com/w': 'echo-a' });
    expect(await shares('/w', 50)).toEqual({ 'echo-a': 50, 'echo-b': 0, 'echo-c': 0 });
    const even = await shares('/e', 400);
    expect(even['echo-a']! + even['echo-b']!).toBe(400);
    // 200 are expected; 5 standard deviations are 50.
    expect(Math.abs(even['echo-a']! - 200)).toBeLessThan(51);
  });

  test('the weight of a mirror is the share that is copied (projectcontour/contour#1889)', async () => {
    await rig.apply(app('services: [{name: echo-a, port: 80}, {name: echo-b, port: 80, mirror: true, weight: 10}]'));
    await rig.expectAnswers({ 'app.example.com/': 'echo-a' });
    const counts = await shares('/', 500);
    expect(counts['echo-a']).toBe(500);
    // 50 are expected; 5 standard deviations are 34.
    expect(Math.abs(counts['echo-b']! - 50)).toBeLessThan(35);

    const mirror = '{name: echo-b, port: 80, mirror: true}';
    await rig.apply(app(`services: [{name: echo-a, port: 80}, ${mirror}, ${mirror}]`));
    expect(rig.plane.status('HTTPProxy demo/app')).toBe('ServiceError/OnlyOneMirror');
  });

  test('percent signs that are no variable reach the backend as they are (projectcontour/contour#3234)', async () => {
    await rig.apply(
      app(
        `requestHeadersPolicy: {set: [{name: x-unknown, value: "%UNKNOWN%"}, {name: x-percent, value: "100%"}, {name: x-proto, value: "%PROTOCOL%"}, {name: x-auth, value: "%REQ(:authority)%"}]}, ${toA}`,
      ),
    );
    expect(rig.plane.status('HTTPProxy demo/app')).toBe('valid');
    await rig.expectAnswers({ 'app.example.com/': 'echo-a' });
    const seen = (await rig.ask('app.example.com/')).json();
    expect(seen).toMatchObject({ 'x-unknown': '%UNKNOWN%', 'x-percent': '100%', 'x-proto': 'HTTP/1.1', 'x-auth': 'app.example.com' });
    expect(await rig.rejections()).toEqual([]);
  });

  test('the text of a cookie rule is never in code (GHSA-x4mj-7f9g-29h4)', async () => {
    await rig.apply(app(`cookieRewritePolicies: [{name: sid, pathRewrite: {value: '/x" .. "PWNED" .. "'}}], ${toA}`));
    expect(rig.plane.status('HTTPProxy demo/app')).toBe('valid');
    const all = Object.values(typeUrls).flatMap((type) =>
      [...rig.plane.pipeline.snapshot.all(type).values()].map((resource) => toJson(type, resource.encoded('ads').bytes)),
    );
    const text = JSON.stringify(all);
    const code = [...text.matchAll(/"inline_(?:code|string)":"(?:[^"\\]|\\.)*"/g)].map(([found]) => found);
    expect(text).toContain('PWNED');
    expect(code.some((each) => each.includes('set-cookie'))).toBe(true);
    expect(code.filter((each) => each.includes('PWNED'))).toEqual([]);
    expect(await rig.rejections()).toEqual([]);
  });

  test('timeouts: 0s is the default, infinity is none, fractions count, nonsense is refused (projectcontour/contour#2544)', async () => {
    const timeouts = { '/zero': '0s', '/inf': 'infinity', '/half': '1m0.5s', '/short': '50ms' };
    const routes = Object.entries(timeouts).map(
      ([prefix, response]) => `conditions: [{prefix: ${prefix}}], timeoutPolicy: {response: ${response}}, ${toA}`,
    );
    await rig.apply(app(...routes, toA));
    await rig.expectAnswers({
      'app.example.com/zero?wait=100': 'echo-a',
      'app.example.com/inf?wait=100': 'echo-a',
      'app.example.com/short?wait=500': '504',
    });
    expect(timeoutsOf(rig)).toMatchObject({ '/zero': undefined, '/inf': '0s', '/half': '60.500s', '/short': '0.050s', '/': undefined });

    const parsecs = app(`timeoutPolicy: {response: 10 parsecs}, ${toA}`);
    expect(() => rig.plane.read(parsecs)).toThrow('spec.routes[0].timeoutPolicy.response');
    await rig.applyUnchecked(parsecs);
    expect(rig.plane.status('HTTPProxy demo/app')).toBe('RouteError/TimeoutPolicyNotValid');
  });
});

interface RouteTable {
  readonly virtual_hosts: readonly {
    readonly domains: readonly string[];
    readonly routes: readonly {
      readonly match: { readonly prefix?: string; readonly path_separated_prefix?: string };
      readonly route?: { readonly timeout?: string };
    }[];
  }[];
}

/** The timeouts of the routes of `app.example.com`, by prefix. */
function timeoutsOf(rig: FieldRig): Readonly<Record<string, string | undefined>> {
  const tables = [...rig.plane.pipeline.snapshot.all(typeUrls.route).values()].map(
    (resource) => toJson(typeUrls.route, resource.encoded('ads').bytes) as unknown as RouteTable,
  );
  const hosts = tables.flatMap((table) => table.virtual_hosts ?? []).filter(({ domains }) => domains.includes('app.example.com'));
  return Object.fromEntries(hosts.flatMap(({ routes }) => routes.map(({ match, route }) => [match.prefix ?? '', route?.timeout] as const)));
}
