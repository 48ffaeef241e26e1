import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { FakeClock, settle } from '../controller-runtime/clock/fake-clock.ts';
import type { WantedStatus } from '../status/wanted.ts';
import { ProgrammedGate } from './programmed-gate.ts';

let clock: FakeClock;
let isLive: boolean;
let passed: WantedStatus[];
let gate: ProgrammedGate;
let stop: AbortController;
let run: Promise<void>;

beforeEach(() => {
  [clock, isLive, passed, stop] = [new FakeClock(), false, [], new AbortController()];
  gate = new ProgrammedGate({ isLive: () => isLive, pass: (statuses) => passed.push(...statuses), clock, patienceMs: 1_000 });
  run = gate.run(stop.signal);
});

afterEach(async () => {
  stop.abort();
  await run;
});

const programmed = { type: 'Programmed', status: 'True', reason: 'Programmed', message: '', observedGeneration: 1 };
const gateway = (generation = 1): WantedStatus => ({
  object: { kind: 'Gateway', namespace: 'ns', name: 'gw' },
  generation,
  status: { conditions: [programmed], listeners: [{ name: 'l', attachedRoutes: 0, conditions: [programmed] }] },
});
const late = {
  conditions: [{ status: 'False', reason: 'Pending' }],
  listeners: [{ attachedRoutes: 0, conditions: [{ status: 'False' }] }],
};

test('passes at once what is live, and what is no Gateway', () => {
  const route = { ...gateway(), object: { kind: 'HTTPRoute', namespace: 'ns', name: 'r' } };
  expect(gate.take([route, gateway()])).toEqual([route]);
  isLive = true;
  expect(gate.take([gateway()])).toEqual([gateway()]);
});

test('waits for the proxies, and writes once', async () => {
  expect(gate.take([gateway()])).toEqual([]);
  gate.look();
  expect(passed).toEqual([]);
  isLive = true;
  gate.look();
  await clock.advance(5_000);
  expect(passed).toEqual([gateway()]);
});

test('says Pending of proxies that are late, until they have it', async () => {
  gate.take([gateway()]);
  await settle();
  await clock.advance(1_000);
  expect(passed).toMatchObject([{ status: late }]);
  await clock.advance(5_000);
  isLive = true;
  gate.look();
  expect(passed.slice(1)).toEqual([gateway()]);
});

test('the newest status counts, and one whose Gateway is gone none', async () => {
  gate.take([gateway(1)]);
  gate.take([gateway(2)]);
  isLive = true;
  gate.look();
  expect(passed).toEqual([gateway(2)]);
  isLive = false;
  gate.take([gateway(3)]);
  gate.forget([gateway().object]);
  await clock.advance(5_000);
  expect(passed).toHaveLength(1);
});
