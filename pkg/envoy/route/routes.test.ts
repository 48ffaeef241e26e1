import { describe, expect, test } from '@jest/globals';
import { cluster, forward, origin, route } from '../../../test/lib/dag.ts';
import type { Route as DagRoute } from '../../dag/model/route.ts';
import { quoteSubstitution } from './regex.ts';
import { prefixRemoval } from './rewrite.ts';
import { routes } from './routes.ts';

const [web, shop] = [cluster('web'), cluster('shop')];
const only = (value: DagRoute) => routes(value, 'a.com')[0]!;
const action = (value: DagRoute['action']) => only(route('/', { action: value })).action;
const forwarding = (fields: object) => action({ type: 'forward', clusters: [{ cluster: web, weight: 1 }], ...fields })?.value;

describe('the cluster of a route', () => {
  const specifier = (...clusters: readonly object[]) =>
    (action({ type: 'forward', clusters } as DagRoute['action'])?.value as { clusterSpecifier?: unknown } | undefined)?.clusterSpecifier;

  test('is named where there is one without settings, whatever its weight', () => {
    expect(specifier({ cluster: web, weight: 0 })).toEqual({ $case: 'cluster', value: 'ns/web/80/da39a3ee5e' });
  });

  test('is weighted where there are more, in order of name', () => {
    expect(specifier({ cluster: web, weight: 1 }, { cluster: shop, weight: 0 })).toMatchObject({
      $case: 'weightedClusters',
      value: {
        clusters: [
          { name: 'ns/shop/80/da39a3ee5e', weight: 0 },
          { name: 'ns/web/80/da39a3ee5e', weight: 1 },
        ],
      },
    });
  });

  test('all weights of 0 count 1', () => {
    expect(specifier({ cluster: web, weight: 0 }, { cluster: shop, weight: 0 })).toMatchObject({
      value: { clusters: [{ weight: 1 }, { weight: 1 }] },
    });
  });

  test('is weighted where it has headers, to remove or to add to a response alone', () => {
    const responseHeaders = { set: [], add: [{ name: 'X-A', value: '1' }], remove: [] };
    expect(specifier({ cluster: web, weight: 1, responseHeaders })).toMatchObject({
      value: { clusters: [{ responseHeadersToAdd: [{ appendAction: 0 }] }] },
    });
  });
});

describe('a route', () => {
  test('says where it comes from, for access logs too', () => {
    const metadata = only(route('/', { origin: origin('app', 'spec.routes[1]') })).metadata;
    expect(metadata?.filterMetadata).toEqual({
      'envoy.access_loggers.file': {
        'io.projectcontour.kind': 'HTTPProxy',
        'io.projectcontour.namespace': 'ns',
        'io.projectcontour.name': 'app',
      },
      'isoline.origin': { kind: 'HTTPProxy', namespace: 'ns', name: 'app', path: 'spec.routes[1]' },
    });
  });

  test('headers: set before add, each in order of name', () => {
    const requestHeaders = {
      set: [
        { name: 'B', value: '1' },
        { name: 'A', value: '2' },
      ],
      add: [{ name: 'A', value: '3' }],
      remove: ['z', 'y'],
    };
    const made = only(route('/', { requestHeaders }));
    expect(made.requestHeadersToAdd.map(({ header, appendAction }) => [header?.key, header?.value, appendAction])).toEqual([
      ['A', '2', 2],
      ['B', '1', 2],
      ['A', '3', 0],
    ]);
    expect(made.requestHeadersToRemove).toEqual(['y', 'z']);
  });

  test("timeouts: absent is Envoy's default, disabled is 0", () => {
    expect(forwarding({})).toMatchObject({ timeout: undefined, idleTimeout: undefined });
    expect(forwarding({ forward: { responseTimeoutMs: 'disabled', idleTimeoutMs: 3000 } })).toMatchObject({
      timeout: { seconds: 0 },
      idleTimeout: { seconds: 3 },
    });
  });

  test('retries: the number is always set, 0 too', () => {
    const retry = { retryOn: '5xx', numRetries: 0, perTryTimeoutMs: 'disabled', retriableStatusCodes: [503] };
    expect(forwarding({ forward: { retry } })).toMatchObject({
      retryPolicy: { retryOn: '5xx', numRetries: 0, perTryTimeout: undefined, retriableStatusCodes: [503] },
    });
  });

  test('mirrors have a share in millionths', () => {
    expect(forwarding({ forward: { mirrors: [{ cluster: shop, percent: 12.5 }] } })).toMatchObject({
      requestMirrorPolicies: [
        { cluster: 'ns/shop/80/da39a3ee5e', runtimeFraction: { defaultValue: { numerator: 125_000, denominator: 2 } } },
      ],
    });
  });

  test('websockets are allowed where asked for', () => {
    expect(forwarding({})).toMatchObject({ upgradeConfigs: [] });
    expect(forwarding({ forward: { websocket: true } })).toMatchObject({ upgradeConfigs: [{ upgradeType: 'websocket' }] });
  });

  test('an empty body is none', () => {
    expect(action({ type: 'direct-response', status: 404, body: '' })?.value).toMatchObject({ status: 404, body: undefined });
  });

  test('the redirect to https outweighs its action', () => {
    expect(only(route('/', { httpsRedirect: true, action: forward(web) })).action).toMatchObject({
      $case: 'redirect',
      value: { hostRedirect: 'a.com', responseCode: 0 },
    });
  });
});

describe('a share of failures', () => {
  const failing = (errorWeight: number, weight: number) =>
    routes(route('/x', { action: { type: 'forward', clusters: [{ cluster: web, weight }], errorWeight } }), 'a.com');

  test('stands before the route, with the same match', () => {
    const [first, second] = failing(1, 3);
    expect(first).toMatchObject({
      match: { pathSpecifier: { value: '/x' }, runtimeFraction: { defaultValue: { numerator: 250_000 } } },
      action: { $case: 'directResponse', value: { status: 500 } },
    });
    expect(second).toMatchObject({ match: { pathSpecifier: { value: '/x' }, runtimeFraction: undefined }, action: { $case: 'route' } });
  });

  test('of 0 is none, and the smallest is not lost', () => {
    expect(failing(0, 1)).toHaveLength(1);
    expect(failing(1, 1_000_000_000)[0]).toMatchObject({ match: { runtimeFraction: { defaultValue: { numerator: 1 } } } });
  });
});

describe('text of users in patterns', () => {
  test('stands for itself in a substitution', () => {
    expect(quoteSubstitution('/x\\1')).toBe('/x\\\\1');
  });

  test.each(['/a', '/a/', '/a//'])('the prefix %s is removed with its slashes', (prefix) => {
    expect(prefixRemoval(prefix)).toMatchObject({ pattern: { regex: '^/a/*' }, substitution: '/' });
  });
});
