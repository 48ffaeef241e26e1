import { describe, expect, test } from '@jest/globals';
import { testConfig } from '../../../../test/lib/config.ts';
import { memoryReader, object, service } from '../../../../test/lib/memory-reader.ts';
import type { Config } from '../../../config/config.ts';
import type { DetailedStatusPart } from '../../contribution.ts';
import { extensionServiceProcessor } from './extension-service-processor.ts';

const ca = object('Secret', 'ns/ca', { type: 'Opaque', data: { 'ca.crt': 'a CA' } });
const foreignCa = object('Secret', 'other/ca', { type: 'Opaque', data: { 'ca.crt': 'a CA' } });
const externalName = object('Service', 'ns/external', {
  spec: { type: 'ExternalName', externalName: 'a.example.com', ports: [{ port: 80 }] },
});

function build(spec: object, changes: Partial<Config> = {}) {
  const extension = object('ExtensionService', 'ns/ext', { spec: { services: [{ name: 'a', port: 80 }], ...spec } });
  const reader = memoryReader([service('ns/a'), service('ns/b'), externalName, ca, foreignCa, extension]);
  const { extensionCluster, statuses } = extensionServiceProcessor.process(
    { kind: 'ExtensionService', namespace: 'ns', name: 'ext' },
    reader,
    testConfig(changes),
  );
  const [{ errors, warnings }] = statuses as unknown as readonly [DetailedStatusPart];
  const named = (problems: DetailedStatusPart['errors']) => problems.map(({ type, reason }) => `${type}/${reason}`);
  return { cluster: extensionCluster, errors: named(errors), warnings: named(warnings) };
}

describe('an ExtensionService', () => {
  test('is a cluster of its own, over HTTP/2 with TLS if it does not say else', () => {
    expect(build({})).toMatchObject({
      cluster: {
        namespace: 'ns',
        name: 'ext',
        services: [{ service: { name: 'a', port: 80 }, weight: 1 }],
        protocol: 'h2',
        loadBalancerPolicy: 'RoundRobin',
      },
      errors: [],
      warnings: [],
    });
  });

  test('shares out among its Services by weight, evenly where none has one', () => {
    const weights = (first: object, second: object) =>
      build({
        services: [
          { name: 'a', port: 80, ...first },
          { name: 'b', port: 80, ...second },
        ],
      }).cluster?.services.map(({ weight }) => weight);
    expect(weights({ weight: 3 }, { weight: 1 })).toEqual([3, 1]);
    expect(weights({ weight: 3 }, {})).toEqual([3, 0]);
    expect(weights({}, {})).toEqual([1, 1]);
  });

  test('is checked for the first of its names', () => {
    const { cluster } = build({ validation: { caSecret: 'ca', subjectName: 'a.test', subjectNames: ['a.test', 'b.test'] } });
    expect(cluster).toMatchObject({ sni: 'a.test', upstreamValidation: { caCertificates: 'a CA', subjectNames: ['a.test', 'b.test'] } });
  });

  test('has its own limits in place of all of the configuration', () => {
    const changes = { cluster: { ...testConfig().cluster, circuitBreakers: { maxConnections: 5, maxRetries: 1 } } };
    expect(build({}, changes).cluster?.circuitBreakers).toEqual({ maxConnections: 5, maxRetries: 1 });
    expect(build({ circuitBreakerPolicy: { maxRequests: 7 } }, changes).cluster?.circuitBreakers).toEqual({ maxRequests: 7 });
  });

  test.each([
    { spec: { loadBalancerPolicy: { strategy: 'Cookie' } } },
    { spec: { loadBalancerPolicy: { strategy: 'RequestHash' } } },
    { spec: { timeoutPolicy: { idle: '1s' } } },
  ])('has a warning for $spec, and is used', ({ spec }) => {
    expect(build(spec)).toMatchObject({ cluster: { loadBalancerPolicy: 'RoundRobin' }, errors: [], warnings: ['SpecError/IgnoredField'] });
  });

  const validation = { caSecret: 'ca', subjectName: 'a.test' };
  test.each([
    { spec: { services: [{ name: 'nope', port: 80 }] }, want: ['ServiceError/ServiceUnresolvedReference'] },
    { spec: { services: [{ name: 'a', port: 81 }] }, want: ['ServiceError/ServiceUnresolvedReference'] },
    { spec: { services: [{ name: 'external', port: 80 }] }, want: ['ServiceError/UnsupportedServiceType'] },
    { spec: { protocol: 'h2c', validation }, want: ['SpecError/InconsistentProtocol'] },
    { spec: { validation: { ...validation, caSecret: 'none' } }, want: ['SpecError/TLSUpstreamValidation'] },
    { spec: { validation: { ...validation, caSecret: 'other/ca' } }, want: ['TLSError/CACertificateNotDelegated'] },
    { spec: { timeoutPolicy: { response: '3' } }, want: ['SpecError/TimeoutPolicyNotValid'] },
    {
      spec: { timeoutPolicy: { response: '3' }, services: [{ name: 'nope', port: 80 }] },
      want: ['SpecError/TimeoutPolicyNotValid', 'ServiceError/ServiceUnresolvedReference'],
    },
  ])('with $spec has the errors $want and no cluster', ({ spec, want }) => {
    expect(build(spec)).toMatchObject({ cluster: undefined, errors: want });
  });

  test('that is shown a client certificate which is not there has an error', () => {
    expect(build({}, { clientCertificate: { namespace: 'ns', name: 'nope' } })).toMatchObject({
      cluster: undefined,
      errors: ['TLSError/SecretNotValid'],
    });
  });
});
