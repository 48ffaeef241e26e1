import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ProxyFuzz } from '../lib/proxy-fuzz.ts';
import { seededRandom } from '../lib/random.ts';

const batches = 6;
const size = 150;
const random = seededRandom();
let fuzz: ProxyFuzz;

beforeAll(async () => {
  fuzz = await ProxyFuzz.start(random.below(2) === 0 ? 'plain' : 'authorized');
}, 60_000);
afterAll(() => fuzz?.[Symbol.asyncDispose]());

/** `make fuzz` goes on for as long as it is told, from other seeds. */
test.each(Array.from({ length: batches }, () => random.below(2 ** 30)))(
  'random HTTPProxies throw nothing, and Envoy takes what becomes of them: seed %d',
  (seed) => fuzz.batch(size, seed),
  120_000,
);

test('most of the random objects are what an API server would take, some are odd, as many are broken, and many are served', () => {
  const { valid, odd, broken, accepted } = fuzz.figures;
  expect(valid).toBeGreaterThan(odd);
  expect(Math.min(odd, broken)).toBeGreaterThan((batches * size) / 30);
  expect(accepted).toBeGreaterThan((batches * size) / 4);
});
