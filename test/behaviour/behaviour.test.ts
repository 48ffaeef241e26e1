/**
 * Objects in, requests through a real Envoy and statuses out, case by case. Cases with the same configuration share one start of the
 * controller. `CASES=tls/` runs those whose names begin so.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Case, expandObjects, readCases } from './lib/case.ts';
import { Rig } from './lib/rig.ts';
import { CaseObjects, runCase } from './lib/run-case.ts';

const caseLimitMs = 120_000;
let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start();
}, 120_000);
afterAll(() => rig?.[Symbol.asyncDispose]());

for (const [first, ...others] of groups(readCases().filter(({ id }) => id.startsWith(process.env['CASES'] ?? '')))) {
  if (first === undefined) continue;
  const { config, flags, bare, before, namespace } = first;
  describe(`config ${JSON.stringify(config)} flags ${JSON.stringify(flags)}${bare ? ' bare' : ''}`, () => {
    let objects: CaseObjects;

    beforeAll(async () => {
      objects = new CaseObjects(rig);
      for (const object of expandObjects(rig.fill(before), namespace)) await objects.put(object);
      await rig.serve(first);
    }, 60_000);
    afterAll(() => objects.clear());

    test.each([first, ...others])(
      '$id: $description',
      async (tested) => {
        // One that ended takes no other case along.
        if (rig.ended().length > 0) await rig.serve(first);
        expect(await runCase(rig, tested)).toEqual([]);
      },
      caseLimitMs,
    );
  });
}

function groups(cases: readonly Case[]): readonly (readonly Case[])[] {
  return [...Map.groupBy(cases, ({ group }) => group).values()];
}
