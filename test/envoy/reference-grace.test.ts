import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ControlPlane } from '../lib/control-plane.ts';
import { EchoBackend } from '../lib/echo-backend.ts';
import { get } from '../lib/http-client.ts';
import { endpointSlice, httpProxy, manifest, service } from '../lib/manifests.ts';

const names = ['one', 'two'] as const;
const app = (name: string): string =>
  httpProxy('app', `{virtualhost: {fqdn: app.example.com}, routes: [{services: [{name: ${name}, port: 80}]}]}`);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let plane: ControlPlane;
let backends: readonly EchoBackend[];

beforeAll(async () => {
  backends = await Promise.all(names.map((name) => EchoBackend.start(name)));
  const values = Object.fromEntries(backends.map(({ name, port }) => [name, port]));
  const first = manifest('v1', 'Namespace', '/demo', '') + service('one') + endpointSlice('one', 'one') + app('one');
  plane = await ControlPlane.start({ values, referenceGraceMs: 5_000 }, first);
  await plane.startEnvoy();
}, 60_000);

afterAll(async () => {
  await plane[Symbol.asyncDispose]();
  for (const backend of backends) await backend[Symbol.asyncDispose]();
});

/** Sends requests one after another, four at a time, while something is done. Gives who answered them, each once, and what failed. */
async function answersDuring(work: () => Promise<void>): Promise<readonly string[]> {
  const answers = new Set<string>();
  let going = true;
  const ask = async (): Promise<void> => {
    while (going) {
      const answer = await get({ port: plane.ports.http, host: 'app.example.com' }).catch((error: unknown) => String(error));
      answers.add(typeof answer !== 'string' && answer.status === 200 ? (answer.json()['service'] ?? '') : JSON.stringify(answer));
    }
  };
  const asking = Promise.all(Array.from({ length: 4 }, ask));
  await work();
  going = false;
  await asking;
  return [...answers].sort();
}

test('no request fails while routes are switched to a Service that comes later, and whose endpoints come later still', async () => {
  const answers = await answersDuring(async () => {
    let last = 'one';
    for (const next of ['two', 'one', 'two', 'one']) {
      await plane.apply(app(next));
      await pause(50);
      await plane.apply(service(next));
      await pause(100);
      await plane.apply(endpointSlice(next, next));
      await pause(100);
      await plane.remove(`Service demo/${last}`, `EndpointSlice demo/${last}-1`);
      last = next;
    }
  });
  expect(answers).toEqual([...names]);
}, 60_000);

test('no request fails while a Service is deleted with its endpoints and made anew', async () => {
  const answers = await answersDuring(async () => {
    for (let round = 1; round <= 3; round++) {
      await plane.remove('Service demo/one');
      await plane.remove(`EndpointSlice demo/one-${round}`);
      await pause(50);
      await plane.apply(service('one'));
      await pause(100);
      await plane.apply(endpointSlice('one', 'one', { name: `one-${round + 1}` }));
      await pause(50);
    }
  });
  expect(answers).toEqual(['one']);
}, 60_000);
