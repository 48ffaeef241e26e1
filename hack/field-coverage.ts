/**
 * Checks that every field of an HTTPProxy's spec stands in a golden case and in a behaviour case, so that a new field cannot come without
 * tests.
 *
 * Usage: node hack/field-coverage.ts [--list]     `--list` prints for each field a case of both kinds
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { httpProxyResource } from '../pkg/apis/projectcontour/v1/httpproxy.ts';
import { readCases } from '../test/behaviour/lib/case.ts';
import { fieldsOf, leafFields } from './lib/field-coverage.ts';

const testdata = join(import.meta.dirname, '../pkg/pipeline/testdata');

/** The first case of each field. */
type Coverage = ReadonlyMap<string, string>;

function coverage(objects: Iterable<readonly [name: string, object: unknown]>): Coverage {
  const covered = new Map<string, string>();
  for (const [name, object] of objects) {
    const { kind, spec } = (object ?? {}) as { readonly kind?: unknown; readonly spec?: unknown };
    if (kind !== httpProxyResource.kind) continue;
    for (const field of fieldsOf(spec)) if (!covered.has(field)) covered.set(field, name);
  }
  return covered;
}

function* goldenObjects(): Generator<readonly [string, unknown]> {
  for (const file of readdirSync(testdata, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!file.endsWith('.in.yaml')) continue;
    const documents = parseAllDocuments(readFileSync(join(testdata, file), 'utf8'));
    if (Array.isArray(documents)) for (const document of documents) yield [file.replace('.in.yaml', ''), document.toJS()];
  }
}

function* behaviourObjects(): Generator<readonly [string, unknown]> {
  for (const { id, steps } of readCases()) {
    for (const { apply = [] } of steps) for (const object of apply) yield [id, object];
  }
}

const spec = httpProxyResource.schema.openapi.properties?.['spec'];
if (spec === undefined) throw new Error('the schema of HTTPProxy has no spec');
const golden = coverage(goldenObjects());
const behaviour = coverage(behaviourObjects());
const fields = leafFields(spec);
const missing = (covered: Coverage): readonly string[] => fields.filter((field) => !covered.has(field));

if (process.argv.includes('--list')) {
  for (const field of fields) console.log(`${field}\t${golden.get(field) ?? '-'}\t${behaviour.get(field) ?? '-'}`);
}
for (const [kind, covered] of [['golden', golden] as const, ['behaviour', behaviour] as const]) {
  for (const field of missing(covered)) console.error(`no ${kind} case has the field spec.${field}`);
}
const count = missing(golden).length + missing(behaviour).length;
if (count > 0) process.exitCode = 1;
else console.log(`${fields.length} fields, each in a golden and in a behaviour case`);
