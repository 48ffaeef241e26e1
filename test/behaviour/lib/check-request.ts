/** Sends a request of a case and compares the answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, header, type Result, type Target } from './ask.ts';
import type { CallLog } from './backends.ts';
import { type Bounds, type CaseRequest, type Expectation, isRecord, type Values } from './case.ts';
import { Differences } from './differences.ts';

export interface RequestTools {
  readonly target: Target;
  readonly calls: CallLog;
}

/** How long a mirrored request may take to arrive beside its original. */
const mirrorMs = 500;
const defaultCount = 200;
const defaultTolerance = 0.1;

/** One attempt; gives what differs. */
export async function checkRequest(request: CaseRequest, tools: RequestTools): Promise<readonly string[]> {
  const { expect, parallel, count } = request;
  if (parallel !== undefined) return checkParallel(request, parallel, tools);
  if (count !== undefined || expect.split !== undefined || expect.addrs !== undefined) return checkMany(request, tools);
  const result = await ask(request, tools.target);
  const differences = new Differences();
  checkResult(expect, result, differences);
  if (differences.lines.length > 0 || expect.calls === undefined) return differences.lines;
  return checkCalls(expect.calls, [result], tools.calls);
}

async function checkParallel(request: CaseRequest, parallel: number, { target }: RequestTools): Promise<readonly string[]> {
  const results = await Promise.all(Array.from({ length: parallel }, () => ask(request, target)));
  const tally = count(results.map(({ failure, status }) => String(failure ?? status)));
  return Object.entries(request.expect.statuses ?? {}).flatMap(([status, bounds]) =>
    isWithin(bounds, tally.get(status)) ? [] : [`answers ${status}: want ${JSON.stringify(bounds)}, got ${show(tally)}`],
  );
}

async function checkMany(request: CaseRequest, { target, calls }: RequestTools): Promise<readonly string[]> {
  const { expect } = request;
  const results = await askMany(request, target);
  const answers = count(results.map(({ status, service, failure }) => (status === 200 ? String(service) : String(failure ?? status))));
  const addresses = count(results.map(({ addr }) => String(addr)));
  const differences = [
    ...checkShares(expect.split ?? {}, answers, expect.tolerance),
    ...checkShares(expect.addrs ?? {}, addresses, expect.tolerance),
  ];
  const foreign = [...answers.keys()].filter((answer) => expect.split !== undefined && !(answer in expect.split));
  if (foreign.length > 0) differences.push(`answers not expected: ${show(answers)}`);
  if (expect.distinct !== undefined && addresses.size !== expect.distinct) {
    differences.push(`endpoints: want ${expect.distinct}, got ${show(addresses)}`);
  }
  if (expect.calls !== undefined) differences.push(...(await checkCalls(expect.calls, results, calls)));
  return differences;
}

/** One after the other, with the cookies of the one before where that is asked for. */
async function askMany(request: CaseRequest, target: Target): Promise<readonly Result[]> {
  const results: Result[] = [];
  let cookie: string | undefined;
  for (let index = 0; index < (request.count ?? defaultCount); index += 1) {
    const headers = { ...request.headers, ...(cookie !== undefined && { Cookie: cookie }) };
    const result = await ask(request.keep_cookies === true ? { ...request, headers } : request, target);
    const set = header(result.headers, 'set-cookie');
    if (set.length > 0) cookie = set.map((value) => value.split(';')[0]).join('; ');
    results.push(result);
  }
  return results;
}

function checkShares(want: Readonly<Record<string, number>>, tally: ReadonlyMap<string, number>, tolerance = defaultTolerance): string[] {
  const total = [...tally.values()].reduce((sum, value) => sum + value, 0);
  return Object.entries(want).flatMap(([key, share]) => {
    const got = (tally.get(key) ?? 0) / total;
    // All and nothing are exact.
    const allowed = share > 0 && share < 1 ? tolerance : 0;
    return Math.abs(got - share) <= allowed ? [] : [`share of ${key}: want ${share}, got ${got.toFixed(3)} (${show(tally)})`];
  });
}

async function checkCalls(want: Readonly<Record<string, Bounds>>, results: readonly Result[], calls: CallLog): Promise<readonly string[]> {
  const look = (): readonly string[] => {
    const tally = count(results.flatMap(({ test }) => calls.of(test).map(({ service }) => String(service))));
    return Object.entries(want).flatMap(([service, bounds]) =>
      isWithin(bounds, tally.get(service)) ? [] : [`calls of ${service}: want ${JSON.stringify(bounds)}, got ${tally.get(service) ?? 0}`],
    );
  };
  await sleep(mirrorMs / 5);
  if (look().length > 0) await sleep(mirrorMs);
  return look();
}

function isWithin(bounds: Bounds, value = 0): boolean {
  if (typeof bounds === 'number') return value === bounds;
  return value >= (bounds.min ?? 0) && value <= (bounds.max ?? Number.POSITIVE_INFINITY);
}

function count(values: readonly string[]): ReadonlyMap<string, number> {
  const tally = new Map<string, number>();
  for (const value of values) tally.set(value, (tally.get(value) ?? 0) + 1);
  return tally;
}

function show(tally: ReadonlyMap<string, number>): string {
  return JSON.stringify(Object.fromEntries(tally));
}

function checkResult(expect: Expectation, result: Result, differences: Differences): void {
  const { failure, status, service } = result;
  const answer = failure ?? `status ${status} from ${service}`;
  if (expect.fail !== undefined) {
    const fits = failure !== undefined && [expect.fail].flat().some((wanted) => wanted === 'any' || wanted === failure);
    if (!fits) differences.add(`want connection failure ${String(expect.fail)}, got ${answer}`);
    return;
  }
  if (expect.none === true) {
    if (status !== 404 && (failure === undefined || failure === 'timeout')) differences.add(`want not served, got ${answer}`);
    return;
  }
  if (failure !== undefined) {
    differences.add(`connection failed: ${failure} (${result.error})`);
    return;
  }
  if (expect.status !== undefined && ![expect.status].flat().includes(status ?? 0)) {
    differences.add(`status: want ${String(expect.status)}, got ${answer}`);
    return;
  }
  checkAnswer(expect, result, differences);
}

const plainFields = ['service', 'cert', 'alpn', 'tls_version', 'grpc_status', 'second', 'addr'] as const;

function checkAnswer(expect: Expectation, result: Result, differences: Differences): void {
  const values = (name: string): readonly string[] => header(result.headers, name);
  for (const field of plainFields) if (field in expect) differences.value(field, expect[field], result[field]);
  if (expect.location !== undefined) differences.headers('header', { location: expect.location }, values);
  differences.headers('header', expect.headers ?? {}, values);
  checkCookies(expect.cookies ?? {}, values('set-cookie'), differences);
  if (expect.body !== undefined) differences.value('body', expect.body, result.text);
  if (expect.time !== undefined && !isWithin(expect.time, result.seconds)) {
    differences.add(`time: want ${JSON.stringify(expect.time)} s, got ${result.seconds.toFixed(2)}`);
  }
  if (expect.backend !== undefined) checkBackend(expect.backend, result, differences);
}

function checkCookies(want: NonNullable<Expectation['cookies']>, lines: readonly string[], differences: Differences): void {
  const cookies = new Map(lines.map(parseCookie));
  for (const [name, wanted] of Object.entries(want)) {
    const got = cookies.get(name);
    if (wanted === null) differences.value(`cookie ${name}`, null, got);
    else if (got === undefined) differences.add(`cookie ${name}: missing, got ${[...cookies.keys()].join(', ')}`);
    else for (const [key, value] of Object.entries(wanted)) differences.value(`cookie ${name} ${key}`, value, got[key]);
  }
}

/** Attributes by lower-case name; those without a value are true. */
function parseCookie(line: string): readonly [string, Values] {
  const [first = ['', ''], ...attributes] = line.split(';').map((part) => {
    const [key = '', ...value] = part.trim().split('=');
    return [key, value.length === 0 ? true : value.join('=')] as const;
  });
  return [first[0], { value: first[1], ...Object.fromEntries(attributes.map(([key, value]) => [key.toLowerCase(), value])) }];
}

function checkBackend(want: NonNullable<Expectation['backend']>, { json, text }: Result, differences: Differences): void {
  if (json === undefined) {
    differences.add(`backend: no echo in the answer: ${text.slice(0, 120)}`);
    return;
  }
  const tls = isRecord(json['tls']) ? json['tls'] : {};
  for (const key of ['path', 'host', 'method', 'protocol', 'body', 'peer'])
    if (key in want) differences.value(`backend ${key}`, want[key], json[key]);
  for (const key of ['sni', 'alpn', 'client']) if (key in want) differences.value(`backend ${key}`, want[key], tls[key]);
  if ('tls_version' in want)
    differences.value('backend tls_version', want['tls_version'], String(tls['version'] ?? '').replace('TLSv', ''));
  const headers = json['headers'] as Readonly<Record<string, readonly string[] | undefined>>;
  differences.headers('backend header', want.headers ?? {}, (name) => headers[name.toLowerCase()] ?? []);
}
