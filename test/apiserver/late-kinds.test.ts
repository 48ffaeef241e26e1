import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { parseAllDocuments, stringify } from 'yaml';
import { gatewayApiCrdDir } from '../../hack/lib/binaries.ts';
import type { TestEnvironment } from '../../pkg/controller-runtime/envtest/environment.ts';
import { KubernetesProvider } from '../../pkg/provider/kubernetes.ts';
import { silentLogger } from '../../pkg/util/logger.ts';
import { startApiServer } from '../lib/api-server.ts';
import { eventually } from '../lib/eventually.ts';
import { startFaultProxy } from '../lib/fault-proxy.ts';
import { fastClock, plainClient } from '../lib/kubernetes.ts';

interface Definition {
  readonly spec: { readonly names?: { readonly kind: string }; readonly versions: readonly { readonly name: string }[] };
}

let environment: TestEnvironment;
let stop: AbortController;
let run: Promise<void> | undefined;

beforeAll(async () => {
  environment = await startApiServer({ namespaces: ['shop'], crds: ['config/crd'] });
}, 150_000);

afterEach(async () => {
  stop.abort();
  await run;
});

afterAll(() => environment.stop());

/** Writes the definitions of kinds to a file, each with the one version that is given. */
function definitions(file: string, kinds: Readonly<Record<string, string>>): string {
  const dir = gatewayApiCrdDir('experimental');
  const files = readdirSync(dir).map((name) => readFileSync(join(dir, name), 'utf8'));
  const all = files.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Definition));
  const chosen = all.flatMap((definition) => {
    const version = kinds[definition?.spec?.names?.kind ?? ''];
    if (version === undefined) return [];
    const [first] = definition.spec.versions;
    return [{ ...definition, spec: { ...definition.spec, versions: [{ ...first, name: version, served: true, storage: true }] } }];
  });
  const path = join(environment.directory, file);
  writeFileSync(path, chosen.map((definition) => stringify(definition)).join('---\n'));
  return path;
}

function create(plural: string, kind: string, version: string, spec: object): Promise<unknown> {
  const apiVersion = `gateway.networking.k8s.io/${version}`;
  const body = { apiVersion, kind, metadata: { name: 'late' }, spec };
  return environment.request({ method: 'POST', path: `/apis/${apiVersion}/namespaces/shop/${plural}`, body });
}

test('kinds that are installed later are read then, in the version that is served, and told of once', async () => {
  await using proxy = await startFaultProxy(environment);
  const logged: string[] = [];
  const seen = new Map<string, string>();
  const provider = new KubernetesProvider({
    rest: plainClient(proxy.url, fastClock).rest,
    config: { rootNamespaces: [], gatewayRef: { namespace: 'shop', name: 'gw' } },
    options: { watchNamespaces: [], disabledFeatures: [] },
    handlers: [({ object }) => seen.set(`${object.kind}/${object.metadata.name}`, object.apiVersion)],
    log: { ...silentLogger, info: (fields, message) => logged.push(`${(fields as { kind?: string }).kind} ${message}`) },
    clock: fastClock,
  });
  stop = new AbortController();
  run = provider.run(stop.signal);
  await provider.ready;
  expect(provider.informer('HTTPRoute')?.size).toBe(0);

  await environment.installCrds(definitions('late.yaml', { HTTPRoute: 'v1', TCPRoute: 'v1alpha2' }));
  const parentRefs = [{ name: 'gw' }];
  await create('httproutes', 'HTTPRoute', 'v1', { parentRefs });
  await create('tcproutes', 'TCPRoute', 'v1alpha2', { parentRefs, rules: [{ backendRefs: [{ name: 's', port: 80 }] }] });
  await eventually('the routes', () => seen.has('HTTPRoute/late') && seen.has('TCPRoute/late'), 15_000);
  expect([...seen]).toEqual(
    expect.arrayContaining([
      ['HTTPRoute/late', 'gateway.networking.k8s.io/v1'],
      ['TCPRoute/late', 'gateway.networking.k8s.io/v1'],
    ]),
  );
  expect(provider.resourceOf('TCPRoute')?.version).toBe('v1alpha2');
  expect(provider.live({ kind: 'TCPRoute', namespace: 'shop', name: 'late' })).toBeDefined();
  for (const kind of ['HTTPRoute', 'Gateway']) expect(logged.filter((line) => line.startsWith(`${kind} the kind cannot`))).toHaveLength(1);
  expect(logged.filter((line) => line === 'HTTPRoute the kind is there now')).toHaveLength(1);
}, 60_000);
