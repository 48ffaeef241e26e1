import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Config } from '../../pkg/config/config.ts';
import { secretInspector } from '../../pkg/provider/secret-inspector.ts';
import { XdsServer } from '../../pkg/server/xds-server.ts';
import { silentLogger } from '../../pkg/util/logger.ts';
import { type Resource, type SnapshotView, type TypeUrl, typeUrls } from '../../pkg/xdscache/resource.ts';
import { Snapshot } from '../../pkg/xdscache/snapshot.ts';
import { selfSigned } from '../lib/certificates.ts';
import { EnvoyProcess, freePort } from '../lib/envoy-process.ts';
import { eventually } from '../lib/eventually.ts';
import { goldenCases } from '../lib/golden.ts';
import { buildCase, type KeyMaterial } from '../lib/golden-case.ts';

/** One real Envoy is given the resources of every golden case in turn, and must take them all. */
const dir = new URL('../../pkg/pipeline/testdata/', import.meta.url);
const { certificate, privateKey } = await selfSigned();
const material: KeyMaterial = { certificate, key: privateKey, secrets: secretInspector() };

const snapshot = new Snapshot();
const server = new XdsServer({ host: '127.0.0.1', port: 0, tls: 'insecure', snapshot, logger: silentLogger });
let envoy: EnvoyProcess;
let local: (config: Config) => Config;

/** Replaces all that is served by the resources of another snapshot. */
function serve(other: SnapshotView): void {
  const types = Object.values(typeUrls).map((type) => [type, changes(type, other)] as const);
  snapshot.apply(new Map(types));
}

function changes(type: TypeUrl, other: SnapshotView): ReadonlyMap<string, Resource | undefined> {
  const gone = [...snapshot.all(type).keys()].filter((name) => other.get(type, name) === undefined);
  return new Map<string, Resource | undefined>([...gone.map((name) => [name, undefined] as const), ...other.all(type)]);
}

const answered = (): boolean => server.connections().every(({ types }) => [...types.values()].every(({ pending }) => !pending));
const refused = () => server.connections().flatMap(({ types }) => [...types.values()].flatMap((type) => [...type.refused]));

beforeAll(async () => {
  const [http, https, stats, admin] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  local = (config) => ({
    ...config,
    adminPort: admin,
    stats: { address: '127.0.0.1', port: stats },
    health: { address: '127.0.0.1', port: stats },
    // Ports of a Gateway's listeners are its own, so these are on an address that no other test uses.
    listener: {
      ...config.listener,
      http: { address: '127.0.71.1', port: http, accessLog: '/dev/null' },
      https: { address: '127.0.71.1', port: https, accessLog: '/dev/null' },
    },
  });
  await server.start();
  envoy = await EnvoyProcess.start({ xdsPort: server.address.port });
});

afterAll(async () => {
  await envoy[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

describe('a real Envoy takes the resources of', () => {
  test.each(goldenCases(dir))('%s', async (name) => {
    const { pipeline } = await buildCase(new URL(`${name}.in.yaml`, dir), material, local);
    serve(pipeline.snapshot);

    await envoy.ready();
    await eventually('every response to be answered', answered);
    expect(refused()).toEqual([]);
    const listeners = [...pipeline.snapshot.all(typeUrls.listener).keys()].sort();
    await eventually(`envoy to listen as ${name} says`, async () => {
      const { body } = await envoy.admin('/listeners?format=json');
      const { listener_statuses: statuses = [] } = JSON.parse(body) as { listener_statuses?: readonly { name: string }[] };
      return (
        statuses
          .map((status) => status.name)
          .sort()
          .join() === listeners.join()
      );
    });
    expect(refused()).toEqual([]);
    const rejections = [...(await envoy.stats('update_rejected'))].filter(([, count]) => count > 0);
    expect(rejections).toEqual([]);
  });
});
