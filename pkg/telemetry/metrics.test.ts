import { expect, test } from '@jest/globals';
import { lenientSecrets, object } from '../../test/lib/memory-reader.ts';
import type { KubeObject } from '../apis/meta.ts';
import { KubernetesCache } from '../kubernetes-cache/kubernetes-cache.ts';
import type { WantedStatus } from '../status/wanted.ts';
import { buildMetrics, createRegistry, objectMetrics, snapshotMetrics, statusMetrics, xdsMetrics } from './metrics.ts';

const build = { branch: 'b', revision: 'r', version: 'v' };

test('HTTPProxies are counted by state, anew at each look', async () => {
  const registry = createRegistry(build);
  const cache = new KubernetesCache({ keeps: () => true, secrets: lenientSecrets });
  const root: KubeObject = object('HTTPProxy', 'n/root', { spec: { virtualhost: { fqdn: 'a.example' } } });
  const child: KubeObject = object('HTTPProxy', 'n/child', { spec: {} });
  const status = (name: string, currentStatus: string): WantedStatus => ({
    object: { kind: 'HTTPProxy', namespace: 'n', name },
    generation: 1,
    status: { currentStatus },
  });
  const statuses = [status('root', 'valid'), status('child', 'orphaned')];
  objectMetrics(registry, { cache, statuses: () => statuses });
  const lines = async (): Promise<readonly string[]> =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => /^contour_(httpproxy|dag_cache)/.test(line))
      .sort();

  cache.apply(root);
  cache.apply(child);
  expect(await lines()).toEqual([
    'contour_dag_cache_object{kind="HTTPProxy"} 2',
    'contour_httpproxy_orphaned{namespace="n"} 1',
    'contour_httpproxy_root{namespace="n"} 1',
    'contour_httpproxy_valid{namespace="n",vhost="a.example"} 1',
    'contour_httpproxy{namespace="n"} 2',
  ]);
  cache.remove('HTTPProxy', 'n', 'child');
  expect(await lines()).not.toContain('contour_httpproxy_orphaned{namespace="n"} 1');
  expect(await lines()).toContain('contour_httpproxy{namespace="n"} 1');
});

test('rebuilds, status writes and the xDS server are counted under the names of the reference', async () => {
  const registry = createRegistry(build);
  buildMetrics(registry).rebuilt({ nowMs: 2_000, tookMs: 5, dirty: 3, faulty: 1, unguarded: 0 });
  const status = statusMetrics(registry);
  status.wrote('HTTPProxy', 'conflict', 4);
  status.wrote('Ingress', 'noop', 1);
  status.refused('HTTPProxy', 'Conflict');
  status.arrived(20);
  snapshotMetrics(registry, () => new Map([['t', 2 ** 47 + 1]]));
  const xds = xdsMetrics(registry);
  xds.streamOpened('delta');
  xds.responseSent('t', { bytes: 10, resources: 2 });
  xds.responseRefused('t');
  const text = await registry.metrics();
  for (const line of [
    'contour_dagrebuild_timestamp 2',
    'contour_dagrebuild_total 1',
    'contour_dagrebuild_seconds{quantile="0.5"} 0.005',
    'isoline_dagrebuild_roots_total 3',
    'isoline_dagrebuild_faults_total 1',
    'contour_status_update_total{kind="HTTPProxy"} 1',
    'contour_status_update_conflict_total{kind="HTTPProxy"} 1',
    'contour_status_update_duration_seconds_count{kind="HTTPProxy",error="true"} 1',
    'contour_status_update_noop_total{kind="Ingress"} 1',
    'isoline_status_update_refused_total{kind="HTTPProxy",reason="Conflict"} 1',
    'isoline_status_update_lag_seconds_bucket{le="0.025"} 1',
    'isoline_snapshot_hash{type_url="t"} 140737488355329',
    'isoline_xds_streams{protocol="delta"} 1',
    'isoline_xds_response_bytes_total{type_url="t"} 10',
    'isoline_xds_nack_total{type_url="t"} 1',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
});
