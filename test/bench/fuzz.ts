/**
 * Throws random HTTPProxies at the whole path, a real Envoy included, and prints one JSON line: how many of each sort, and every different
 * failure with the seed that shows it again. Ends with 1 if there was a failure.
 *
 * Usage: node test/bench/fuzz.ts [--objects N] [--size N] [--seed N]     default: 10,000 objects in batches of 100, from seed 1
 */
import { parseArgs } from 'node:util';
import { type FuzzFigures, ProxyFuzz } from '../lib/proxy-fuzz.ts';

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '10000' },
    size: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
  },
});
const [objects, size, seed] = [Number(values.objects), Number(values.size), Number(values.seed)];
const total: FuzzFigures = { valid: 0, odd: 0, broken: 0 };
const failures = new Map<string, number>();
const started = performance.now();

/** Takes a fresh one after a failure, for what was left behind would fail again. */
async function runUntilFailure(first: number, last: number): Promise<number> {
  await using fuzz = await ProxyFuzz.start();
  let next = first;
  try {
    while (next <= last) await fuzz.batch(size, next++);
  } catch (error) {
    const reason = reasonOf(error);
    if (!failures.has(reason)) {
      failures.set(reason, next - 1);
      console.error(`seed ${next - 1}: ${reason}`);
    }
  }
  for (const sort of ['valid', 'odd', 'broken'] as const) total[sort] += fuzz.figures[sort];
  return next;
}

/** The last cause, without what differs from time to time. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause !== undefined) return reasonOf(cause);
  const place = error instanceof Error ? (error.stack?.split('\n').find((line) => line.includes('/pkg/')) ?? '').trim() : '';
  const text = String(error);
  return `${text.length > 600 ? `${text.slice(0, 100)} … ${text.slice(-500)}` : text} ${place}`;
}

const last = seed + Math.ceil(objects / size) - 1;
for (let next = seed; next <= last; ) next = await runUntilFailure(next, last);
const seconds = Math.round((performance.now() - started) / 100) / 10;
console.log(JSON.stringify({ bench: 'fuzz', ...total, failures: [...failures].map(([reason, at]) => ({ seed: at, reason })), seconds }));
process.exit(failures.size === 0 ? 0 : 1);
