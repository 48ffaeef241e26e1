/**
 * Throws random HTTPProxies at the whole path, a real Envoy included, and prints one JSON line: how many of each sort, how many hosts and
 * routes were served, which fields no valid object had, and every different failure with the seed that shows it again. Ends with 1 if there
 * was a failure.
 *
 * Usage: node test/bench/fuzz.ts [--objects N] [--size N] [--seed N]     default: 10,000 objects in batches of 100, from seed 1
 */
import { parseArgs } from 'node:util';
import { httpProxyResource } from '../../pkg/apis/projectcontour/v1/httpproxy.ts';
import { schemaFields } from '../lib/fuzz-coverage.ts';
import { type FuzzFigures, ProxyFuzz } from '../lib/proxy-fuzz.ts';

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '10000' },
    size: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
  },
});
const [objects, size, seed] = [Number(values.objects), Number(values.size), Number(values.seed)];
/** The configuration changes after so many batches. */
const variantEvery = 25;
const total: FuzzFigures = { valid: 0, odd: 0, broken: 0, accepted: 0, hosts: 0, routes: 0 };
const fields = new Set<string>();
const statuses = new Map<string, number>();
const failures = new Map<string, { readonly seed: number; readonly reason: string }>();
const started = performance.now();

/** Takes a fresh one after a failure, for what was left behind would fail again. */
async function runUntilFailure(first: number, last: number): Promise<number> {
  const turn = Math.floor(first / variantEvery);
  await using fuzz = await ProxyFuzz.start(turn % 2 === 0 ? 'plain' : 'authorized');
  let next = first;
  try {
    while (next <= last && Math.floor(next / variantEvery) === turn) await fuzz.batch(size, next++);
  } catch (error) {
    for (const reason of reasonsOf(error)) report(next - 1, reason);
  }
  for (const key of Object.keys(total) as (keyof FuzzFigures)[]) total[key] += fuzz.figures[key];
  for (const field of fuzz.fields) fields.add(field);
  for (const [status, count] of fuzz.reasons) statuses.set(status, (statuses.get(status) ?? 0) + count);
  return next;
}

function report(at: number, reason: string): void {
  const kind = (reason.split(' | ')[0] ?? '').replace(/[0-9]+/g, '0').slice(-160);
  if (failures.has(kind)) return;
  failures.set(kind, { seed: at, reason });
  console.error(`seed ${at}: ${reason}`);
}

/** The last causes, without what differs from time to time. */
function reasonsOf(error: unknown): readonly string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(reasonsOf);
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause !== undefined) return reasonsOf(cause);
  const place = error instanceof Error ? (error.stack?.split('\n').find((line) => line.includes('/pkg/')) ?? '').trim() : '';
  return [`${String(error)} ${place}`];
}

const last = seed + Math.ceil(objects / size) - 1;
for (let next = seed; next <= last; ) next = await runUntilFailure(next, last);
const seconds = Math.round((performance.now() - started) / 100) / 10;
const spec = httpProxyResource.schema.openapi.properties?.['spec'] ?? {};
const unseen = schemaFields(spec, 'spec').filter((field) => !fields.has(field) && !field.endsWith('.*'));
const often = [...statuses].sort((a, b) => b[1] - a[1]).slice(0, 12);
const result = { ...total, fields: fields.size, unseen, statuses: Object.fromEntries(often), failures: [...failures.values()], seconds };
console.log(JSON.stringify({ bench: 'fuzz', ...result }));
process.exit(failures.size === 0 ? 0 : 1);
