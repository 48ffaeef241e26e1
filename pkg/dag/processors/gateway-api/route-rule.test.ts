import { describe, expect, test } from '@jest/globals';
import { contributionOf, gateway, gatewayClass, listener, route, routeConditions } from '../../../../test/lib/gateway.ts';
import { object, service } from '../../../../test/lib/memory-reader.ts';
import type { KubeObject } from '../../../apis/meta.ts';
import type { Contribution } from '../../contribution.ts';
import type { Route } from '../../model/route.ts';

const http = listener('http', 80, 'HTTP');
const backend = (name = 'web', more: object = {}) => ({ name, port: 80, ...more });
const backendRefs = [backend()];

/** What rules of a route in namespace `demo` contribute, beside the Services `web` and `other` there. */
function build(rules: readonly object[], others: readonly KubeObject[] = [], kind = 'HTTPRoute'): Contribution {
  const objects = [gatewayClass, gateway([http]), service('demo/web'), service('demo/other'), ...others];
  return contributionOf(route(kind, 'demo/r', { hostnames: ['app.example.com'], rules }), objects);
}

function routesOf(rules: readonly object[], others: readonly KubeObject[] = [], kind = 'HTTPRoute'): readonly Route[] {
  return build(rules, others, kind).virtualHosts[0]?.routes ?? [];
}

const matchOf = (match: object) => routesOf([{ matches: [match], backendRefs }])[0]?.match;
const header = (name: string, value: string, type = 'exact') => ({
  name,
  type,
  value,
  invert: false,
  ignoreCase: false,
  treatMissingAsEmpty: false,
});
const unresolved = (reason: string) => [`ResolvedRefs=False/${reason}`, 'Accepted=True/Accepted'];
const internalError = { type: 'direct-response', status: 500 };

describe('matches', () => {
  test.each([
    { path: undefined, want: { type: 'prefix', prefix: '/', by: 'string' } },
    { path: { type: 'PathPrefix', value: '/' }, want: { type: 'prefix', prefix: '/', by: 'string' } },
    { path: { value: '/seg/' }, want: { type: 'prefix', prefix: '/seg', by: 'segment' } },
    { path: { type: 'Exact', value: '/x/' }, want: { type: 'exact', path: '/x/' } },
    { path: { type: 'RegularExpression', value: '/re[0-9]+' }, want: { type: 'regex', regex: '/re[0-9]+' } },
  ])('the path $path', ({ path, want }) => {
    expect(matchOf(path === undefined ? {} : { path })?.path).toEqual(want);
  });

  test.each([
    { type: 'PathPrefix', value: 'x' },
    { type: 'Exact', value: '/a//b' },
    { type: 'PathPrefix', value: '/a?b' },
    { type: 'RegularExpression', value: '/a[' },
  ])('the path %j is refused; other matches of the rule stay', (path) => {
    const contribution = build([{ matches: [{ path }, { path: { value: '/ok' } }], backendRefs }]);
    expect(contribution.virtualHosts[0]?.routes.map(({ origin }) => origin.path)).toEqual(['spec.rules[0].matches[1]']);
    expect(routeConditions(contribution)).toContain('ValidMatches=False/InvalidPathMatch');
  });

  test('headers, query parameters and the method, of each name the first', () => {
    const match = matchOf({
      headers: [
        { name: 'X-Color', value: 'red' },
        { name: 'x-color', value: 'blue' },
        { type: 'RegularExpression', name: 'a', value: 'b.*' },
      ],
      queryParams: [
        { name: 'q', value: '1' },
        { name: 'q', value: '2' },
        { type: 'RegularExpression', name: 'r', value: '.' },
      ],
      method: 'POST',
    });
    expect(match?.headers).toEqual([header(':method', 'POST'), header('a', 'b.*', 'regex'), header('x-color', 'red')]);
    expect(match?.queryParameters).toEqual([
      { name: 'q', type: 'exact', value: '1', ignoreCase: false },
      { name: 'r', type: 'regex', value: '.', ignoreCase: false },
    ]);
  });

  test.each([
    { headers: [{ type: 'RegularExpression', name: 'a', value: '(' }] },
    { queryParams: [{ type: 'RegularExpression', name: 'a', value: '(' }] },
  ])('%j is refused', (match) => {
    expect(routeConditions(build([{ matches: [match], backendRefs }]))).toContain('Accepted=False/UnsupportedValue');
  });

  test('each match is a route, with the place of its rule as priority', () => {
    const routes = routesOf([{ backendRefs }, { matches: [{ path: { value: '/a' } }, { method: 'GET' }], backendRefs }]);
    expect(routes.map(({ priority, origin }) => [priority, origin])).toEqual([
      [0, { kind: 'HTTPRoute', namespace: 'demo', name: 'r', path: 'spec.rules[0].matches[0]' }],
      [1, { kind: 'HTTPRoute', namespace: 'demo', name: 'r', path: 'spec.rules[1].matches[0]' }],
      [1, { kind: 'HTTPRoute', namespace: 'demo', name: 'r', path: 'spec.rules[1].matches[1]' }],
    ]);
  });
});

describe('backends', () => {
  const shares = (refs: readonly object[], others: readonly KubeObject[] = []) => {
    const action = routesOf([{ backendRefs: refs }], others)[0]?.action;
    if (action?.type !== 'forward') return action;
    return { clusters: action.clusters.map(({ cluster, weight }) => [cluster.service.name, weight]), errorWeight: action.errorWeight };
  };

  test.each([
    {
      name: 'the weight is 1 by default',
      refs: [backend(), backend('other', { weight: 3 })],
      want: {
        clusters: [
          ['web', 1],
          ['other', 3],
        ],
      },
    },
    { name: 'weight 0 gets nothing', refs: [backend(), backend('other', { weight: 0 })], want: { clusters: [['web', 1]] } },
    {
      name: 'an invalid one fails its share',
      refs: [backend(), backend('none', { weight: 2 })],
      want: { clusters: [['web', 1]], errorWeight: 2 },
    },
    {
      name: 'an invalid one without weight costs nothing',
      refs: [backend(), backend('none', { weight: 0 })],
      want: { clusters: [['web', 1]] },
    },
    { name: 'no weight at all is 500', refs: [backend('web', { weight: 0 })], want: internalError },
    { name: 'none that is valid is 500', refs: [backend('none')], want: internalError },
  ])('$name', ({ refs, want }) => {
    expect(shares(refs)).toEqual(want);
  });

  test.each([
    { ref: backend('none'), want: 'BackendNotFound' },
    { ref: { name: 'web', port: 81 }, want: 'BackendNotFound' },
    { ref: backend('web', { weight: 0, name: 'none' }), want: 'BackendNotFound' },
    { ref: { group: 'example.com', kind: 'Bucket', name: 'x', port: 80 }, want: 'InvalidKind' },
    { ref: { name: 'web' }, want: 'Degraded' },
    { ref: backend('odd'), want: 'UnsupportedProtocol' },
    { ref: backend('web', { namespace: 'far' }), want: 'RefNotPermitted' },
  ])('$ref is $want', ({ ref, want }) => {
    const others = [service('demo/odd', { appProtocol: 'example.com/odd' }), service('far/web')];
    expect(routeConditions(build([{ backendRefs: [ref] }], others))).toEqual(unresolved(want));
  });

  test('one of elsewhere is taken with a grant', () => {
    const spec = {
      from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: 'demo' }],
      to: [{ group: '', kind: 'Service', name: 'web' }],
    };
    const contribution = build(
      [{ backendRefs: [backend('web', { namespace: 'far' })] }],
      [service('far/web'), object('ReferenceGrant', 'far/g', { spec })],
    );
    expect(routeConditions(contribution)).toEqual(['Accepted=True/Accepted', 'ResolvedRefs=True/ResolvedRefs']);
    expect(contribution.virtualHosts[0]?.routes[0]?.action).toMatchObject({
      clusters: [{ cluster: { service: { namespace: 'far' }, origin: { path: 'spec.rules[0].backendRefs[0]' } } }],
    });
  });

  test('none at all is 404, lest a broader rule takes the requests', () => {
    const contribution = build([{ matches: [{ path: { value: '/none' } }] }, { backendRefs }]);
    expect(contribution.virtualHosts[0]?.routes[0]?.action).toEqual({ type: 'direct-response', status: 404 });
    expect(routeConditions(contribution)).toEqual(unresolved('Degraded'));
  });

  test('their own headers', () => {
    const filters = [
      { type: 'RequestHeaderModifier', requestHeaderModifier: { set: [{ name: 'x-back', value: 'b' }] } },
      { type: 'ResponseHeaderModifier', responseHeaderModifier: { add: [{ name: 'x-rback', value: 'b' }] } },
    ];
    expect(routesOf([{ backendRefs: [backend('web', { filters })] }])[0]?.action).toMatchObject({
      clusters: [
        { requestHeaders: { set: [{ name: 'X-Back', value: 'b' }] }, responseHeaders: { add: [{ name: 'X-Rback', value: 'b' }] } },
      ],
    });
  });

  test('a filter that a backend cannot have fails its share', () => {
    const filters = [{ type: 'RequestRedirect', requestRedirect: {} }];
    const contribution = build([{ backendRefs: [backend(), backend('other', { filters })] }]);
    expect(contribution.virtualHosts[0]?.routes[0]?.action).toMatchObject({ errorWeight: 1 });
    expect(routeConditions(contribution)).toContain('Accepted=False/UnsupportedValue');
  });
});

describe('filters', () => {
  const first = (filters: readonly object[], path: object = { value: '/pre' }) =>
    routesOf([{ matches: [{ path }], filters, backendRefs }])[0];
  const rewrite = (urlRewrite: object, path?: object) => {
    const action = first([{ type: 'URLRewrite', urlRewrite }], path)?.action;
    return action?.type === 'forward' ? action.forward?.pathRewrite : action;
  };

  test('header modifiers, with names in canonical form and values escaped', () => {
    const made = first([
      {
        type: 'RequestHeaderModifier',
        requestHeaderModifier: {
          set: [{ name: 'x-set', value: '100%' }],
          add: [{ name: 'x-add', value: 'two' }],
          remove: ['x-gone', 'X-Gone'],
        },
      },
      { type: 'ResponseHeaderModifier', responseHeaderModifier: { remove: ['x-rgone'] } },
    ]);
    expect(made?.requestHeaders).toEqual({
      set: [{ name: 'X-Set', value: '100%%' }],
      add: [{ name: 'X-Add', value: 'two' }],
      remove: ['X-Gone'],
    });
    expect(made?.responseHeaders).toEqual({ set: [], add: [], remove: ['X-Rgone'] });
  });

  test('the host of a rewrite beats a Host that is set', () => {
    const set = {
      type: 'RequestHeaderModifier',
      requestHeaderModifier: {
        set: [
          { name: 'Host', value: 'set.example.com' },
          { name: 'a', value: 'b' },
        ],
      },
    };
    expect(first([set])?.requestHeaders).toMatchObject({ set: [{ name: 'A', value: 'b' }], hostRewrite: 'set.example.com' });
    expect(first([set, { type: 'URLRewrite', urlRewrite: { hostname: 'new.example.com' } }])?.requestHeaders).toMatchObject({
      hostRewrite: 'new.example.com',
    });
  });

  const replacePrefix = (replacePrefixMatch: string) => ({ path: { type: 'ReplacePrefixMatch', replacePrefixMatch } });
  test.each([
    { urlRewrite: { path: { type: 'ReplaceFullPath', replaceFullPath: '/fixed' } }, want: { type: 'full-path', path: '/fixed' } },
    { urlRewrite: { path: { type: 'ReplaceFullPath', replaceFullPath: '' } }, want: { type: 'full-path', path: '/' } },
    { urlRewrite: replacePrefix('/post'), want: { type: 'prefix', replacement: '/post' } },
    { urlRewrite: replacePrefix('/post/'), want: { type: 'prefix', replacement: '/post' } },
    { urlRewrite: replacePrefix('/'), want: { type: 'remove-prefix', prefix: '/pre' } },
    { urlRewrite: replacePrefix(''), want: { type: 'remove-prefix', prefix: '/pre' } },
    { urlRewrite: replacePrefix('/post'), path: { value: '/' }, want: { type: 'prefix', replacement: '/post/' } },
    { urlRewrite: replacePrefix('/'), path: { value: '/' }, want: undefined },
  ])('rewrite $urlRewrite of $path', ({ urlRewrite, path, want }) => {
    expect(rewrite(urlRewrite, path)).toEqual(want);
  });

  test.each([
    { requestRedirect: {}, want: { statusCode: 302 } },
    {
      requestRedirect: { scheme: 'https', hostname: 'new.example.com', port: 8443, statusCode: 301 },
      want: { scheme: 'https', hostname: 'new.example.com', port: 8443, statusCode: 301 },
    },
    { requestRedirect: replacePrefix('/post'), want: { statusCode: 302, path: { type: 'prefix', replacement: '/post' } } },
    { requestRedirect: replacePrefix('/'), want: { statusCode: 302, path: { type: 'remove-prefix', prefix: '/pre' } } },
  ])('redirect $requestRedirect', ({ requestRedirect, want }) => {
    const contribution = build([{ matches: [{ path: { value: '/pre' } }], filters: [{ type: 'RequestRedirect', requestRedirect }] }]);
    expect(contribution.virtualHosts[0]?.routes[0]?.action).toEqual({ type: 'redirect', redirect: want });
    expect(routeConditions(contribution)).toEqual(['Accepted=True/Accepted', 'ResolvedRefs=True/ResolvedRefs']);
  });

  test('mirrors, each with its share', () => {
    const mirror = (name: string, more: object = {}) => ({ type: 'RequestMirror', requestMirror: { backendRef: backend(name), ...more } });
    const filters = [
      mirror('web'),
      mirror('other', { percent: 20 }),
      mirror('other', { fraction: { numerator: 1, denominator: 8 } }),
      mirror('none'),
    ];
    const contribution = build([{ filters, backendRefs }]);
    const action = contribution.virtualHosts[0]?.routes[0]?.action;
    const mirrors = action?.type === 'forward' ? action.forward?.mirrors : undefined;
    expect(mirrors?.map(({ cluster, percent }) => [cluster.service.name, percent])).toEqual([
      ['web', 100],
      ['other', 20],
      ['other', 12.5],
    ]);
    expect(routeConditions(contribution)).toEqual(unresolved('BackendNotFound'));
  });

  test.each([
    {
      name: 'of an unknown type',
      filters: [{ type: 'ExtensionRef', extensionRef: { group: 'example.com', kind: 'Foo', name: 'x' } }],
      want: 'Accepted=False/UnsupportedValue',
    },
    {
      name: 'with a bad header',
      filters: [{ type: 'RequestHeaderModifier', requestHeaderModifier: { set: [{ name: 'a b', value: '' }] } }],
      want: 'ResolvedRefs=False/Degraded',
    },
    {
      name: 'that sets the Host of a response',
      filters: [{ type: 'ResponseHeaderModifier', responseHeaderModifier: { set: [{ name: 'Host', value: 'x' }] } }],
      want: 'ResolvedRefs=False/Degraded',
    },
    {
      name: 'that replaces a prefix which is none',
      filters: [{ type: 'URLRewrite', urlRewrite: replacePrefix('/x') }],
      path: { type: 'Exact', value: '/pre' },
      want: 'Accepted=False/UnsupportedValue',
    },
  ])('one $name answers 500: it is not passed over', ({ filters, path = { value: '/pre' }, want }) => {
    const contribution = build([{ matches: [{ path }], filters, backendRefs }]);
    expect(contribution.virtualHosts[0]?.routes[0]?.action).toEqual(internalError);
    expect(routeConditions(contribution)).toContain(want);
  });
});

describe('timeouts', () => {
  test.each([
    { timeouts: {}, want: undefined },
    { timeouts: { request: '500ms' }, want: 500 },
    { timeouts: { request: '1m30s' }, want: 90_000 },
    { timeouts: { request: '3s', backendRequest: '500ms' }, want: 500 },
    { timeouts: { request: '0s' }, want: 'disabled' },
    { timeouts: { request: '0s', backendRequest: '1s' }, want: 1000 },
    { timeouts: { request: '3s', backendRequest: '0s' }, want: 3000 },
    { timeouts: { backendRequest: '0s' }, want: 'disabled' },
  ])('$timeouts', ({ timeouts, want }) => {
    const action = routesOf([{ timeouts, backendRefs }])[0]?.action;
    expect(action?.type === 'forward' ? action.forward?.responseTimeoutMs : action).toBe(want);
  });

  test.each([{ request: '1s', backendRequest: '2s' }, { request: '-1s' }, { request: 'soon' }, { request: '1.5s' }])(
    '%j is refused',
    (timeouts) => {
      const contribution = build([{ timeouts, backendRefs }]);
      expect(contribution.virtualHosts[0]?.routes[0]?.action).toEqual(internalError);
      expect(routeConditions(contribution)).toContain('Accepted=False/UnsupportedValue');
    },
  );
});

test('an HTTPRoute lets WebSocket through', () => {
  expect(routesOf([{ backendRefs }])[0]?.action).toMatchObject({ forward: { websocket: true } });
});

describe('GRPCRoute', () => {
  const pathOf = (method: object | undefined) =>
    routesOf([{ ...(method !== undefined && { matches: [{ method }] }), backendRefs }], [], 'GRPCRoute')[0]?.match.path;

  test.each([
    { method: undefined, want: { type: 'prefix', prefix: '/', by: 'string' } },
    { method: { service: 'test.Echo', method: 'Call' }, want: { type: 'exact', path: '/test.Echo/Call' } },
    { method: { service: 'test.Echo' }, want: { type: 'prefix', prefix: '/test.Echo', by: 'segment' } },
    { method: { method: 'Call' }, want: { type: 'regex', regex: '/[^/]+/Call' } },
  ])('the method $method', ({ method, want }) => {
    expect(pathOf(method)).toEqual(want);
  });

  test.each([
    { method: {}, want: 'Accepted=False/InvalidMethodMatch' },
    { method: { type: 'RegularExpression', service: 'a.*' }, want: 'Accepted=False/UnsupportedValue' },
  ])('the method $method is refused', ({ method, want }) => {
    expect(routeConditions(build([{ matches: [{ method }], backendRefs }], [], 'GRPCRoute'))).toContain(want);
  });

  test('speaks HTTP/2, in the clear behind an HTTP listener, unless the Service says otherwise', () => {
    const protocols = (name: string) => {
      const action = routesOf([{ backendRefs: [backend(name)] }], [service('demo/tls', { appProtocol: 'https' })], 'GRPCRoute')[0]?.action;
      return action?.type === 'forward' ? action.clusters.map(({ cluster }) => cluster.protocol) : action;
    };
    expect(protocols('web')).toEqual(['h2c']);
    expect(protocols('tls')).toEqual(['tls']);
  });

  test('takes no URL rewrite', () => {
    const filters = [{ type: 'URLRewrite', urlRewrite: { hostname: 'a.example.com' } }];
    expect(routeConditions(build([{ filters, backendRefs }], [], 'GRPCRoute'))).toContain('Accepted=False/UnsupportedValue');
  });
});
