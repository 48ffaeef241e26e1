import { describe, expect, test } from '@jest/globals';
import { fieldSteps, parseManifest } from './manifest.ts';

const names = (text: string) => parseManifest(text).objects.map(({ object }) => object['kind']);

describe('parseManifest', () => {
  const files: readonly { name: string; text: string; kinds: readonly string[] }[] = [
    { name: 'nothing', text: '', kinds: [] },
    { name: 'comments and empty documents', text: '# hi\n---\n---\n# there\n', kinds: [] },
    { name: 'many documents', text: 'kind: A\n---\nkind: B\n', kinds: ['A', 'B'] },
    { name: 'a list', text: 'kind: List\nitems:\n- kind: A\n- kind: B\n', kinds: ['A', 'B'] },
    { name: 'a typed list', text: 'kind: ServiceList\nitems: [{kind: A}]\n', kinds: ['A'] },
    { name: 'JSON', text: '{"kind": "A"}', kinds: ['A'] },
    { name: 'JSON list', text: '{"kind": "List", "items": [{"kind": "A"}, {"kind": "B"}]}', kinds: ['A', 'B'] },
    { name: 'many JSON documents', text: '{"kind": "A"}\n---\n{"kind": "B"}\n', kinds: ['A', 'B'] },
    { name: 'merge keys', text: 'base: &b {kind: B}\n<<: *b\n', kinds: ['B'] },
  ];
  test.each(files)('$name', ({ text, kinds }) => {
    expect(names(text)).toEqual(kinds);
    expect(parseManifest(text).problems).toEqual([]);
  });

  test('a broken document is told with its line and hides no other', () => {
    const manifest = parseManifest('kind: A\n---\nkind: B\n  x: [\n---\nkind: C\n');
    expect(manifest.objects.map(({ object }) => object['kind'])).toEqual(['A', 'C']);
    expect(manifest.problems).toHaveLength(1);
    expect(manifest.problems[0]!.line).toBeGreaterThanOrEqual(3);
    expect(manifest.problems[0]!.line).toBeLessThanOrEqual(5);
  });

  test('a key that is there twice is a problem', () => {
    expect(parseManifest('kind: A\nkind: B\n').problems).toEqual([{ line: 2, message: expect.stringContaining('unique') }]);
  });

  test('what is no map is a problem', () => {
    expect(parseManifest('kind: A\n---\njust text\n').problems).toEqual([
      { line: 3, message: expect.stringContaining('is not an object') },
    ]);
    expect(parseManifest('kind: List\nitems:\n- 3\n').problems).toEqual([{ line: 3, message: 'items[0] is not an object' }]);
  });

  test('aliases that multiply are a problem, not a hang', () => {
    const levels = Array.from({ length: 30 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(10)}]`);
    const { objects, problems } = parseManifest(`l0: &l0 x\n${levels.join('\n')}\n`);
    expect(objects).toEqual([]);
    expect(problems).toHaveLength(1);
  });
});

describe('lines', () => {
  const text = 'kind: A\n---\nkind: B\nmetadata:\n  annotations:\n    a.b/c: d\nspec:\n  routes:\n  - x: 1\n  - y: 2\n    z: 3\n';
  const cases: readonly { field: string; line: number }[] = [
    { field: '', line: 3 },
    { field: 'kind', line: 3 },
    { field: 'metadata.annotations[a.b/c]', line: 6 },
    { field: 'metadata.annotations["a.b/c"]', line: 6 },
    { field: 'spec.routes[1]', line: 10 },
    { field: 'spec.routes[1].z', line: 11 },
    { field: 'spec.routes[1].missing.deeper', line: 10 },
    { field: 'spec.routes[7]', line: 8 },
  ];
  test.each(cases)('$field is at line $line', ({ field, line }) => {
    expect(parseManifest(text).objects[1]!.lineOf(field)).toBe(line);
  });

  test('in a list and in JSON', () => {
    expect(parseManifest('kind: List\nitems:\n- kind: A\n  spec:\n    x: 1\n').objects[0]!.lineOf('spec.x')).toBe(5);
    expect(parseManifest('{\n"kind": "A",\n"spec": {\n"x": 1}}').objects[0]!.lineOf('spec.x')).toBe(4);
  });

  test('steps of a field path', () => {
    expect(fieldSteps('a.b[0].c[some.key].d')).toEqual(['a', 'b', 0, 'c', 'some.key', 'd']);
  });
});
