import { mkdir, mkdtemp, rename, rm, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../apis/meta.ts';
import { keyOf, objectKey } from '../apis/meta.ts';
import { FileProvider, formatFileProblem } from './file.ts';

let dir: string;
let provider: FileProvider | undefined;
let objects: Map<string, KubeObject>;
let logged: string[];
let applied: number;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'isoline-file-'));
  objects = new Map();
  logged = [];
  applied = 0;
});

afterEach(async () => {
  await provider?.[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

async function start(files: readonly string[] = []): Promise<void> {
  const say = (_: unknown, message: string): void => void logged.push(message);
  provider = new FileProvider({
    dirs: files.length > 0 ? [] : [dir],
    files,
    clock: () => 1_000_000_000_000,
    log: { debug: say, info: say, warn: say, error: say },
    cache: {
      apply: (object) => {
        applied += 1;
        objects.set(keyOf(object), object);
      },
      remove: (kind, namespace, name) => void objects.delete(objectKey(kind, namespace, name)),
    },
  });
  await provider.start();
}

const service = (name: string, port: number | string = 80, extra = ''): string =>
  `apiVersion: v1\nkind: Service\nmetadata:\n  name: ${name}\n${extra}spec:\n  ports:\n  - port: ${port}\n`;

const port = (name: string): unknown =>
  (objects.get(`Service/default/${name}`) as unknown as { spec: { ports: { port: unknown }[] } })?.spec.ports[0]?.port;

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 10));
  if (!condition()) throw new Error(`not reached; logged: ${logged.join('\n')}`);
}

const problems = (): readonly string[] => (provider?.problems() ?? []).map(formatFileProblem).map((line) => line.replaceAll(`${dir}/`, ''));

describe('at start', () => {
  test('objects of all files below the folder are there, with what an API server would add', async () => {
    await mkdir(join(dir, 'sub'));
    await writeFile(join(dir, 'a.yaml'), `${service('a')}---\n${service('b')}`);
    await writeFile(
      join(dir, 'sub', 'c.json'),
      JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'n' }, stringData: { k: 'v' } }),
    );
    await writeFile(join(dir, '.hidden.yaml'), service('hidden'));
    await writeFile(join(dir, 'a.yaml~'), service('backup'));
    await writeFile(join(dir, 'notes.txt'), 'no: [object');
    await start();
    expect([...objects.keys()].sort()).toEqual(['Secret/n/s', 'Service/default/a', 'Service/default/b']);
    expect(objects.get('Service/default/a')?.metadata).toEqual({
      name: 'a',
      namespace: 'default',
      generation: 1,
      creationTimestamp: '2001-09-09T01:46:40Z',
      resourceVersion: expect.any(String),
    });
    expect(objects.get('Secret/n/s')).toMatchObject({ data: { k: 'dg==' } });
    expect(logged).toEqual([]);
  });

  test('what is wrong is told with file, line and field, and the rest is there', async () => {
    await writeFile(join(dir, 'a.yaml'), `${service('good')}---\n${service('bad', 'x')}---\nkind: [\n`);
    await writeFile(
      join(dir, 'b.yaml'),
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n---\napiVersion: v1\nkind: Service\nmetadata: {}\n',
    );
    await start();
    expect([...objects.keys()]).toEqual(['Service/default/good']);
    expect(problems()).toEqual([
      expect.stringMatching(/^a\.yaml:15: Service default\/bad: spec\.ports\[0\]\.port: must be /),
      expect.stringMatching(/^a\.yaml:1[789]: /),
      expect.stringMatching(/^b\.yaml:2: Deployment default\/d: kind: /),
      expect.stringMatching(/^b\.yaml:7: Service default\/: metadata\.name: /),
    ]);
    expect(logged).toHaveLength(4);
  });

  const refused: readonly { name: string; text: string; told: RegExp }[] = [
    {
      name: 'a kind in another version',
      text: 'apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: bad}\n',
      told: /^bad\.yaml:1: Ingress default\/bad: apiVersion: Ingress is read as networking\.k8s\.io\/v1, not as networking/,
    },
    {
      name: 'a field of the wrong type',
      text: 'apiVersion: projectcontour.io/v1\nkind: HTTPProxy\nmetadata: {name: bad}\nspec:\n  routes:\n  - services:\n    - name: web\n      port: eighty\n',
      told: /^bad\.yaml:8: HTTPProxy default\/bad: spec\.routes\[0\]\.services\[0\]\.port: must be/,
    },
    {
      name: 'a rule of ours',
      text: 'apiVersion: projectcontour.io/v1\nkind: HTTPProxy\nmetadata: {name: bad}\nspec:\n  virtualhost:\n    fqdn: a.example.com\n    jwtProviders:\n    - name: p\n',
      told: /^bad\.yaml:8: HTTPProxy default\/bad: spec\.virtualhost\.jwtProviders\[0\].*remoteJWKS/,
    },
    {
      name: 'a rule in CEL',
      text: 'apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: bad}\nspec:\n  rules:\n  - matches:\n    - path:\n        value: no-slash\n',
      told: /^bad\.yaml:7: HTTPRoute default\/bad: spec\.rules\[0\]\.matches\[0\]\.path: .* start with '\/'/,
    },
    {
      name: '2 MiB',
      text: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad}\ndata:\n  ca.crt: ${'x'.repeat(2 * 1024 * 1024)}\n`,
      told: /^bad\.yaml:\d: ConfigMap default\/bad: is 209\d+ bytes long, more than the 1572864 that an object may have$/,
    },
  ];
  test.each(refused)('$name is told with object and field, and the rest is there', async ({ text, told }) => {
    await writeFile(join(dir, 'bad.yaml'), `${text}---\n${service('beside')}`);
    await writeFile(join(dir, 'good.yaml'), service('good'));
    await start();
    expect([...objects.keys()]).toEqual(['Service/default/beside', 'Service/default/good']);
    expect(problems()).toEqual([expect.stringMatching(told)]);
  });

  test('of two files with one object the first by name wins, and the other is told', async () => {
    await writeFile(join(dir, 'b.yaml'), `${service('other')}---\n${service('x', 2)}`);
    await writeFile(join(dir, 'a.yaml'), service('x', 1));
    await start();
    expect(port('x')).toBe(1);
    expect(problems()).toEqual([
      `b.yaml:9: Service default/x: is in ${join(dir, 'a.yaml')} too, and that one is used`.replaceAll(`${dir}/`, ''),
    ]);
    await unlink(join(dir, 'a.yaml'));
    await until(() => port('x') === 2);
    expect(problems()).toEqual([]);
  });

  test('a single file is followed from before it is there', async () => {
    const file = join(dir, 'one.yaml');
    await writeFile(join(dir, 'two.yaml'), service('two'));
    await start([file]);
    expect(problems()).toEqual(['one.yaml: is not there']);
    await writeFile(file, service('one'));
    await until(() => objects.has('Service/default/one'));
    expect([...objects.keys()]).toEqual(['Service/default/one']);
  });
});

describe('an edit', () => {
  const edits: readonly { name: string; edit: (file: string) => Promise<void> }[] = [
    { name: 'in place', edit: (file) => writeFile(file, service('a', 81)) },
    {
      name: 'by an atomic rename',
      edit: async (file) => {
        await writeFile(join(dir, '.tmp-1'), service('a', 81));
        await rename(join(dir, '.tmp-1'), file);
      },
    },
    {
      name: 'by an editor that moves the old file away',
      edit: async (file) => {
        await rename(file, `${file}~`);
        await writeFile(file, service('a', 81));
      },
    },
    {
      name: 'in place, in two writes',
      edit: async (file) => {
        await truncate(file, 0);
        await writeFile(file, service('a', 81).slice(0, 20));
        await writeFile(file, service('a', 81));
      },
    },
  ];
  test.each(edits)('$name is followed, and the object is never gone', async ({ edit }) => {
    const file = join(dir, 'a.yaml');
    await writeFile(file, service('a'));
    await start();
    const removed: string[] = [];
    const remove = objects.delete.bind(objects);
    objects.delete = (key) => {
      removed.push(key);
      return remove(key);
    };
    await edit(file);
    await until(() => port('a') === 81);
    expect(objects.get('Service/default/a')?.metadata.generation).toBe(2);
    expect(removed).toEqual([]);
  });

  test('of metadata alone leaves the generation', async () => {
    const file = join(dir, 'a.yaml');
    await writeFile(file, service('a'));
    await start();
    await writeFile(file, service('a', 80, '  labels: {x: y}\n'));
    await until(() => objects.get('Service/default/a')?.metadata.labels?.['x'] === 'y');
    expect(objects.get('Service/default/a')?.metadata.generation).toBe(1);
  });

  test('that the schema refuses keeps the last good object', async () => {
    const file = join(dir, 'a.yaml');
    await writeFile(file, service('a'));
    await start();
    await writeFile(file, `${service('a', 'x')}---\n${service('b')}`);
    await until(() => objects.has('Service/default/b'));
    expect(port('a')).toBe(80);
    expect(problems()).toEqual([expect.stringMatching(/^a\.yaml:7: Service default\/a: spec\.ports\[0\]\.port: must be /)]);
    await writeFile(file, `${service('a', 82)}---\n${service('b')}`);
    await until(() => port('a') === 82);
    expect(logged.at(-1)).toBe('all files are good again');
  });

  test('that breaks the file keeps its objects', async () => {
    const file = join(dir, 'a.yaml');
    await writeFile(file, `${service('a')}---\n${service('b')}`);
    await start();
    await writeFile(file, `${service('a', 81)}---\nkind: Service\n  broken: [`);
    await until(() => port('a') === 81);
    expect(port('b')).toBe(80);
    expect(logged[0]).toMatch(/a\.yaml:\d+: /);
  });

  test('a touch is no change', async () => {
    await writeFile(join(dir, 'a.yaml'), service('a'));
    await start();
    await writeFile(join(dir, 'a.yaml'), service('a'));
    await writeFile(join(dir, 'b.yaml'), service('b'));
    await until(() => objects.has('Service/default/b'));
    expect(applied).toBe(2);
  });

  test('a file that goes takes its objects with it', async () => {
    await mkdir(join(dir, 'sub'));
    await writeFile(join(dir, 'sub', 'a.yaml'), service('a'));
    await start();
    await rm(join(dir, 'sub'), { recursive: true });
    await until(() => objects.size === 0);
    await mkdir(join(dir, 'sub'));
    await writeFile(join(dir, 'sub', 'a.yaml'), service('a'));
    await until(() => objects.size === 1);
  });

  test('a mounted ConfigMap is followed when its link is swapped', async () => {
    for (const [version, wanted] of [
      ['..1', 80],
      ['..2', 81],
    ] as const) {
      await mkdir(join(dir, version));
      await writeFile(join(dir, version, 'a.yaml'), service('a', wanted));
    }
    await symlink('..1', join(dir, '..data'));
    await symlink('..data/a.yaml', join(dir, 'a.yaml'));
    await start();
    expect(port('a')).toBe(80);
    await symlink('..2', join(dir, '..data_tmp'));
    await rename(join(dir, '..data_tmp'), join(dir, '..data'));
    await until(() => port('a') === 81);
  });
});

describe('static addresses of a Service', () => {
  test('become EndpointSlices of each family', async () => {
    await writeFile(join(dir, 'a.yaml'), service('a', 80, '  annotations: {isoline.io/addresses: "127.0.0.1, 127.0.0.2, ::1"}\n'));
    await start();
    expect([...objects.keys()].sort()).toEqual([
      'EndpointSlice/default/a-addresses-ipv4',
      'EndpointSlice/default/a-addresses-ipv6',
      'Service/default/a',
    ]);
    expect(objects.get('EndpointSlice/default/a-addresses-ipv4')).toMatchObject({
      addressType: 'IPv4',
      metadata: { labels: { 'kubernetes.io/service-name': 'a' } },
      endpoints: [{ addresses: ['127.0.0.1'] }, { addresses: ['127.0.0.2'] }],
      ports: [{ port: 80, protocol: 'TCP' }],
    });
    await writeFile(join(dir, 'a.yaml'), service('a'));
    await until(() => objects.size === 1);
  });

  test('that are wrong are told, and the Service is there', async () => {
    await writeFile(join(dir, 'a.yaml'), service('a', 80, '  annotations:\n    isoline.io/addresses: localhost\n'));
    await start();
    expect([...objects.keys()]).toEqual(['Service/default/a']);
    expect(problems()).toEqual([
      'a.yaml:6: Service default/a: metadata.annotations[isoline.io/addresses]: "localhost" is not an IP address',
    ]);
  });
});
