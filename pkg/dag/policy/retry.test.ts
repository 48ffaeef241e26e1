import { expect, test } from '@jest/globals';
import { type RetryInput, retryPolicy, retryProblem } from './retry.ts';

const cases: readonly { name: string; input: RetryInput; want: object }[] = [
  { name: 'nothing said is one retry on 5xx', input: {}, want: { retryOn: '5xx', numRetries: 1 } },
  { name: '-1 is none', input: { count: -1 }, want: { numRetries: 0 } },
  { name: '0 is one', input: { count: 0 }, want: { numRetries: 1 } },
  { name: 'a number is that many', input: { count: 3 }, want: { numRetries: 3 } },
  { name: 'conditions are joined', input: { retryOn: ['5xx', 'reset'] }, want: { retryOn: '5xx,reset' } },
  { name: 'status codes are kept', input: { retriableStatusCodes: [503] }, want: { retriableStatusCodes: [503] } },
  { name: 'a time for each try', input: { perTryTimeout: '300ms' }, want: { perTryTimeoutMs: 300 } },
];
test.each(cases)('$name', ({ input, want }) => expect(retryPolicy(input)).toMatchObject(want));

test.each(['infinity', '0s', '', 'soon'])('perTryTimeout %j leaves the default', (perTryTimeout) => {
  expect(retryPolicy({ perTryTimeout })).not.toHaveProperty('perTryTimeoutMs');
});

test.each([
  { input: { retriableStatusCodes: [100, 599], count: 4_294_967_295 }, want: undefined },
  { input: { retriableStatusCodes: [503, -1] }, want: 'route.retryPolicy.retriableStatusCodes: -1 is no HTTP status' },
  { input: { retriableStatusCodes: [600] }, want: 'route.retryPolicy.retriableStatusCodes: 600 is no HTTP status' },
  { input: { count: 4_294_967_296 }, want: 'route.retryPolicy.count: 4294967296 is more than 4294967295' },
])('$input: $want', ({ input, want }) => expect(retryProblem(input)?.message).toBe(want));
