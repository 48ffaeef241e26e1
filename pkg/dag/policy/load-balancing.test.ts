import { describe, expect, test } from '@jest/globals';
import { loadBalancerPolicy, routeLoadBalancing } from './load-balancing.ts';

describe('how requests are spread', () => {
  test.each([undefined, {}, { strategy: 'RoundRobin' }])('%j is RoundRobin', (input) => {
    expect(routeLoadBalancing(input)).toEqual({ policy: 'RoundRobin', ignored: [] });
  });

  test.each(['WeightedLeastRequest', 'Random'])('%s', (strategy) => {
    expect(routeLoadBalancing({ strategy })).toEqual({ policy: strategy, ignored: [] });
  });

  test('an unheard strategy is RoundRobin, which is told', () => {
    expect(routeLoadBalancing({ strategy: 'Unheard' })).toEqual({
      policy: 'RoundRobin',
      ignored: ['strategy "Unheard" is not known, RoundRobin is used'],
    });
  });

  test('Cookie is a session cookie', () => {
    expect(routeLoadBalancing({ strategy: 'Cookie' })).toEqual({
      policy: 'Cookie',
      hashPolicies: [{ type: 'cookie', cookie: 'X-Contour-Session-Affinity', secure: false, terminal: false }],
      ignored: [],
    });
  });

  test('hashes of another strategy do nothing, which is told', () => {
    const { policy, ignored } = routeLoadBalancing({ strategy: 'Random', requestHashPolicies: [{ hashSourceIP: true }] });
    expect(policy).toBe('Random');
    expect(ignored).toEqual(['requestHashPolicies have no effect with strategy "Random"']);
  });

  test('RequestHash takes all sources, in order', () => {
    const input = {
      strategy: 'RequestHash',
      requestHashPolicies: [
        { headerHashOptions: { headerName: 'x-user' }, terminal: true },
        { queryParameterHashOptions: { parameterName: 'User' } },
        { hashSourceIP: true },
      ],
    };
    expect(routeLoadBalancing(input)).toEqual({
      policy: 'RequestHash',
      hashPolicies: [
        { type: 'header', header: 'X-User', terminal: true },
        { type: 'query-parameter', parameter: 'User', terminal: false },
        { type: 'source-ip', terminal: false },
      ],
      ignored: [],
    });
  });

  const header = (headerName: string) => ({ headerHashOptions: { headerName } });
  const query = (parameterName: string) => ({ queryParameterHashOptions: { parameterName } });
  test.each([
    { entries: [{}], why: 'must be set, not 0' },
    { entries: [{ hashSourceIP: false }], why: 'must be set, not 0' },
    { entries: [{ hashSourceIP: true, ...header('a') }], why: 'must be set, not 2' },
    { entries: [{ hashSourceIP: true, ...header('a'), ...query('b') }], why: 'must be set, not 3' },
    { entries: [{ hashSourceIP: true }, { hashSourceIP: true }], why: 'the source IP is hashed already' },
    { entries: [header('bad name')], why: 'headerName "bad name" is no name of a header' },
    { entries: [header('x-a'), header('X-A')], why: 'header "X-A" is hashed already' },
    { entries: [query('')], why: 'parameterName is empty' },
    { entries: [query('a'), query('a')], why: 'query parameter "a" is hashed already' },
  ])('an entry is left out: $why', ({ entries, why }) => {
    const good = { headerHashOptions: { headerName: 'X-Good' } };
    const { policy, hashPolicies, ignored } = routeLoadBalancing({ strategy: 'RequestHash', requestHashPolicies: [...entries, good] });
    expect(policy).toBe('RequestHash');
    expect(hashPolicies).toHaveLength(entries.length);
    expect(ignored).toHaveLength(1);
    expect(ignored[0]).toContain(`requestHashPolicies[${entries.length - 1}] is left out`);
    expect(ignored[0]).toContain(why);
  });

  test('nothing to hash is RoundRobin, which is told', () => {
    expect(routeLoadBalancing({ strategy: 'RequestHash' })).toEqual({
      policy: 'RoundRobin',
      ignored: ['requestHashPolicies leave nothing to hash, RoundRobin is used'],
    });
    expect(routeLoadBalancing({ strategy: 'RequestHash', requestHashPolicies: [{}] })).toMatchObject({
      policy: 'RoundRobin',
      ignored: [{}, {}].map(() => expect.any(String)),
    });
  });

  test.each(['Cookie', 'RequestHash', 'Unheard', undefined])('where there are no requests, %s is RoundRobin', (strategy) => {
    expect(loadBalancerPolicy(strategy)).toBe('RoundRobin');
  });
});
