import { parallel } from '../lib/bench-cluster.ts';
import { nowMs } from '../lib/clock.ts';
import { Cost } from '../lib/cost.ts';
import { type Figures, round } from '../lib/figures.ts';
import type { HostToSweep, Swept } from '../lib/prober.ts';
import type { Session } from '../lib/session.ts';
import { addressPair, host } from '../lib/workload.ts';

const [connections, limitMs] = [4, 240_000];
const [restMs, statusLimitMs] = [3_000, 180_000];

const nameOf = (i: number): string => `s${String(i).padStart(5, '0')}`;

/** Many routes at once, to Services that are there; later all are deleted at once. Times count from the first write. */
export async function storm(session: Session): Promise<Figures> {
  const { cluster, workload, stack, statuses, settings } = session;
  const { routes } = settings;
  const sweep = (wantedOf: (i: number) => HostToSweep['wanted']): Promise<Swept> => {
    const hosts = Array.from({ length: routes }, (_, i) => ({ host: host(nameOf(i)), wanted: wantedOf(i) }));
    return session.prober.sweep({ hosts, connections, limitMs });
  };
  await parallel(routes, (i) => cluster.createService(nameOf(i), addressPair('storm', i)));
  await statuses.quiet(restMs, statusLimitMs);
  statuses.writes.clear();

  const cost = new Cost(stack);
  const startMs = nowMs();
  const served = sweep((i) => ({ status: 200, backends: addressPair('storm', i) }));
  await parallel(routes, (i) => cluster.create(workload.collection, workload.route(nameOf(i), { service: nameOf(i) })));
  const apiSeconds = (nowMs() - startMs) / 1000;
  const { lastMs, missing } = await served;
  await statuses.quiet(restMs, statusLimitMs);
  const controllerCpuSeconds = cost.controllerMs / 1000;
  const envoyCpuSeconds = cost.envoyMs / 1000;
  const names = Array.from({ length: routes }, (_, i) => nameOf(i));
  const completeMs = names.flatMap((name) => statuses.completeMs.get(name) ?? []);
  const writes = names.map((name) => statuses.writes.get(name) ?? 0);

  const deleteMs = nowMs();
  const gone = sweep(() => ({ status: 404 }));
  await parallel(routes, (i) => cluster.delete(`${workload.collection}/${nameOf(i)}`));
  const deletedMs = nowMs();
  const { lastMs: goneMs } = await gone;
  await parallel(routes, (i) => cluster.deleteService(nameOf(i)));
  await statuses.quiet(restMs, statusLimitMs);
  return {
    routes,
    apiSeconds: round(apiSeconds),
    servedSeconds: round((lastMs - startMs) / 1000),
    notServed: missing,
    statusSeconds: round((Math.max(...completeMs) - startMs) / 1000),
    withoutStatus: routes - completeMs.length,
    statusWritesPerObject: round(writes.reduce((sum, count) => sum + count, 0) / routes),
    mostStatusWrites: Math.max(...writes),
    controllerCpuSeconds: round(controllerCpuSeconds),
    envoyCpuSeconds: round(envoyCpuSeconds),
    deleteApiSeconds: round((deletedMs - deleteMs) / 1000),
    deletedSeconds: round((goneMs - deleteMs) / 1000),
  };
}
