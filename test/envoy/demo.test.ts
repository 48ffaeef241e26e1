import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Demo, startDemo } from '../../hack/lib/demo.ts';
import { freePort } from '../lib/envoy-process.ts';
import { eventually } from '../lib/eventually.ts';
import { get } from '../lib/http-client.ts';

const samples = new URL('../../config/samples/demo/', import.meta.url);
const lines: string[] = [];
let dir: string;
let httpPort: number;
let demo: Demo | undefined;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'isoline-demo-test-'));
  await cp(samples, dir, { recursive: true });
  const [http, https, xds, metrics, debug, stats, blue, green] = await Promise.all(Array.from({ length: 8 }, freePort));
  // The backends of the samples have fixed ports, which may be taken here.
  await edit('services.yaml', (text) => text.replace('18081', String(blue)).replace('18082', String(green)));
  httpPort = http!;
  demo = await startDemo({
    dir,
    httpPort,
    httpsPort: https!,
    xdsPort: xds!,
    metricsPort: metrics!,
    debugPort: debug!,
    statsPort: stats!,
    backends: { blue: blue!, green: green! },
    onLine: (program, line) => void lines.push(`${program} ${line}`),
  });
}, 60_000);

afterAll(async () => {
  await demo?.[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const path = join(dir, file);
  const text = await readFile(path, 'utf8');
  await writeFile(`${path}.new`, change(text));
  await rename(`${path}.new`, path);
}

async function backendOf(host: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const { status, headers: answered } = await get({ port: httpPort, host, path, headers });
  return status === 200 ? String(answered['x-backend']) : String(status);
}

test('the routes of the samples answer', async () => {
  expect(await backendOf('demo.localhost', '/')).toBe('blue');
  expect(await backendOf('demo.localhost', '/', { 'x-color': 'green' })).toBe('green');
  expect(await backendOf('ingress.localhost', '/green/x')).toBe('green');
  expect(await backendOf('ingress.localhost', '/')).toBe('blue');
  expect(await backendOf('other.localhost', '/')).toBe('404');
});

test('an edit is followed', async () => {
  await edit('httpproxy.yaml', (text) =>
    text.replace('- prefix: /\n    services:\n    - name: blue', '- prefix: /\n    services:\n    - name: green'),
  );
  await eventually('green', async () => (await backendOf('demo.localhost', '/')) === 'green');
  await edit('httpproxy.yaml', (text) =>
    text.replace('- prefix: /\n    services:\n    - name: green', '- prefix: /\n    services:\n    - name: blue'),
  );
  await eventually('blue', async () => (await backendOf('demo.localhost', '/')) === 'blue');
});

const mistakes: readonly { readonly name: string; readonly good: string; readonly bad: string; readonly field: string }[] = [
  { name: 'YAML that cannot be read', good: 'fqdn: demo.localhost', bad: 'fqdn: demo.localhost: x', field: '' },
  { name: 'a value that the schema refuses', good: 'port: 80', bad: 'port: eighty', field: 'spec.routes[0].services[0].port' },
];
test.each(mistakes)('$name is told with file and line while the last good version goes on', async ({ good, bad, field }) => {
  const before = await readFile(join(dir, 'httpproxy.yaml'), 'utf8');
  const line = before.slice(0, before.indexOf(good)).split('\n').length;
  const seen = lines.length;
  await edit('httpproxy.yaml', (text) => text.replace(good, bad));
  await eventually('the complaint', () =>
    lines.slice(seen).some((text) => text.includes(`httpproxy.yaml:${line}: `) && text.includes(field)),
  );
  expect(await backendOf('demo.localhost', '/')).toBe('blue');
  expect(await backendOf('demo.localhost', '/', { 'x-color': 'green' })).toBe('green');

  await edit('httpproxy.yaml', () => before.replace('prefix: /split', 'prefix: /again'));
  await eventually('the files to be good again', () => lines.slice(seen).some((text) => text.includes('all files are good again')));
  expect(await backendOf('demo.localhost', '/')).toBe('blue');
});

test('no request fails while files change', async () => {
  const answers = new Map<string, number>();
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const answer = await backendOf('demo.localhost', '/');
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
  })();
  for (const name of ['green', 'blue', 'green', 'blue']) {
    await edit('httpproxy.yaml', (text) => text.replace(/(- prefix: \/\n {4}services:\n {4}- name: )\w+/, `$1${name}`));
    await eventually(name, async () => (await backendOf('demo.localhost', '/')) === name);
  }
  isOver = true;
  await asking;
  expect([...answers.keys()].sort()).toEqual(['blue', 'green']);
});

test('Envoy refuses nothing', () => {
  expect(lines.filter((line) => /refused|rejected/i.test(line))).toEqual([]);
});
