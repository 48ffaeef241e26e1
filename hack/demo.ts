/**
 * `make demo`: Isoline in file mode over config/samples/demo with a real Envoy and two small backends. Runs until Ctrl-C.
 *
 * Usage: node hack/demo.ts [--dir DIR] [--http-port PORT]
 */
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { startDemo } from './lib/demo.ts';

const root = dirname(import.meta.dirname);

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { dir: { type: 'string', default: join(root, 'config/samples/demo') }, 'http-port': { type: 'string', default: '8080' } },
  });
  const stopped = new Promise<undefined>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => resolve(undefined));
  });
  const port = Number(values['http-port']);
  console.log('Starting Isoline, Envoy and two backends …');
  const demo = await startDemo({
    dir: values.dir,
    httpPort: port,
    httpsPort: 8443,
    xdsPort: 8001,
    metricsPort: 8000,
    debugPort: 6060,
    statsPort: 8002,
    backends: { blue: 18_081, green: 18_082 },
    onLine: (program, line) => console.log(`${program.padEnd(7)} | ${line}`),
  });
  console.log(`${howTo(relative(process.cwd(), values.dir) || '.', port)}\n`);
  const why = await Promise.race([demo.broken, stopped]);
  if (why === undefined) console.log('\nStopping …');
  else console.error(`\n${why}; stopping the rest.`);
  await demo[Symbol.asyncDispose]();
  return why === undefined ? 0 : 1;
}

function howTo(dir: string, port: number): string {
  const at = (host: string, path: string): string => `curl http://${host}:${port}${path}`;
  return [
    '',
    'Ready. In another terminal, try:',
    '',
    `  ${at('demo.localhost', '/')}                        # blue`,
    `  ${at('demo.localhost', '/')} -H 'x-color: green'    # green, by a header`,
    `  ${at('demo.localhost', '/split')}                   # nine times of ten blue`,
    `  ${at('ingress.localhost', '/green')}                # by an Ingress`,
    `  curl 'http://127.0.0.1:6060/debug/dag?format=yaml'    # what Isoline made of the files`,
    '',
    `Then edit a file in ${dir}, save it and curl again. A mistake is told here with file and line, and what`,
    'was good before stays in service. Ctrl-C stops everything.',
  ].join('\n');
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? `demo: ${error.message}` : error);
  return 1;
});
