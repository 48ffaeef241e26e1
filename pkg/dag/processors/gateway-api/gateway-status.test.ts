import { describe, expect, test } from '@jest/globals';
import { testConfig } from '../../../../test/lib/config.ts';
import { contributionOf, gateway, gatewayClass, listener } from '../../../../test/lib/gateway.ts';
import { object, tlsSecretObject } from '../../../../test/lib/memory-reader.ts';
import type { KubeObject, WantedCondition } from '../../../apis/meta.ts';
import type { GatewayStatusPart } from '../../contribution.ts';

function statusOf(root: KubeObject, others: readonly KubeObject[] = []): GatewayStatusPart {
  const [status] = contributionOf(root, [gatewayClass, ...others]).statuses;
  if (status?.type !== 'gateway') throw new Error('no status of a Gateway');
  return status;
}

const texts = (conditions: readonly WantedCondition[]) => conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`);

/** The conditions of one listener that stands alone. */
function listenerConditions(one: object, others: readonly KubeObject[] = []): readonly string[] {
  return texts(statusOf(gateway([one]), others).listeners[0]?.conditions ?? []).toSorted();
}

const good = ['Accepted=True/Accepted', 'Programmed=True/Programmed', 'ResolvedRefs=True/ResolvedRefs'];

describe('the Gateway', () => {
  test('with good listeners is programmed; conditions carry its generation', () => {
    const status = statusOf(gateway([listener('http', 80, 'HTTP')]));
    expect(texts(status.conditions)).toEqual(['Accepted=True/Accepted', 'Programmed=True/Programmed']);
    expect(status.conditions.map((condition) => condition.observedGeneration)).toEqual([3, 3]);
    expect(status.listeners).toMatchObject([
      { name: 'http', supportedKinds: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute' }, { kind: 'GRPCRoute' }] },
    ]);
  });

  test('with a bad listener is not', () => {
    const status = statusOf(gateway([listener('http', 80, 'HTTP'), listener('udp', 81, 'UDP')]));
    expect(texts(status.conditions)).toEqual(['Accepted=True/Accepted', 'Programmed=False/ListenersNotValid']);
  });

  test.each([
    { assigned: [], want: 'Programmed=False/AddressNotAssigned' },
    { assigned: [{ value: '192.0.2.2' }], want: 'Programmed=False/AddressNotAssigned' },
    { assigned: [{ type: 'Hostname', value: '192.0.2.1' }], want: 'Programmed=False/AddressNotAssigned' },
    { assigned: [{ type: 'IPAddress', value: '192.0.2.1' }], want: 'Programmed=True/Programmed' },
  ])('that asks for an address, given $assigned: $want', ({ assigned, want }) => {
    const root = gateway([listener('http', 80, 'HTTP')], {
      spec: { addresses: [{ value: '192.0.2.1' }] },
      status: { addresses: assigned },
    });
    expect(texts(statusOf(root).conditions)).toContain(want);
  });

  test('that is not the configured one is none of ours', () => {
    const other = object('Gateway', 'gw/other', { spec: { gatewayClassName: 'gc', listeners: [listener('http', 80, 'HTTP')] } });
    expect(contributionOf(other, [gatewayClass, gateway([])])).toMatchObject({ listeners: [], statuses: [] });
    expect(contributionOf(gateway([]), [gatewayClass], testConfig())).toMatchObject({ listeners: [], statuses: [] });
  });

  test('without its class serves nothing and says nothing', () => {
    expect(contributionOf(gateway([listener('http', 80, 'HTTP')]), [])).toMatchObject({ listeners: [], statuses: [] });
  });

  test('brings its listeners', () => {
    const { listeners } = contributionOf(gateway([listener('http', 80, 'HTTP')]), [gatewayClass]);
    expect(listeners.map(({ name, port }) => [name, port])).toEqual([['http-80', 8080]]);
  });
});

describe('a listener', () => {
  const secret = tlsSecretObject('gw/cert');
  const https = (tls: object | undefined, protocol = 'HTTPS') => listener('https', 443, protocol, tls === undefined ? {} : { tls });
  const refs = (...certificateRefs: object[]) => ({ certificateRefs });
  const withOne = (condition: string) => [
    ...good.filter((text) => !text.startsWith(condition.split('=')[0]!) && !text.startsWith('Programmed')),
    condition,
  ];
  const bad = (condition: string) => {
    const programmed = condition.startsWith('Programmed') ? [] : ['Programmed=False/Invalid'];
    return [...withOne(condition), ...programmed].toSorted();
  };

  test.each([
    { name: 'without tls', one: https(undefined), want: bad('Programmed=False/Invalid') },
    { name: 'HTTPS that passes through', one: https({ mode: 'Passthrough' }), want: bad('Programmed=False/Invalid') },
    {
      name: 'passthrough with a certificate',
      one: https({ mode: 'Passthrough', ...refs({ name: 'cert' }) }, 'TLS'),
      want: bad('Programmed=False/Invalid'),
    },
    { name: 'without a certificate', one: https({}), want: bad('Programmed=False/Invalid') },
    {
      name: 'with a certificate that is no Secret',
      one: https(refs({ kind: 'ConfigMap', name: 'cert' })),
      want: bad('ResolvedRefs=False/InvalidCertificateRef'),
    },
    {
      name: 'with a certificate that is missing',
      one: https(refs({ name: 'none' })),
      want: bad('ResolvedRefs=False/InvalidCertificateRef'),
    },
    {
      name: 'with one good and one missing',
      one: https(refs({ name: 'cert' }, { name: 'none' })),
      want: bad('ResolvedRefs=False/InvalidCertificateRef'),
    },
    {
      name: 'with a certificate of elsewhere',
      one: https(refs({ name: 'cert', namespace: 'shared' })),
      want: bad('ResolvedRefs=False/RefNotPermitted'),
    },
    { name: 'with a good certificate', one: https(refs({ name: 'cert' })), want: good },
    { name: 'that passes through', one: https({ mode: 'Passthrough' }, 'TLS'), want: good },
    { name: 'of Contour itself needs no tls', one: https(undefined, 'projectcontour.io/https'), want: good },
  ])('$name', ({ one, want }) => {
    expect(listenerConditions(one, [secret])).toEqual(want);
  });

  test('may use a certificate of elsewhere with a grant', () => {
    const spec = { from: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace: 'gw' }], to: [{ group: '', kind: 'Secret' }] };
    const others = [tlsSecretObject('shared/cert'), object('ReferenceGrant', 'shared/g', { spec })];
    expect(listenerConditions(https(refs({ name: 'cert', namespace: 'shared' })), others)).toEqual(good);
  });

  test('with a certificate that ran out is served and says so', () => {
    const { listeners } = statusOf(gateway([https(refs({ name: 'cert' }))]), [tlsSecretObject('gw/cert', 'expired')]);
    expect(texts(listeners[0]?.conditions ?? []).toSorted()).toEqual(good);
    expect(listeners[0]?.conditions.find(({ type }) => type === 'ResolvedRefs')?.message).toContain('expired');
  });

  test('that conflicts says so', () => {
    const { listeners } = statusOf(gateway([listener('one', 80, 'HTTP'), listener('two', 80, 'HTTP')]));
    expect(texts(listeners[1]?.conditions ?? []).toSorted()).toEqual([
      'Accepted=True/Accepted',
      'Conflicted=True/HostnameConflict',
      'Programmed=False/Invalid',
      'ResolvedRefs=True/ResolvedRefs',
    ]);
  });

  test.each([
    {
      protocol: 'HTTP',
      kinds: [{ kind: 'HTTPRoute' }, { kind: 'TCPRoute' }, { group: 'example.com', kind: 'FooRoute' }],
      want: ['HTTPRoute'],
      fault: true,
    },
    { protocol: 'HTTP', kinds: [{ kind: 'TLSRoute' }], want: [], fault: true },
    { protocol: 'TCP', kinds: [{ kind: 'HTTPRoute' }], want: [], fault: true },
    { protocol: 'HTTP', kinds: [{ kind: 'GRPCRoute' }], want: ['GRPCRoute'], fault: false },
    { protocol: 'TCP', kinds: [], want: ['TCPRoute'], fault: false },
  ])('$protocol with kinds $kinds', ({ protocol, kinds, want, fault }) => {
    const { listeners } = statusOf(gateway([listener('l', 80, protocol, { allowedRoutes: { kinds } })]));
    expect(listeners[0]?.supportedKinds.map(({ kind }) => kind)).toEqual(want);
    expect(texts(listeners[0]?.conditions ?? []).includes('ResolvedRefs=False/InvalidRouteKinds')).toBe(fault);
  });

  test.each([undefined, {}, { matchLabels: {} }, { matchExpressions: [{ key: 'a', operator: 'Like', values: ['b'] }] }])(
    'with the selector %j cannot be',
    (selector) => {
      const namespaces = { from: 'Selector', ...(selector !== undefined && { selector }) };
      expect(listenerConditions(listener('l', 80, 'HTTP', { allowedRoutes: { namespaces } }))).toEqual(bad('Programmed=False/Invalid'));
    },
  );
});
