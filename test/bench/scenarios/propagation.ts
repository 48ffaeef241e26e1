import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../lib/clock.ts';
import { Cost, costPerChange, type Stretch } from '../lib/cost.ts';
import { distribution, type Figures, round } from '../lib/figures.ts';
import type { Wanted } from '../lib/http-probe.ts';
import type { Session } from '../lib/session.ts';
import { addressPair, baseName, host } from '../lib/workload.ts';

const [restMs, holdMs, limitMs] = [200, 150, 60_000];
/** Stretches without a change, for each stretch with one. */
const controls = 0.4;

interface Seen {
  readonly latencies: number[];
  errorsBefore: number;
  errorsAfter: number;
}

/**
 * One change at a time, in a system at rest: a new Service with endpoints and route; a response header; another backend; the route is
 * deleted; a route to a Service that is there. From the API server's answer until Envoy answers right, asked every millisecond.
 */
export async function propagation(session: Session): Promise<Figures> {
  const { stack, settings } = session;
  const measured = new Measured(session);
  const cost = new Cost(stack);
  const receivedBefore = await stack.receivedBytes();
  for (let i = 0; i < settings.changes; i += 1) await lifeOfRoute(session, measured, i);
  const receivedBytes = (await stack.receivedBytes()) - receivedBefore;
  const during = { controllerMs: cost.controllerMs, envoyMs: cost.envoyMs, probes: measured.probes };
  const { count } = measured;
  return {
    ...measured.figures(),
    changes: count,
    ...costPerChange(count, during, await control(session, Math.ceil(count * controls))),
    xdsKibPerChange: round(receivedBytes / 1024 / count),
  };
}

/** Changes that are followed. */
class Measured {
  probes = 0;
  count = 0;
  readonly #session: Session;
  readonly #seen = new Map<string, Seen>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Makes a change and waits until Envoy answers as wanted. @throws {Error} if it does not */
  async change(sort: string, change: () => Promise<void>, of: { readonly host: string; readonly wanted: Wanted }): Promise<void> {
    await sleep(restMs);
    const following = await this.#session.prober.follow({ ...of, holdMs, limitMs });
    await change();
    const answeredMs = nowMs();
    const { probes, rightMs, errorsBefore, errorsAfter } = await following.result;
    if (Number.isNaN(rightMs)) throw new Error(`${sort}: not served within ${limitMs} ms`);
    const seen = this.#seen.get(sort) ?? { latencies: [], errorsBefore: 0, errorsAfter: 0 };
    this.#seen.set(sort, seen);
    seen.latencies.push(Math.max(0, rightMs - answeredMs));
    seen.errorsBefore += errorsBefore;
    seen.errorsAfter += errorsAfter;
    this.probes += probes;
    this.count += 1;
  }

  figures(): Figures {
    return Object.assign(
      {},
      ...[...this.#seen].map(([sort, { latencies, errorsBefore, errorsAfter }]) => ({
        ...distribution(sort, latencies),
        [`${sort}.errorsBefore`]: errorsBefore,
        [`${sort}.errorsAfter`]: errorsAfter,
      })),
    ) as Figures;
  }
}

async function lifeOfRoute({ cluster, workload }: Session, measured: Measured, i: number): Promise<void> {
  const [name, other] = [`p${i}`, `q${i}`];
  const [addresses, others] = [addressPair('propagation', 2 * i), addressPair('propagation', 2 * i + 1)];
  const path = `${workload.collection}/${name}`;
  const of = (wanted: Wanted) => ({ host: host(name), wanted });
  const create = async (): Promise<void> => {
    await cluster.createService(name, addresses);
    await cluster.create(workload.collection, workload.route(name, { service: name }));
  };
  await measured.change('create', create, of({ status: 200, backends: addresses }));
  await cluster.createService(other, others);
  if (workload.kind !== 'ingress') {
    const edit = workload.patch(name, { service: name, revision: 'edited' });
    await measured.change('header', () => cluster.patch(path, edit), of({ status: 200, revision: 'edited' }));
  }
  const switched = workload.patch(name, { service: other });
  await measured.change('backend', () => cluster.patch(path, switched), of({ status: 200, backends: others }));
  await measured.change('delete', () => cluster.delete(path), of({ status: 404 }));
  const again = workload.route(name, { service: other });
  await measured.change('createRoute', () => cluster.create(workload.collection, again), of({ status: 200, backends: others }));
  await sleep(restMs);
  await cluster.delete(path);
  for (const each of [name, other]) await cluster.deleteService(each);
}

/** The same probing with no change: what probes cost Envoy, and the controller its rest. One host in five is not there. */
async function control({ stack, prober }: Session, count: number): Promise<Stretch> {
  const cost = new Cost(stack);
  let probes = 0;
  for (let i = 0; i < count; i += 1) {
    await sleep(restMs);
    const of = i % 5 === 4 ? { host: host('absent'), wanted: { status: 404 } } : { host: host(baseName(0)), wanted: { status: 200 } };
    probes += (await (await prober.follow({ ...of, holdMs, limitMs })).result).probes;
  }
  return { controllerMs: cost.controllerMs, envoyMs: cost.envoyMs, probes };
}
