import { describe, expect, test } from '@jest/globals';
import { testConfig } from '../../../../test/lib/config.ts';
import { contributionOf, gateway, gatewayClass, listener, route, routeConditions } from '../../../../test/lib/gateway.ts';
import { object, service, tlsSecretObject } from '../../../../test/lib/memory-reader.ts';
import type { KubeObject } from '../../../apis/meta.ts';
import type { Contribution } from '../../contribution.ts';

const rules = [{ backendRefs: [{ name: 'web', port: 80 }] }];
const httpRoute = (spec: object = {}) => route('HTTPRoute', 'demo/r', { hostnames: ['app.example.com'], rules, ...spec });

function attach(root: KubeObject, listeners: readonly object[], others: readonly KubeObject[] = []): Contribution {
  return contributionOf(root, [gatewayClass, gateway(listeners), service('demo/web'), ...others]);
}

const places = ({ virtualHosts }: Contribution) => virtualHosts.map(({ listener: name, host }) => `${name}/${host}`);
const http = listener('http', 80, 'HTTP');
const accepted = ['Accepted=True/Accepted', 'ResolvedRefs=True/ResolvedRefs'];

test('a route is served, accepted and counted', () => {
  const contribution = attach(httpRoute(), [http]);
  expect(places(contribution)).toEqual(['http-80/app.example.com']);
  expect(contribution.attachments).toEqual([{ gateway: { kind: 'Gateway', namespace: 'gw', name: 'main' }, listener: 'http' }]);
  expect(routeConditions(contribution)).toEqual(accepted);
  expect(contribution.statuses).toMatchObject([
    {
      type: 'route',
      generation: 2,
      parents: [{ parentRef: { namespace: 'gw', name: 'main' }, controllerName: 'example.com/controller' }],
    },
  ]);
});

describe('parentRefs', () => {
  test('each has its own entry and its own listener', () => {
    const parentRefs = ['one', 'two', 'nope'].map((sectionName) => ({ namespace: 'gw', name: 'main', sectionName }));
    const contribution = attach(httpRoute({ parentRefs }), [listener('one', 80, 'HTTP'), listener('two', 8080, 'HTTP')]);
    expect(places(contribution)).toEqual(['http-80/app.example.com', 'http-8080/app.example.com']);
    expect([0, 1, 2].map((parent) => routeConditions(contribution, parent)[0])).toEqual([
      'Accepted=True/Accepted',
      'Accepted=True/Accepted',
      'Accepted=False/NoMatchingParent',
    ]);
    expect(contribution.attachments.map((attachment) => attachment.listener)).toEqual(['one', 'two']);
  });

  test('two to one listener serve and count once', () => {
    const parentRefs = [
      { namespace: 'gw', name: 'main' },
      { namespace: 'gw', name: 'main', sectionName: 'http' },
    ];
    const contribution = attach(httpRoute({ parentRefs }), [http]);
    expect(places(contribution)).toEqual(['http-80/app.example.com']);
    expect(contribution.attachments).toHaveLength(1);
    expect([0, 1].map((parent) => routeConditions(contribution, parent))).toEqual([accepted, accepted]);
  });

  test.each([{ name: 'other', namespace: 'gw' }, { name: 'main' }, { name: 'main', namespace: 'gw', kind: 'Service', group: '' }])(
    '%j is not ours and gets no entry',
    (parentRef) => {
      const contribution = attach(httpRoute({ parentRefs: [parentRef] }), [http]);
      expect(contribution.virtualHosts).toEqual([]);
      expect(contribution.statuses).toMatchObject([{ type: 'route', parents: [] }]);
    },
  );

  test('a port that no listener has', () => {
    const contribution = attach(httpRoute({ parentRefs: [{ namespace: 'gw', name: 'main', port: 81 }] }), [http]);
    expect(routeConditions(contribution)).toEqual(['Accepted=False/NoMatchingParent', 'ResolvedRefs=True/ResolvedRefs']);
    expect(contribution.attachments).toEqual([]);
  });

  test('backends are checked although no listener matches', () => {
    const spec = {
      parentRefs: [{ namespace: 'gw', name: 'main', sectionName: 'nope' }],
      rules: [{ backendRefs: [{ name: 'none', port: 80 }] }],
    };
    expect(routeConditions(attach(httpRoute(spec), [http]))).toEqual([
      'Accepted=False/NoMatchingParent',
      'ResolvedRefs=False/BackendNotFound',
    ]);
  });

  test('a listener that conflicts matches nothing, one that is not ready neither, but that one counts', () => {
    const refs = (sectionName: string) => httpRoute({ parentRefs: [{ namespace: 'gw', name: 'main', sectionName }] });
    const listeners = [
      http,
      listener('twin', 80, 'HTTP'),
      listener('https', 443, 'HTTPS', { tls: { certificateRefs: [{ name: 'none' }] } }),
    ];
    const twin = attach(refs('twin'), listeners);
    expect([routeConditions(twin)[0], twin.attachments.length]).toEqual(['Accepted=False/NoMatchingParent', 0]);
    const notReady = attach(refs('https'), listeners);
    expect([routeConditions(notReady)[0], notReady.attachments.length, notReady.virtualHosts.length]).toEqual([
      'Accepted=False/NoMatchingParent',
      1,
      0,
    ]);
  });
});

describe('the Gateway', () => {
  test('without an address serves no route', () => {
    const root = httpRoute();
    const withAddress = gateway([http], { spec: { addresses: [{ value: '192.0.2.1' }] } });
    const contribution = contributionOf(root, [gatewayClass, withAddress, service('demo/web')]);
    expect(contribution.virtualHosts).toEqual([]);
    expect(routeConditions(contribution)[0]).toBe('Accepted=False/InvalidGateway');
  });

  test('that is absent leaves a status without entries, so that old ones go', () => {
    const contribution = contributionOf(httpRoute(), [service('demo/web')]);
    expect(contribution).toMatchObject({ virtualHosts: [], statuses: [{ parents: [] }] });
  });

  test('that is not configured leaves routes alone', () => {
    expect(contributionOf(httpRoute(), [gatewayClass, gateway([http])], testConfig()).statuses).toEqual([]);
  });
});

describe('namespaces', () => {
  const from = (namespaces: object) => listener('http', 80, 'HTTP', { allowedRoutes: { namespaces } });
  const selector = from({ from: 'Selector', selector: { matchLabels: { expose: 'yes' } } });
  const own = route('HTTPRoute', 'gw/own', { rules });

  test.each([
    { name: 'Same refuses others', root: httpRoute(), one: from({ from: 'Same' }), others: [], want: false },
    { name: 'Same is the default', root: httpRoute(), one: { name: 'http', port: 80, protocol: 'HTTP' }, others: [], want: false },
    { name: 'Same takes its own', root: own, one: from({ from: 'Same' }), others: [], want: true },
    {
      name: 'a label that fits',
      root: httpRoute(),
      one: selector,
      others: [object('Namespace', 'demo', {}, { labels: { expose: 'yes' } })],
      want: true,
    },
    {
      name: 'a label that does not',
      root: httpRoute(),
      one: selector,
      others: [object('Namespace', 'demo', {}, { labels: { expose: 'no' } })],
      want: false,
    },
    { name: 'a namespace that is not known', root: httpRoute(), one: selector, others: [], want: false },
    {
      name: 'the name as a label',
      root: httpRoute(),
      one: from({ from: 'Selector', selector: { matchLabels: { 'kubernetes.io/metadata.name': 'demo' } } }),
      others: [object('Namespace', 'demo')],
      want: true,
    },
  ])('$name', ({ root, one, others, want }) => {
    const contribution = attach(root, [one], others);
    expect(routeConditions(contribution)).toContain(want ? 'Accepted=True/Accepted' : 'Accepted=False/NotAllowedByListeners');
    expect(contribution.virtualHosts).toHaveLength(want ? 1 : 0);
    expect(contribution.attachments).toHaveLength(want ? 1 : 0);
  });

  test('a kind that the listener does not take', () => {
    const root = route('TLSRoute', 'demo/r', { hostnames: ['app.example.com'], rules });
    expect(routeConditions(attach(root, [http]))[0]).toBe('Accepted=False/NotAllowedByListeners');
  });
});

describe('hosts', () => {
  test('only those that the listener covers', () => {
    const wildcard = listener('http', 80, 'HTTP', { hostname: '*.in.example.com' });
    const contribution = attach(httpRoute({ hostnames: ['a.in.example.com', 'b.out.example.com'] }), [wildcard]);
    expect(places(contribution)).toEqual(['http-80/a.in.example.com']);
    expect(routeConditions(contribution)).toEqual(accepted);
    const none = attach(httpRoute({ hostnames: ['c.out.example.com'] }), [wildcard]);
    expect(routeConditions(none)[0]).toBe('Accepted=False/NoMatchingListenerHostname');
  });

  test('a bad hostname is told of, the others are served', () => {
    const contribution = attach(httpRoute({ hostnames: ['10.0.0.1', 'app.example.com'] }), [http]);
    expect(places(contribution)).toEqual(['http-80/app.example.com']);
    expect(routeConditions(contribution)).toEqual(['ResolvedRefs=False/Degraded', 'Accepted=True/Accepted']);
    expect(places(attach(httpRoute({ hostnames: ['10.0.0.1'] }), [http]))).toEqual([]);
  });

  test('a request belongs to the most specific listener, so each secures its own', () => {
    const tls = (name: string) => ({ tls: { certificateRefs: [{ name }] } });
    const listeners = [listener('any', 443, 'HTTPS', tls('any')), listener('a', 443, 'HTTPS', { hostname: 'a.example.com', ...tls('a') })];
    const contribution = attach(httpRoute({ hostnames: ['a.example.com', 'b.example.com'] }), listeners, [
      tlsSecretObject('gw/any'),
      tlsSecretObject('gw/a'),
    ]);
    const secrets = contribution.virtualHosts.map(({ host, tls: how }) => [
      host,
      how?.type === 'terminate' ? how.secrets.map(({ name }) => name) : how,
    ]);
    expect(secrets).toEqual([
      ['b.example.com', ['any']],
      ['a.example.com', ['a']],
    ]);
  });
});
