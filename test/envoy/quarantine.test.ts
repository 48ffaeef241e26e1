import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Route } from '../../pkg/dag/model/route.ts';
import type { VirtualHost } from '../../pkg/dag/model/virtual-host.ts';
import { cluster, listener, route, secretNode, virtualHost } from '../lib/dag.ts';
import { eventually } from '../lib/eventually.ts';
import { get } from '../lib/http-client.ts';
import { explicitCurve, withoutSignature } from '../lib/odd-certificates.ts';
import { ServedDag } from '../lib/served-dag.ts';

/** What Envoy 1.40 refuses, put into the DAG past the checks of objects, of which each kind has one by now. */
let served: ServedDag;

beforeEach(async () => {
  served = await ServedDag.start(undefined, { quarantined: true });
  await served.backend('web');
  served.change({ listeners: [listener('http', { port: served.ports.http }), listener('https', { port: served.ports.https })] });
  await served.changed({ hosts: [wildcard('good'), wildcard('victim')] });
  await served.startEnvoy();
});

afterEach(() => served[Symbol.asyncDispose]());

/** All wildcards are in one table of routes. */
function wildcard(name: string, fields: Partial<Route> = {}): VirtualHost {
  return virtualHost('http', `*.${name}.test`, { routes: [route('/', fields)] });
}

const header = (name: string, value: string): Partial<Route> => ({ requestHeaders: { set: [{ name, value }], add: [], remove: [] } });
const rewrite = (replacement: string): Partial<Route> => ({
  action: { type: 'forward', clusters: [{ cluster: cluster(), weight: 1 }], forward: { pathRewrite: { type: 'prefix', replacement } } },
});
const refused = () => (served.quarantine?.entries ?? []).map(({ host, served: instead }) => `${host}: ${instead}`);
const status = async (name: string) => (await get({ port: served.ports.http, host: `a.${name}.test` })).status;

const badRoutes: Readonly<Record<string, Partial<Route>>> = {
  'a header of more than 16 KiB': header('X-Long', 'a'.repeat(16_385)),
  'a header name of more than 16 KiB': header(`X-${'a'.repeat(16_384)}`, 'v'),
  'a length in a variable that is no number of 32 bits': header('X-Cut', '%REQ(a):99999999999999999999%'),
  'NUL in a path to write': rewrite('/a\u0000b'),
  'a line break in a path to write': rewrite('/a\r\nb'),
  'a variable that there is not': header('X-Odd', '%NO_SUCH_THING%'),
};

describe.each(Object.entries(badRoutes))('%s', (_, bad) => {
  test('keeps the host at its last good version while its neighbours move', async () => {
    served.change({ hosts: [wildcard('victim', bad), wildcard('good', header('X-New', 'yes')), wildcard('fresh')] });
    await eventually('the refusal to be pinned down', () => refused().length > 0);
    await eventually('the other hosts to be served', async () => (await status('fresh')) === 200);
    expect(refused()).toEqual(['http/*.victim.test: last good']);
    expect(await status('victim')).toBe(200);
    expect((await get({ port: served.ports.http, host: 'a.good.test' })).body).toContain('"x-new":"yes"');
  });

  test('answers 503 where there was no good version', async () => {
    served.change({ hosts: [wildcard('new', bad), wildcard('fresh')] });
    await eventually('the refusal to be pinned down', () => refused().length > 0);
    await eventually('the other hosts to be served', async () => (await status('fresh')) === 200);
    expect(refused()).toEqual(['http/*.new.test: stand-in']);
    expect(await status('new')).toBe(503);
  });
});

test.each([
  ['explicit parameters of its curve', explicitCurve],
  ['no right to sign', withoutSignature],
])('a certificate with %s leaves its host out and the listener whole', async (_, { certificate, privateKey }) => {
  const secret = secretNode('odd', { certificate, privateKey });
  const odd = virtualHost('https', 'odd.test', { tls: { type: 'terminate', secrets: [secret], minVersion: '1.2', maxVersion: '1.3' } });
  served.change({ hosts: [odd, wildcard('fresh')] });
  await eventually('the refusal to be pinned down', () => refused().length > 0);
  expect(refused()).toEqual(['https/odd.test: nothing']);
  await eventually('the other hosts to be served', async () => (await status('fresh')) === 200);
});
