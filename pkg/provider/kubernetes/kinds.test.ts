import { describe, expect, test } from '@jest/globals';
import { kindsToWatch, resourceOf } from './kinds.ts';

const gatewayRef = { namespace: 'projectcontour', name: 'contour' };
const names = (config: Parameters<typeof kindsToWatch>[0], disabled: readonly string[] = []) =>
  kindsToWatch(config, disabled).map(({ kind }) => kind);

describe('the kinds to watch', () => {
  test('without a Gateway', () => {
    expect(names({})).toEqual([
      'Service',
      'EndpointSlice',
      'Secret',
      'HTTPProxy',
      'TLSCertificateDelegation',
      'ExtensionService',
      'Ingress',
      'IngressClass',
      'ContourConfiguration',
    ]);
  });

  test('a disabled feature is not among them', () => {
    const all = names({ gatewayRef });
    expect(names({ gatewayRef }, ['grpcroutes', 'backendtlspolicies'])).toEqual(
      all.filter((kind) => kind !== 'GRPCRoute' && kind !== 'BackendTLSPolicy'),
    );
  });
});

describe('the version of a kind', () => {
  const cases: readonly { name: string; served: readonly string[]; want: string }[] = [
    { name: 'ours, where it is served', served: ['v1alpha2', 'v1'], want: 'v1' },
    { name: 'the newest older one, where ours is not', served: ['v1alpha2', 'v1alpha3'], want: 'v1alpha3' },
    { name: 'ours, where the kind is not installed at all', served: [], want: 'v1' },
    { name: 'ours, where all that is served is unknown', served: ['v9'], want: 'v1' },
  ];
  test.each(cases)('$name', ({ served, want }) => {
    expect(resourceOf('TLSRoute', new Map([['tlsroutes', served]])).version).toBe(want);
  });
});
