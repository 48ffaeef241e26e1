import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../..');

/** For each rule, a file that breaks it: what it imports. */
const offences: readonly { rule: string; file: string; imports: string }[] = [
  { rule: 'layer-0-imports-down', file: 'pkg/util/a.ts', imports: `import type { X } from '../dag/model/target.ts';` },
  { rule: 'layer-1-imports-down', file: 'pkg/config/a.ts', imports: `import { x } from '../dag/model/target.ts';` },
  { rule: 'layer-2-imports-down', file: 'pkg/kubernetes-cache/a.ts', imports: `export { x } from '../dag/model/target.ts';` },
  { rule: 'layer-3-imports-down', file: 'pkg/envoy/a.ts', imports: `import { x } from '../server/target.ts';` },
  { rule: 'layer-4-imports-down', file: 'pkg/pipeline/a.ts', imports: `import { x } from '../server/target.ts';` },
  { rule: 'product-needs-no-tests', file: 'pkg/server/a.ts', imports: `import { x } from '../../test/lib/target.ts';` },
  { rule: 'cmd-is-the-top', file: 'pkg/server/b.ts', imports: `import { x } from '../../cmd/isoline/target.ts';` },
  { rule: 'no-cycles', file: 'pkg/server/c.ts', imports: `import type { X } from './d.ts';` },
  { rule: 'core-uses-no-node', file: 'pkg/dag/a.ts', imports: `import { readFileSync } from 'node:fs';` },
  { rule: 'core-does-no-io', file: 'pkg/dag/b.ts', imports: `import { Registry } from 'prom-client';` },
  { rule: 'client-node-has-its-place', file: 'pkg/provider/a.ts', imports: `const k8s = await import('@kubernetes/client-node');` },
  { rule: 'grpc-has-its-place', file: 'pkg/provider/b.ts', imports: `import type { Server } from '@grpc/grpc-js';` },
  { rule: 'x509-has-its-place', file: 'pkg/server/g.ts', imports: `import { X509Certificate } from '@peculiar/x509';` },
  { rule: 'rxjs-has-its-place', file: 'pkg/kubernetes-cache/b.ts', imports: `import { Subject } from 'rxjs';` },
  { rule: 'processors-are-apart', file: 'pkg/dag/processors/ingress/a.ts', imports: `import { x } from '../httpproxy/target.ts';` },
  { rule: 'controller-runtime-is-general', file: 'pkg/controller-runtime/a.ts', imports: `import { x } from '../k8s/target.ts';` },
  { rule: 'no-unresolvable', file: 'pkg/server/e.ts', imports: `import { x } from './nowhere.ts';` },
  { rule: 'ships-with-its-packages', file: 'pkg/server/f.ts', imports: `import fc from 'fast-check';` },
];

/** Files that break no rule, among them what the exceptions are for. */
const innocent: Readonly<Record<string, string>> = {
  'pkg/dag/model/target.ts': '',
  'pkg/server/target.ts': `import { Server } from '@grpc/grpc-js'; import { x } from '../dag/model/target.ts';`,
  'pkg/server/d.ts': `import type { Y } from './c.ts'; import { readFileSync } from 'node:fs';`,
  'pkg/server/certgen.ts': `import { X509Certificate } from '@peculiar/x509';`,
  'pkg/server/using.ts': 'export function f(): void { using lease = take(); }',
  'pkg/k8s/target.ts': '',
  'pkg/dag/processors/httpproxy/target.ts': `import { x } from '../../model/target.ts';`,
  'pkg/dag/a.test.ts': `import { readFileSync } from 'node:fs'; import fc from 'fast-check';`,
  'pkg/kubernetes-cache/changes.ts': `import { Subject } from 'rxjs';`,
  'pkg/controller-runtime/client/client.ts': `import { KubeConfig } from '@kubernetes/client-node';`,
  'test/lib/target.ts': '',
  'cmd/isoline/target.ts': `import { x } from '../../pkg/server/target.ts';`,
};

interface CruiseResult {
  readonly summary: { readonly violations: readonly { readonly rule: { readonly name: string }; readonly from: string }[] };
}

let dir: string;
let violations: readonly string[];

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'isoline-rules-'));
  copyFileSync(join(root, 'package.json'), join(dir, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  const files = { ...innocent, ...Object.fromEntries(offences.map(({ file, imports }) => [file, imports])) };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), `${text}\nexport const x = 1;\n`);
  }
  const depcruise = join(root, 'node_modules/.bin/depcruise');
  const config = join(root, '.dependency-cruiser.cjs');
  const { stdout, stderr } = spawnSync(process.execPath, [depcruise, '--config', config, '--output-type', 'json', 'cmd', 'pkg', 'test'], {
    cwd: dir,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  const result = JSON.parse(stdout) as CruiseResult;
  violations = result.summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`);
});

afterAll(() => rmSync(dir, { recursive: true }));

test.each(offences)('$rule', ({ rule, file }) => {
  expect(violations).toContain(`${rule}: ${file}`);
});

test('what is allowed is not reported', () => {
  const files = Object.keys(innocent).filter((file) => file !== 'pkg/server/d.ts'); // the other end of the cycle
  expect(violations.filter((violation) => files.some((file) => violation.endsWith(`: ${file}`)))).toEqual([]);
});
