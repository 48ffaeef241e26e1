import { describe, expect, test } from '@jest/globals';
import { contributionOf, gateway, gatewayClass, gatewayConfig, listener, route } from '../../../../test/lib/gateway.ts';
import { memoryReader, object, service } from '../../../../test/lib/memory-reader.ts';
import type { KubeObject } from '../../../apis/meta.ts';
import type { Contribution } from '../../contribution.ts';
import type { Cluster } from '../../model/cluster.ts';
import { gatewayApiProcessor } from './gateway-api-processor.ts';

const targetRefs = [{ group: '', kind: 'Service', name: 'web' }];
const caCertificateRefs = [{ group: '', kind: 'ConfigMap', name: 'ca' }];
const validation = { hostname: 'web.example.com', caCertificateRefs };
const ca = object('ConfigMap', 'demo/ca', { data: { 'ca.crt': 'the CA' } });

function policy(name: string, spec: object = {}, metadata: object = {}): KubeObject {
  return object('BackendTLSPolicy', `demo/${name}`, { spec: { targetRefs, validation, ...spec } }, metadata);
}

const younger = { creationTimestamp: '2026-02-01T00:00:00Z' };

/** What a route with one backend, port `http` of the Service `web`, contributes beside others. */
function build(
  others: readonly KubeObject[],
  kind = 'HTTPRoute',
  rule: object = { backendRefs: [{ name: 'web', port: 80 }] },
): Contribution {
  const web = service('demo/web');
  const objects = [gatewayClass, gateway([listener('http', 80, 'HTTP')]), web, ca, ...others];
  return contributionOf(route(kind, 'demo/r', { rules: [rule] }), objects);
}

function clusterOf(contribution: Contribution): Cluster | undefined {
  const action = contribution.virtualHosts[0]?.routes[0]?.action;
  return action?.type === 'forward' ? action.clusters[0]?.cluster : undefined;
}

/** The conditions of a policy for our Gateway. */
function conditionsOf({ statuses }: Contribution, name: string): readonly string[] | undefined {
  const part = statuses.find((one) => one.type === 'policy' && one.object.name === name);
  if (part?.type !== 'policy') return undefined;
  expect(part.ancestors.map(({ ancestorRef }) => ancestorRef)).toEqual([
    { group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace: 'gw', name: 'main' },
  ]);
  return part.ancestors[0]?.conditions.map((condition) => `${condition.type}=${condition.status}/${condition.reason}`);
}

const good = ['Accepted=True/Accepted', 'ResolvedRefs=True/ResolvedRefs'];

describe('a policy that can be followed', () => {
  test('makes the backend verified TLS, with the hostname as SNI and as the name to look for', () => {
    const contribution = build([policy('p')]);
    expect(clusterOf(contribution)).toMatchObject({
      protocol: 'tls',
      sni: 'web.example.com',
      upstreamValidation: { caCertificates: 'the CA', subjectNames: ['web.example.com'] },
    });
    expect(conditionsOf(contribution, 'p')).toEqual(good);
  });

  test('keeps HTTP/2 to the backends of a GRPCRoute', () => {
    expect(clusterOf(build([policy('p')], 'GRPCRoute'))?.protocol).toBe('h2');
  });

  test('looks for alternative names only, where it has some', () => {
    const subjectAltNames = [
      { type: 'Hostname', hostname: '*.example.com' },
      { type: 'URI', uri: 'spiffe://example.com/web' },
    ];
    const { sni, upstreamValidation } = clusterOf(build([policy('p', { validation: { ...validation, subjectAltNames } })])) ?? {};
    expect(sni).toBe('web.example.com');
    expect(upstreamValidation).toMatchObject({ subjectNames: ['*.example.com'], subjectUris: ['spiffe://example.com/web'] });
  });

  test('trusts every certificate that its references lead to, and tells of those that lead nowhere', () => {
    const refs = [...caCertificateRefs, { group: '', kind: 'Secret', name: 'more' }, { group: '', kind: 'Secret', name: 'none' }];
    const more = object('Secret', 'demo/more', { data: { 'ca.crt': ' and more' } });
    const contribution = build([policy('p', { validation: { hostname: 'web.example.com', caCertificateRefs: refs } }), more]);
    expect(clusterOf(contribution)?.upstreamValidation?.caCertificates).toBe('the CA and more');
    expect(conditionsOf(contribution, 'p')).toEqual(['ResolvedRefs=False/InvalidCACertificateRef', 'Accepted=True/Accepted']);
  });

  test('counts for mirrored requests too', () => {
    const filters = [{ type: 'RequestMirror', requestMirror: { backendRef: { name: 'web', port: 80 } } }];
    const contribution = build([service('demo/other'), policy('p')], 'HTTPRoute', { backendRefs: [{ name: 'other', port: 80 }], filters });
    const action = contribution.virtualHosts[0]?.routes[0]?.action;
    expect(action).toMatchObject({ forward: { mirrors: [{ cluster: { protocol: 'tls', sni: 'web.example.com' } }] } });
    expect(clusterOf(contribution)).not.toHaveProperty('sni');
    expect(conditionsOf(contribution, 'p')).toEqual(good);
  });
});

describe('which of several policies counts', () => {
  const named = (hostname: string, more: object = {}) => ({ validation: { ...validation, hostname }, ...more });
  const port = (sectionName: string) => ({ targetRefs: [{ ...targetRefs[0], sectionName }] });

  test('the older one; the other says so', () => {
    const contribution = build([policy('a', named('a.example.com'), younger), policy('b', named('b.example.com'))]);
    expect(clusterOf(contribution)?.sni).toBe('b.example.com');
    expect(conditionsOf(contribution, 'a')).toEqual(['Accepted=False/Conflicted', 'ResolvedRefs=True/ResolvedRefs']);
    expect(conditionsOf(contribution, 'b')).toEqual(good);
  });

  test('of two of one age the first by name', () => {
    expect(clusterOf(build([policy('b', named('b.example.com')), policy('a', named('a.example.com'))]))?.sni).toBe('a.example.com');
  });

  test('that of the port before that of the Service, without a conflict', () => {
    const contribution = build([policy('a', named('a.example.com')), policy('b', named('b.example.com', port('http')), younger)]);
    expect(clusterOf(contribution)?.sni).toBe('b.example.com');
    expect(conditionsOf(contribution, 'a')).toEqual(good);
    expect(conditionsOf(contribution, 'b')).toEqual(good);
  });

  test('an older one that cannot be followed before a good one', () => {
    const contribution = build([policy('a', named('10.0.0.1')), policy('b', named('b.example.com'), younger)]);
    expect(clusterOf(contribution)).toBeUndefined();
  });

  test('not that of a port that the Service does not have', () => {
    const contribution = build([policy('p', port('https'))]);
    expect(clusterOf(contribution)).not.toHaveProperty('sni');
    expect(conditionsOf(contribution, 'p')).toContain('Accepted=False/TargetNotFound');
  });
});

describe('a policy that cannot be followed', () => {
  const refs = (ref: object) => ({ validation: { hostname: 'web.example.com', caCertificateRefs: [{ ...caCertificateRefs[0], ...ref }] } });

  test.each([
    { name: 'a ConfigMap that is not there', spec: refs({ name: 'none' }), want: ['NoValidCACertificate', 'InvalidCACertificateRef'] },
    { name: 'a kind that holds no certificates', spec: refs({ kind: 'Service' }), want: ['NoValidCACertificate', 'InvalidKind'] },
    {
      name: 'certificates of the system',
      spec: { validation: { hostname: 'web.example.com', wellKnownCACertificates: 'System' } },
      want: ['Invalid'],
    },
    { name: 'an address for a hostname', spec: { validation: { ...validation, hostname: '10.0.0.1' } }, want: ['Invalid'] },
    { name: 'a wildcard for a hostname', spec: { validation: { ...validation, hostname: '*.example.com' } }, want: ['Invalid'] },
  ])('$name: requests fail, the route is well', ({ spec, want }) => {
    const contribution = build([policy('p', spec)]);
    expect(contribution.virtualHosts[0]?.routes[0]?.action).toEqual({ type: 'direct-response', status: 500 });
    expect(conditionsOf(contribution, 'p')?.filter((condition) => condition.includes('=False'))).toEqual([
      `Accepted=False/${want[0]}`,
      ...want.slice(1).map((reason) => `ResolvedRefs=False/${reason}`),
    ]);
    const [first] = contribution.statuses;
    expect(first?.type === 'route' && first.parents[0]?.conditions.every(({ status }) => status === 'True')).toBe(true);
  });

  test('fails its share of the requests alone, and is mirrored none', () => {
    const filters = [{ type: 'RequestMirror', requestMirror: { backendRef: { name: 'web', port: 80 } } }];
    const backendRefs = [
      { name: 'web', port: 80, weight: 1 },
      { name: 'other', port: 80, weight: 3 },
    ];
    const contribution = build([service('demo/other'), policy('p', refs({ name: 'none' }))], 'HTTPRoute', { backendRefs, filters });
    const action = contribution.virtualHosts[0]?.routes[0]?.action;
    expect(action).toMatchObject({ type: 'forward', errorWeight: 1, clusters: [{ weight: 3 }] });
    expect(action).not.toHaveProperty('forward.mirrors');
  });
});

describe('the status of a policy', () => {
  test('has no entry of a route that is not ours, nor of a Service that the route may not refer to', () => {
    const foreign = route('HTTPRoute', 'demo/r', {
      parentRefs: [{ name: 'other' }],
      rules: [{ backendRefs: [{ name: 'web', port: 80 }] }],
    });
    expect(conditionsOf(contributionOf(foreign, [gatewayClass, gateway([]), service('demo/web'), ca, policy('p')]), 'p')).toBeUndefined();
    const elsewhere = { backendRefs: [{ namespace: 'other', name: 'web', port: 80 }] };
    const theirs = object('BackendTLSPolicy', 'other/p', { spec: { targetRefs, validation } });
    expect(conditionsOf(build([service('other/web'), theirs], 'HTTPRoute', elsewhere), 'p')).toBeUndefined();
  });

  test('is empty where no route speaks of it', () => {
    const root = { kind: 'BackendTLSPolicy', namespace: 'demo', name: 'p' };
    const { statuses } = gatewayApiProcessor.process(root, memoryReader([policy('p')]), gatewayConfig);
    expect(statuses).toEqual([{ type: 'policy', object: root, generation: 1, ancestors: [] }]);
  });
});
