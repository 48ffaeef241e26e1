import { describe, expect, test } from '@jest/globals';
import { buildProxies, proxies } from '../../../../test/lib/httpproxies.ts';
import { object, service } from '../../../../test/lib/memory-reader.ts';

const ports = [
  { name: 'http', port: 80, protocol: 'TCP' },
  { name: 'health', port: 81, protocol: 'TCP' },
];
const base = [service('ns/a'), object('Service', 'ns/two', { spec: { ports } })];
const world = (route: string) => buildProxies([...base, ...proxies(`app: {virtualhost: {fqdn: app.example.com}, routes: [${route}]}`)]);
const one = 'services: [{name: a, port: 80}]';

describe('fields that do nothing where they stand', () => {
  test.each([
    { route: '{services: [{name: two, port: 80, healthPort: 81}]}', want: 'spec.routes[0].services[0].healthPort 81 has no effect' },
    {
      route: '{services: [{name: a, port: 80, validation: {caSecret: ca, subjectName: a}}]}',
      want: 'services[0].validation has no effect',
    },
    { route: `{retryPolicy: {retriableStatusCodes: [503]}, ${one}}`, want: 'retryPolicy.retriableStatusCodes has no effect' },
    { route: `{retryPolicy: {perTryTimeout: infinity}, ${one}}`, want: 'retryPolicy.perTryTimeout "infinity" has no effect' },
    { route: `{retryPolicy: {count: -1, retryOn: [5xx]}, ${one}}`, want: 'with count -1 there are no retries' },
    { route: `{loadBalancerPolicy: {strategy: RequestHash, requestHashPolicies: [{}]}, ${one}}`, want: 'RoundRobin is used' },
    { route: '{timeoutPolicy: {response: 1s}, requestRedirectPolicy: {path: /x}}', want: 'spec.routes[0].timeoutPolicy has no effect' },
    {
      route: '{healthCheckPolicy: {path: /h}, directResponsePolicy: {statusCode: 200}}',
      want: 'spec.routes[0].healthCheckPolicy has no effect',
    },
  ])('$route is valid, with a warning', ({ route, want }) => {
    const built = world(route);
    expect(built.status('app')).toBe('valid');
    expect(new Set(built.warnings('app'))).toEqual(new Set(['SpecError/IgnoredField']));
    expect(built.messages('app')).toContain(want);
  });

  test.each([
    `{healthCheckPolicy: {path: /h}, services: [{name: two, port: 80, healthPort: 81}]}`,
    `{retryPolicy: {retryOn: [retriable-status-codes], retriableStatusCodes: [503], perTryTimeout: 1s}, ${one}}`,
    `{retryPolicy: {count: -1}, ${one}}`,
    `{loadBalancerPolicy: {strategy: Cookie}, ${one}}`,
    '{enableWebsockets: false, requestRedirectPolicy: {path: /x}}',
  ])('%s has no warning', (route) => {
    const built = world(route);
    expect(built.status('app')).toBe('valid');
    expect(built.warnings('app')).toEqual([]);
  });

  test('the health port of a service that has it no more is told', () => {
    const built = world('{healthCheckPolicy: {path: /h}, services: [{name: two, port: 80, healthPort: 82}]}');
    expect(built.status('app')).toBe('ServiceError/ServiceUnresolvedReference');
    expect(built.messages('app')).toContain('port "82" on service "ns/two" not matched');
  });

  test('the health port goes to the cluster', () => {
    const [route] = world('{healthCheckPolicy: {path: /h}, services: [{name: two, port: 80, healthPort: 81}]}').routes();
    expect(route?.action).toMatchObject({
      clusters: [{ cluster: { service: { portName: 'http', healthPortName: 'health' }, healthCheck: { path: '/h' } } }],
    });
  });
});
