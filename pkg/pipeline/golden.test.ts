import { describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { expectGolden, goldenCases, staleGoldens } from '../../test/lib/golden.ts';
import { buildCase, placeholders } from '../../test/lib/golden-case.ts';
import { printableDag, printableSnapshot, printableStatuses } from './print.ts';

const dir = new URL('./testdata/', import.meta.url);
const cases = goldenCases(dir);
const print = (value: unknown): string => stringify(value, { lineWidth: 140, aliasDuplicateObjects: false });

type Printed = ReturnType<typeof printableSnapshot>;

/** The listeners and the runtime that every Envoy gets are shown by one case alone. */
function resourcesOf(name: string, printed: Printed): Printed {
  if (name === 'httpproxy/basic') return printed;
  const shown = Object.entries(printed).map(([type, resources]) => {
    const own = resources.filter(
      (resource) => type !== 'runtime' && !(type === 'listener' && fixedListeners.test(String(resource['name']))),
    );
    return [type, own] as const;
  });
  return Object.fromEntries(shown.filter(([, own]) => own.length > 0));
}

const fixedListeners = /^(envoy-admin|stats|health|stats-health)$/;

describe('golden', () => {
  test.each(cases)('%s', async (name) => {
    const { pipeline } = await buildCase(new URL(`${name}.in.yaml`, dir), placeholders);
    expectGolden(new URL(`${name}.dag.yaml`, dir), print(printableDag(pipeline.dag)));
    expectGolden(new URL(`${name}.xds.yaml`, dir), print(resourcesOf(name, printableSnapshot(pipeline.snapshot))));
    expectGolden(new URL(`${name}.status.yaml`, dir), print(printableStatuses(pipeline.statuses())));
  });

  test('there are cases, and no golden without one', () => {
    expect(cases.length).toBeGreaterThan(20);
    expect(staleGoldens(dir, ['.dag.yaml', '.xds.yaml', '.status.yaml'])).toEqual([]);
  });
});
