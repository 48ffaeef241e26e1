// An operator in one file: it copies each ConfigMap that has the label `copy-to` into the namespaces that its annotation
// `copy-to` lists, keeps the copies equal, and removes those that are no longer asked for.
import { hostname } from 'node:os';
import * as ctrl from '../index.ts';

interface ConfigMap extends ctrl.KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const log = ctrl.jsonLogger({ write: (line) => process.stderr.write(line) });
const credentials = await ctrl.findCredentials({ environment: process.env });
const cluster = new ctrl.Cluster({ credentials, log });
const kind = cluster.scheme.kindOf({ apiVersion: 'v1', kind: 'ConfigMap' });
const configMaps = cluster.informer<ConfigMap>(kind);
configMaps.addIndex('source', sourceOf);

const copier = ctrl
  .controllerBuilder({ name: 'config-map-copier', log })
  .for(configMaps, ctrl.labelsMatch('copy-to'))
  // A copy that somebody changes or removes wakes its source.
  .watches(configMaps, (copy) => sourceOf(copy).map(parseName))
  .complete(async ({ namespace, name }, signal) => {
    const source = configMaps.get(namespace, name);
    const wanted = source === undefined ? [] : targetsOf(source);
    for (const { metadata } of configMaps.byIndex('source', `${namespace}/${name}`)) {
      const stale = { namespace: metadata.namespace ?? '', name: metadata.name };
      if (!wanted.includes(stale.namespace)) await cluster.client.delete(kind, stale, { signal });
    }
    for (const target of wanted) {
      const metadata = { namespace: target, name, annotations: { 'copy-of': `${namespace}/${name}` } };
      const copy: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: source?.data ?? {} };
      await cluster.client.apply(kind, copy, { fieldManager: 'config-map-copier', force: true, signal });
    }
    return ctrl.done;
  });

function targetsOf({ metadata }: ConfigMap): readonly string[] {
  if (metadata.labels?.['copy-to'] === undefined) return [];
  const listed = (metadata.annotations?.['copy-to'] ?? '').split(',').map((target) => target.trim());
  return listed.filter((target) => target !== '' && target !== metadata.namespace);
}

function sourceOf({ metadata }: ctrl.KubeObject): readonly string[] {
  const source = metadata.annotations?.['copy-of'];
  return source === undefined ? [] : [source];
}

function parseName(text: string): ctrl.ObjectName {
  const [namespace = '', name = ''] = text.split('/');
  return { namespace, name };
}

const lock = new ctrl.LeaseLock(cluster.unlimited, credentials.namespace ?? 'default', 'config-map-copier');
const manager = new ctrl.Manager({ log, elector: new ctrl.LeaderElector({ lock, identity: `${hostname()}_${process.pid}`, log }) });
const port = Number(process.env['PORT'] ?? 8081);
manager.add('http', new ctrl.HealthServer({ port, ready: { cache: ctrl.cacheSynced(cluster.cache) } }));
manager.add('cache', cluster);
manager.add('leader', copier);
await manager.run(ctrl.stopSignal(process));
